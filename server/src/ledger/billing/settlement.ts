import type { Caller } from "@trunkline/core/caller.ts";
import { textOf } from "@trunkline/core/conversation.ts";
import type { Fault } from "@trunkline/core/fault.ts";
import type { BudgetPool } from "@trunkline/core/funds-pool.ts";
import { fullNameOf } from "@trunkline/core/model.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import { PRICED_BY_SEGMENTS, type SegmentOutcome } from "@trunkline/core/parts.ts";
import type { Attempt } from "@trunkline/core/provider-failure.ts";
import { CACHE_PROVIDER, type CacheOutcome, type RequestTrace } from "@trunkline/core/request-trace.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import { intendedAction, type Opinion, type Verdict } from "@trunkline/core/verdict.ts";
import type { AudioSource } from "./accept-usage.ts";
import type { SegmentCharge } from "./answer-segments.ts";
import { routingRecord } from "./routing-record.ts";

/** The end of one request, as it is written: what happened, what it cost, and what a repeated request is answered. */
export interface Settlement {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly createdAt: Date;
  readonly path: string;
  readonly task: string;
  readonly model: string | undefined;
  readonly provider: string | undefined;
  readonly status: number;
  readonly errorType: string | undefined;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly images: number;
  readonly usageSource: "provider" | "own" | "none";
  readonly priceVersion: string | undefined;
  readonly held: NanoCredits;
  readonly cost: NanoCredits;
  /** The key's budget that this is charged to as well. */
  readonly budget: BudgetPool | undefined;
  readonly latencyMs: number;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly idempotent: IdempotentAnswer | undefined;
  /** How many of the input tokens came out of the provider's cache. */
  readonly cachedInputTokens: number;
  /** How many of them were put into it. */
  readonly cacheWriteTokens: number;
  /** How much audio, made or heard, was charged for. */
  readonly audioMs: number;
  /** What was taken off the price, in ten-thousandths. */
  readonly discount: number;
  /** Where several models made the answer, what each of them did; the fields above are the sums. None where it was one. */
  readonly legs: readonly SettledSegment[];
}

export interface IdempotentAnswer {
  readonly key: string;
  readonly answer: unknown;
}

/** The money's side of how a request ended. */
export interface BillingOutcome {
  readonly fault: Fault | undefined;
  readonly hungUp: boolean;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** How many images were charged for. */
  readonly images: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  readonly audioMs: number;
  /** Whose count of audio that is; undefined where there was none. */
  readonly audioSource: AudioSource | undefined;
  readonly usageSource: Settlement["usageSource"];
  readonly held: NanoCredits;
  readonly cost: NanoCredits;
  /** What each model is charged for that made some of the answer, in their order. */
  readonly legs: readonly SegmentCharge[];
  readonly budget: BudgetPool | undefined;
  readonly output: string;
  readonly idempotent: IdempotentAnswer | undefined;
}

/** The record's status of a request whose client left before it was given anything. Never sent to anyone. */
const CLIENT_CLOSED = 499;

/** The settlement of a request that ended with this outcome. */
export function settlementOf(requestTrace: RequestTrace, caller: Caller, billingOutcome: BillingOutcome): Settlement {
  const candidate = billingOutcome.legs.at(-1)?.candidate ?? requestTrace.chosen ?? lastAttempted(requestTrace);
  const model = candidate?.model;
  const legs = settledSegments(billingOutcome.legs);
  const isHit = requestTrace.cache?.result === "hit";
  return {
    requestId: requestTrace.requestId,
    accountId: caller.accountId,
    keyId: caller.keyId,
    createdAt: requestTrace.receivedAt,
    path: requestTrace.path,
    task: requestTrace.inference?.task.word ?? "",
    model: model?.name,
    provider: isHit ? CACHE_PROVIDER : model?.provider,
    status:
      billingOutcome.fault?.status ??
      (billingOutcome.hungUp && billingOutcome.usageSource === "none" ? CLIENT_CLOSED : 200),
    errorType: billingOutcome.fault?.type,
    inputTokens: billingOutcome.inputTokens,
    outputTokens: billingOutcome.outputTokens,
    images: billingOutcome.images,
    usageSource: billingOutcome.usageSource,
    priceVersion: isHit ? undefined : legs.length > 0 ? PRICED_BY_SEGMENTS : candidate?.quote.price.version,
    held: billingOutcome.held,
    cost: billingOutcome.cost,
    budget: billingOutcome.budget,
    latencyMs: requestTrace.elapsedMs,
    detail: detailOf(requestTrace, caller, billingOutcome),
    idempotent: billingOutcome.idempotent,
    cachedInputTokens: billingOutcome.cachedInputTokens,
    cacheWriteTokens: billingOutcome.cacheWriteTokens,
    audioMs: billingOutcome.audioMs,
    discount: isHit || legs.length > 0 ? 0 : (candidate?.quote.discount ?? 0),
    legs,
  };
}

/** A failure counts against the model that failed last, though it never answered. */
function lastAttempted({ route, attempts }: RequestTrace): Candidate | undefined {
  const name = attempts.at(-1)?.model;
  return route?.candidates.find(({ model }) => fullNameOf(model) === name);
}

/** A request that was refused before any money was set aside: recorded, never charged. */
export function unchargedSettlement(requestTrace: RequestTrace, caller: Caller, fault: Fault): Settlement {
  return settlementOf(requestTrace, caller, {
    fault,
    hungUp: false,
    inputTokens: 0,
    outputTokens: 0,
    images: 0,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    audioMs: 0,
    audioSource: undefined,
    usageSource: "none",
    held: 0n,
    cost: 0n,
    legs: [],
    budget: undefined,
    output: "",
    idempotent: undefined,
  });
}

/** Made for every request: what is undefined is left out when it is written. */
function detailOf(requestTrace: RequestTrace, caller: Caller, billingOutcome: BillingOutcome): Record<string, unknown> {
  return {
    attempts: requestTrace.attempts.map(attemptOf),
    routing: requestTrace.route === undefined ? undefined : routingRecord(requestTrace.route, requestTrace.chosen),
    safety: { input: verdictOf(requestTrace.inputVerdict), output: verdictOf(requestTrace.outputVerdict) },
    timings: timingsOf(requestTrace.stages),
    audio_source: billingOutcome.audioSource,
    own_key: (requestTrace.chosen ?? lastAttempted(requestTrace))?.model.ownKey,
    idempotent: billingOutcome.idempotent === undefined ? undefined : true,
    cache: cacheOf(requestTrace.cache),
    batch: requestTrace.inference?.batch,
    dropped: droppedFields(requestTrace),
    streamed: requestTrace.inference?.streaming === true ? true : undefined,
    client_hung_up: billingOutcome.hungUp ? true : undefined,
    error: billingOutcome.fault?.message,
    content: contentOf(requestTrace, caller, billingOutcome),
  };
}

/** The fields that nothing was made of, where there are any. */
function droppedFields({
  inference,
  unsupportedFields: droppedByProvider,
}: RequestTrace): readonly string[] | undefined {
  const dropped = [...(inference?.dropped ?? []), ...droppedByProvider];
  return dropped.length === 0 ? undefined : dropped;
}

function cacheOf(cache: CacheOutcome | undefined) {
  if (cache?.result !== "hit") return cache;
  const { result, match, similarity, ageSeconds, requestId, model } = cache;
  return { result, match, similarity, age_seconds: ageSeconds, request_id: requestId, model };
}

function attemptOf({ model, outcome, kind, reason, said, ms, firstPartMs }: Attempt) {
  const first = firstPartMs === undefined ? undefined : round(firstPartMs);
  return { model, outcome, kind, reason, said, ms: round(ms), first_part_ms: first };
}

function timingsOf(stages: RequestTrace["stages"]) {
  const timings: Record<string, number> = {};
  for (const stage in stages) timings[stage] = round(stages[stage] ?? 0);
  return timings;
}

/**
 * Prompts and outputs are kept only where the account has asked for it, and not before the input was screened: until then
 * private values may stand in it that the account wants nobody to keep.
 */
function contentOf({ inference, inputVerdict }: RequestTrace, caller: Caller, billingOutcome: BillingOutcome) {
  if (!caller.keepsContent || inference === undefined || inputVerdict === undefined) return undefined;
  return { input: textOf(inference.conversation), output: billingOutcome.output };
}

function verdictOf(verdict: Verdict | undefined) {
  if (verdict === undefined) return null;
  const categories: Record<string, number> = {};
  for (const category in verdict.categories) {
    const score = verdict.categories[category] ?? 0;
    if (score > 0) categories[category] = score;
  }
  const judge = verdict.opinions?.map(opinionOf);
  if (!verdict.flagged && verdict.redacted === undefined)
    return { action: verdict.action, categories, dry_run: isDryRun(verdict), judge };
  const { acted, decidedBy, spans, redacted, normalised } = verdict;
  return {
    action: intendedAction(verdict),
    categories,
    acted,
    // What stands there is nobody's business: what it is and where says enough.
    spans: spans.length === 0 ? undefined : spans,
    redacted,
    normalised: normalised.length === 0 ? undefined : normalised,
    dry_run: isDryRun(verdict),
    policy: decidedBy,
    judge,
  };
}

function opinionOf({ result, why, doubts, said, ms, remembered }: Opinion) {
  return { result, why, doubts, said, ms: round(ms), remembered };
}

function isDryRun({ dryRun }: Verdict): true | undefined {
  return dryRun === undefined ? undefined : true;
}

/** To three decimals. */
function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** One leg of a request that has several, as it is written. */
export interface SettledSegment {
  readonly provider: string;
  readonly model: string;
  readonly priceVersion: string;
  /** What was taken off the price, in ten-thousandths. */
  readonly discount: number;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly images: number;
  readonly audioMs: number;
  readonly usageSource: "provider" | "own";
  readonly cost: NanoCredits;
  readonly outcome: SegmentOutcome;
}

/** The legs as they are written: none where there is but one, as the request says it all. */
function settledSegments(legs: readonly SegmentCharge[]): readonly SettledSegment[] {
  return legs.length > 1 ? legs.map(settledSegment) : [];
}

function settledSegment({ candidate, ...charge }: SegmentCharge): SettledSegment {
  const { model, quote } = candidate;
  return {
    provider: model.provider,
    model: model.name,
    priceVersion: quote.price.version,
    discount: quote.discount ?? 0,
    inputTokens: charge.inputTokens,
    cachedInputTokens: charge.cachedInputTokens,
    cacheWriteTokens: charge.cacheWriteTokens,
    outputTokens: charge.outputTokens,
    images: charge.images,
    audioMs: charge.audioMs,
    usageSource: charge.source === "provider" ? "provider" : "own",
    cost: charge.cost,
    outcome: charge.outcome,
  };
}
