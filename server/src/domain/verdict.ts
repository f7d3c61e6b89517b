import type { Opinion } from "./opinion.ts";

export const CHANNELS = ["user", "document", "output"] as const;
/** Whose words these are: the caller's own, quoted material, or a model's answer. */
export type Channel = (typeof CHANNELS)[number];

export type SafetyAction = "allow" | "report" | "redact" | "refuse";

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
  /** Every category of the detector, 0 to 1. */
  readonly categories: Readonly<Record<string, number>>;
  readonly spans: readonly Span[];
  /** What was undone before judging, for example "zero-width". */
  readonly normalised: readonly string[];
  /** What a judge outside said of it; undefined: none was asked. */
  readonly opinions?: readonly Opinion[] | undefined;
}
