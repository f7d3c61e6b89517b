/** What one check saw. */
export interface Finding {
  /** A stable name in kebab case, for programs. */
  readonly check: string;
  readonly verdict: "pass" | "warn" | "fail";
  /** For people: what was seen, what was expected, what to do. */
  readonly message: string;
}

/** Everything that was seen of one endpoint. */
export interface ConformanceReport {
  /** Nothing failed; there may be warnings. */
  readonly passed: boolean;
  readonly findings: readonly Finding[];
}

export const pass = (check: string, message: string): Finding => ({ check, verdict: "pass", message });
export const warn = (check: string, message: string): Finding => ({ check, verdict: "warn", message });
export const fail = (check: string, message: string): Finding => ({ check, verdict: "fail", message });
