import type { Strategy } from "./inference.ts";
import type { NanoCredits } from "./money.ts";

export const SIGN_UP_MODES = ["open", "invited", "closed"] as const;
/** Who may open an account: anyone, whoever is invited, or nobody. */
export type SignUpMode = (typeof SIGN_UP_MODES)[number];

export const LEARNING_MODES = ["on", "frozen"] as const;
/** Whether outcomes change what is predicted, and models are tried out for that. */
export type LearningMode = (typeof LEARNING_MODES)[number];

/** What the operator may change while the service runs. */
export interface ServiceSettings {
  readonly signUp: SignUpMode;
  /** For accounts that have chosen none. */
  readonly strategy: Strategy;
  /** Frozen: for every account, whatever it has chosen. */
  readonly learning: LearningMode;
  /** What a new organisation is given. */
  readonly welcomeCredits: NanoCredits;
  /** Shown to everyone at the dashboard; empty: nothing. */
  readonly announcement: string;
}
