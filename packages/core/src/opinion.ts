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
