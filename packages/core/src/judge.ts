import type { JudgeFailureKind } from "./opinion.ts";
import type { Channel } from "./verdict.ts";

/** A text that leaves doubts, for a judge outside. */
export interface JudgeRequest {
  readonly text: string;
  readonly channel: Channel;
}

/** What a judge makes of a text. */
export interface JudgeResponse {
  /** 0 to 1 for each category that it told of. */
  readonly scores: Readonly<Record<string, number>>;
  /** What it used, where it says so. */
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
}

/** Somebody outside who judges texts. */
export interface ModerationJudge {
  /** The categories that it can tell of. */
  readonly categories: readonly string[];
  /** Ends with the signal. Throws JudgeFailure. */
  ask(question: JudgeRequest, signal: AbortSignal): Promise<JudgeResponse>;
}

/** Why a judge has given no opinion. */
export class JudgeFailure extends Error {
  override readonly name = "JudgeFailure";
  readonly kind: JudgeFailureKind;

  constructor(kind: JudgeFailureKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
