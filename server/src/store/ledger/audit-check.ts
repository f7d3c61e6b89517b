/** One thing that must be true of the books, and the statement that finds where it is not. */
export interface AuditCheck {
  readonly name: string;
  /** What is true when the statement finds nothing. */
  readonly sentence: string;
  /** A note says that something is to be seen to, not that the books are wrong. */
  readonly severity: "finding" | "note";
  /** Gives one row for each damage, with what is wrong in its column `example`. */
  readonly sql: string;
}
