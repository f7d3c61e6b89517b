import type { Opinion } from "./opinion.ts";

export const CHANNELS = ["user", "document", "output"] as const;
/** Whose words these are: the caller's own, quoted material, or a model's answer. */
export type Channel = (typeof CHANNELS)[number];

export const SAFETY_ACTIONS = ["allow", "report", "redact", "refuse"] as const;
export type SafetyAction = (typeof SAFETY_ACTIONS)[number];

export const SAFETY_LEVELS = ["service", "account", "key"] as const;
/** Whose rules decided. */
export type SafetyLevel = (typeof SAFETY_LEVELS)[number];

export interface Span {
  readonly category: string;
  /** What the value there is, for example "email", where it is one. */
  readonly kind?: string | undefined;
  /** Offsets into the judged text, end exclusive. */
  readonly start: number;
  readonly end: number;
}

/** What the safety check makes of a text. */
export interface Verdict {
  readonly flagged: boolean;
  readonly action: SafetyAction;
  /** In a dry run, what the action would have been. */
  readonly dryRun?: SafetyAction | undefined;
  /** Every category of the detector, 0 to 1. */
  readonly categories: Readonly<Record<string, number>>;
  /** What each category that is not allowed called for; in a dry run, what it would have. */
  readonly acted?: Readonly<Record<string, SafetyAction>> | undefined;
  /** Whose rules called for the action; undefined: there was none. */
  readonly decidedBy?: SafetyLevel | undefined;
  readonly spans: readonly Span[];
  /** How many values of each kind were taken out; left out where none was. */
  readonly redacted?: Readonly<Record<string, number>> | undefined;
  /** What was undone before judging, for example "zero-width". */
  readonly normalised: readonly string[];
  /** What a judge outside said of it; undefined: none was asked. */
  readonly opinions?: readonly Opinion[] | undefined;
}

/** What a policy made of a text, whether or not it was done. */
export function intendedAction({ action, dryRun }: Pick<Verdict, "action" | "dryRun">): SafetyAction {
  return dryRun ?? action;
}
