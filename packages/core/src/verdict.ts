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

export const JUDGE_FAILURES = ["timeout", "busy", "unreachable", "unreadable"] as const;
/** busy: too many are asked about already. unreadable: what it answered is no judgement. */
export type JudgeFailureKind = (typeof JUDGE_FAILURES)[number];

export const OPINION_RESULTS = ["raised", "lowered", "upheld", "failed"] as const;

/** That a judge was asked about a doubtful text, and what came of it. */
export interface Opinion {
  /** Whether more is done about the text now, or less, or the same. */
  readonly result: (typeof OPINION_RESULTS)[number];
  /** Why there is none; undefined where there is one. */
  readonly why?: JudgeFailureKind | undefined;
  /** Our own scores of the categories that were in doubt. */
  readonly doubts: Readonly<Record<string, number>>;
  /** What the judge said of these. */
  readonly said: Readonly<Record<string, number>>;
  readonly ms: number;
  /** It was asked about the same text a moment ago. */
  readonly remembered: boolean;
}

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
