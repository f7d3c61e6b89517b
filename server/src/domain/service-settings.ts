import type { NanoCredits } from "../kit/money.ts";
import type { Strategy } from "./inference.ts";

export const SIGN_UP = ["open", "invited", "closed"] as const;
/** Who may open an account: anyone, whoever is invited, or nobody. */
export type SignUp = (typeof SIGN_UP)[number];

/** What the operator may change while the service runs. */
export interface ServiceSettings {
  readonly signUp: SignUp;
  /** For accounts that have chosen none. */
  readonly strategy: Strategy;
  /** What a new organisation is given. */
  readonly welcomeCredits: NanoCredits;
  /** Shown to everyone at the dashboard; empty: nothing. */
  readonly announcement: string;
}
