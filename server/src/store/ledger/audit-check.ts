/** A rule of the ledger, and the statement that finds violations. */
export interface AuditCheck {
  readonly name: string;
  /** The rule in words. */
  readonly sentence: string;
  /** A note asks for attention; it does not mean that the ledger is wrong. */
  readonly severity: "finding" | "note";
  /** Returns one row for each violation, described in its column `example`. */
  readonly sql: string;
}
