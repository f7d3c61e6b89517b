import type { ModelType } from "@trunkline/core/model.ts";

/** Requests, and the tokens of both directions together. */
export interface UsageCount {
  readonly requests: number;
  readonly tokens: number;
}

/** What a count is of. */
export interface UsageScope {
  readonly provider: string;
  /** undefined: all of the provider's models. */
  readonly model: string | undefined;
  /** A day of UTC as an ISO date; undefined: all time. */
  readonly day: string | undefined;
}

/** A provider's count beside ours, as both were when it came in. */
export interface UsageComparison extends UsageScope {
  readonly reported: UsageCount;
  readonly counted: UsageCount;
  /** The day was not over, so that neither count was final. */
  readonly provisional: boolean;
  /** The two are further apart than is allowed. */
  readonly flagged: boolean;
}

/** A model that an account registered, whether it still offers it or not. */
export interface OwnModel {
  readonly provider: string;
  readonly name: string;
  readonly type: ModelType;
}

export interface UsageReportStore {
  /** Those still offered first. */
  modelsOf(accountId: string): Promise<readonly OwnModel[]>;
  /** Our own counts, in the order of the subjects. */
  count(usageScopes: readonly UsageScope[]): Promise<readonly UsageCount[]>;
  save(accountId: string, usageComparisons: readonly UsageComparison[]): Promise<void>;
}

/** How far two counts may be apart. */
export interface ReconciliationTerms {
  /** A part of our own count. */
  readonly threshold: number;
  /** Below as many requests on either side nothing is flagged: a few make a large part of little. */
  readonly minimumRequests: number;
  /** How long after its end a day counts as not over, as its last requests may still run. */
  readonly graceMs: number;
}

/** Whether a provider's count is too far from ours. */
export function exceedsThreshold(
  reported: UsageCount,
  counted: UsageCount,
  { threshold, minimumRequests }: ReconciliationTerms,
  judgesTokens: boolean,
): boolean {
  if (Math.max(reported.requests, counted.requests) < minimumRequests) return false;
  // Divided, not multiplied, so that a difference of just the threshold is on the right side of it. Where we counted
  // nothing, anything is infinitely more, and nothing is as good as equal.
  const isFar = (theirs: number, ours: number) => Math.abs(theirs - ours) / ours > threshold;
  return (
    isFar(reported.requests, counted.requests) || (judgesTokens && isFar(reported.tokens, counted.tokens))
  );
}
