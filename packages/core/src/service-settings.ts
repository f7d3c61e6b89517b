import type { Strategy } from "./inference.ts";
import type { NanoCredits } from "./money.ts";

export const SIGN_UP = ["open", "invited", "closed"] as const;
/** Who may open an account: anyone, whoever is invited, or nobody. */
export type SignUp = (typeof SIGN_UP)[number];

export const LEARNING = ["on", "frozen"] as const;
/** Whether outcomes change what is predicted, and models are tried out for that. */
export type Learning = (typeof LEARNING)[number];

/** What the operator may change while the service runs. */
export interface ServiceSettings {
  readonly signUp: SignUp;
  /** For accounts that have chosen none. */
  readonly strategy: Strategy;
  /** Frozen: for every account, whatever it has chosen. */
  readonly learning: Learning;
  /** What a new organisation is given. */
  readonly welcomeCredits: NanoCredits;
  /** Shown to everyone at the dashboard; empty: nothing. */
  readonly announcement: string;
}
