import type { Strategy } from "./inference.ts";
import type { NanoCredits } from "./money.ts";

export const SIGN_UP_MODES = ["open", "invited", "closed"] as const;
/** Who may open an account: anyone, only those with an invitation, or no one. */
export type SignUpMode = (typeof SIGN_UP_MODES)[number];

export const LEARNING_MODES = ["on", "frozen"] as const;
/** Whether outcomes change predictions, and models are explored for that. */
export type LearningMode = (typeof LEARNING_MODES)[number];

/** Settings that the operator can change while the service runs. */
export interface ServiceSettings {
  readonly signUp: SignUpMode;
  /** For accounts that have not set their own. */
  readonly strategy: Strategy;
  /** `frozen` applies to every account, whatever its own setting. */
  readonly learning: LearningMode;
  /** Credits for a new organisation. */
  readonly welcomeCredits: NanoCredits;
  /** Shown to everyone in the dashboard; empty: none. */
  readonly announcement: string;
  /** Whether strangers may read the catalogue of models. */
  readonly publicModels: boolean;
  /** Whether strangers may read how the service does. */
  readonly publicStatus: boolean;
}
