export const CHANNELS = ["user", "document", "application", "output"] as const;
/** Where a text comes from: the user, quoted material, the application's own words, or a model's answer. */
export type Channel = (typeof CHANNELS)[number];

export const SAFETY_ACTIONS = ["allow", "report", "redact", "refuse"] as const;
export type SafetyAction = (typeof SAFETY_ACTIONS)[number];

export const SAFETY_LEVELS = ["service", "account", "key"] as const;
/** Whose rules decided. */
export type SafetyLevel = (typeof SAFETY_LEVELS)[number];

export interface Span {
  readonly category: string;
  /** The kind of value, for example "email", where it is one. */
  readonly kind?: string | undefined;
  /** Offsets into the checked text, end exclusive. */
  readonly start: number;
  readonly end: number;
}

/** The result of the safety check of a text. */
export interface Verdict {
  readonly flagged: boolean;
  readonly action: SafetyAction;
  /** In a dry run, what the action would have been. */
  readonly dryRun?: SafetyAction | undefined;
  /** Every category of the detector, 0 to 1. */
  readonly categories: Readonly<Record<string, number>>;
  /** The action of each category that is not allowed; in a dry run, the action it would have had. */
  readonly acted?: Readonly<Record<string, SafetyAction>> | undefined;
  /** The level whose rules required the action; undefined: there was none. */
  readonly decidedBy?: SafetyLevel | undefined;
  readonly spans: readonly Span[];
  /** How many values of each kind were redacted; left out where none was. */
  readonly redacted?: Readonly<Record<string, number>> | undefined;
  /** What was undone before the check, for example "zero-width". */
  readonly normalised: readonly string[];
  /** What an external judge said about it; undefined: none was asked. */
  readonly opinions?: readonly Opinion[] | undefined;
}

/** The action that the policy calls for, also in a dry run. */
export function intendedAction({ action, dryRun }: Pick<Verdict, "action" | "dryRun">): SafetyAction {
  return dryRun ?? action;
}

export const JUDGE_FAILURES = ["timeout", "busy", "unreachable", "unreadable"] as const;
/** busy: too many questions are pending. unreadable: the response is no judgement. */
export type JudgeFailureKind = (typeof JUDGE_FAILURES)[number];

export const OPINION_RESULTS = ["raised", "lowered", "upheld", "failed"] as const;

/** That a judge was asked about an uncertain text, and the result. */
export interface Opinion {
  /** Whether the action became stricter, milder, or stayed the same. */
  readonly result: (typeof OPINION_RESULTS)[number];
  /** Why there is no opinion; undefined where there is one. */
  readonly why?: JudgeFailureKind | undefined;
  /** Our own scores of the uncertain categories. */
  readonly doubts: Readonly<Record<string, number>>;
  /** The judge's scores of these. */
  readonly said: Readonly<Record<string, number>>;
  readonly ms: number;
  /** The judge was asked about the same text recently, and the result was cached. */
  readonly remembered: boolean;
}

/** An uncertain text for an external judge. */
export interface JudgeRequest {
  readonly text: string;
  readonly channel: Channel;
}

/** A judge's scores of a text. */
export interface JudgeResponse {
  /** 0 to 1 for each category that it rated. */
  readonly scores: Readonly<Record<string, number>>;
  /** Its own usage, where it reports it. */
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
}

/** An external moderation service or model. */
export interface ModerationJudge {
  /** The categories that it can rate. */
  readonly categories: readonly string[];
  /** Aborted by the signal. Throws JudgeFailure. */
  ask(question: JudgeRequest, signal: AbortSignal): Promise<JudgeResponse>;
}

/** Why a judge gave no opinion. */
export class JudgeFailure extends Error {
  override readonly name = "JudgeFailure";
  readonly kind: JudgeFailureKind;

  constructor(kind: JudgeFailureKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
