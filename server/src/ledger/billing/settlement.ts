import type { Caller } from "@trunkline/core/caller.ts";
import { textOf } from "@trunkline/core/conversation.ts";
import type { Fault } from "@trunkline/core/fault.ts";
import type { AccountBudgetPool, BudgetPool } from "@trunkline/core/funds-pool.ts";
import type { Tags } from "@trunkline/core/inference.ts";
import { JsonFields } from "@trunkline/core/json-fields.ts";
import { fullNameOf } from "@trunkline/core/model.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import { PRICED_BY_SEGMENTS, type SegmentOutcome } from "@trunkline/core/parts.ts";
import type { Attempt } from "@trunkline/core/provider-failure.ts";
import { CACHE_PROVIDER, type CacheOutcome, type RequestTrace } from "@trunkline/core/request-trace.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import type { ChargedUsage } from "@trunkline/core/usage.ts";
import { NO_TOTAL_CHARGE, type SegmentCharge, type TotalCharge } from "./answer-segments.ts";
import { routingRecord } from "./routing-record.ts";
import { verdictRecord } from "./verdict-record.ts";

/** The end of one request, as it is stored: what happened, what it cost, and the answer for repeated requests. */
export interface Settlement extends ChargedUsage {
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
  readonly usageSource: "provider" | "own" | "none";
  readonly priceVersion: string | undefined;
  readonly held: NanoCredits;
  readonly cost: NanoCredits;
  /** The key's budget that is charged too. */
  readonly budget: BudgetPool | undefined;
  /** The account's budget that is charged too. */
  readonly accountBudget?: AccountBudgetPool | undefined;
  readonly latencyMs: number;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly idempotent: IdempotentAnswer | undefined;
  /** The discount on the price, in ten-thousandths. */
  readonly discount: number;
  /** The client's own words for the request. */
  readonly tags?: Tags | undefined;
  /** The segments of an answer by several models; the fields above are their sums. Empty for a single model. */
  readonly legs: readonly SettledSegment[];
}

export interface IdempotentAnswer {
  readonly key: string;
  readonly answer: unknown;
}

/** How a request ended, as its bill knows it. */
export interface BillingOutcome {
  readonly fault: Fault | undefined;
  readonly hungUp: boolean;
  readonly charge: TotalCharge;
  readonly held: NanoCredits;
  readonly budget: BudgetPool | undefined;
  readonly accountBudget?: AccountBudgetPool | undefined;
  readonly output: string;
  readonly idempotent: IdempotentAnswer | undefined;
}

/** The recorded status of a request whose client disconnected before any output. It is never sent. */
export const CLIENT_CLOSED_REQUEST = 499;

const NO_LEGS: readonly SettledSegment[] = [];

export function settlementOf(requestTrace: RequestTrace, caller: Caller, billingOutcome: BillingOutcome): Settlement {
  const { charge } = billingOutcome;
  const candidate = charge.segments.at(-1)?.candidate ?? requestTrace.chosen ?? lastAttempted(requestTrace);
  const model = candidate?.model;
  // For a single model the request's own fields say it all.
  const legs = charge.segments.length > 1 ? charge.segments.map(settledSegment) : NO_LEGS;
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
      billingOutcome.fault?.status ?? (billingOutcome.hungUp && isWithoutOutput(charge) ? CLIENT_CLOSED_REQUEST : 200),
    errorType: billingOutcome.fault?.type,
    inputTokens: charge.inputTokens,
    cachedInputTokens: charge.cachedInputTokens,
    cacheWriteTokens: charge.cacheWriteTokens,
    outputTokens: charge.outputTokens,
    images: charge.images,
    audioMs: charge.audioMs,
    usageSource: charge.source,
    priceVersion: isHit ? undefined : legs.length > 0 ? PRICED_BY_SEGMENTS : candidate?.quote.price.version,
    held: billingOutcome.held,
    cost: charge.cost,
    budget: billingOutcome.budget,
    accountBudget: billingOutcome.accountBudget,
    latencyMs: requestTrace.elapsedMs,
    detail: detailOf(requestTrace, caller, billingOutcome),
    idempotent: billingOutcome.idempotent,
    discount: isHit || legs.length > 0 ? 0 : (candidate?.quote.discount ?? 0),
    tags: requestTrace.inference?.tags,
    legs,
  };
}

function isWithoutOutput({ source, segments }: TotalCharge): boolean {
  return source === "none" || segments[0]?.isInputOnly === true;
}

/** A failure counts against the model that failed last, though it never answered. */
function lastAttempted({ route, attempts }: RequestTrace): Candidate | undefined {
  const name = attempts.at(-1)?.model;
  return route?.ranking.find(({ candidate }) => fullNameOf(candidate.model) === name)?.candidate;
}

/** The candidate whose call the end of a request broke off; undefined where none was called. */
export function calledCandidate(requestTrace: RequestTrace): Candidate | undefined {
  const last = requestTrace.attempts.at(-1);
  return last === undefined || last.outcome === "failed" ? undefined : lastAttempted(requestTrace);
}

/** A request that costs nothing: refused before any hold, or without a known end. It is recorded, never charged. */
export function unchargedSettlement(
  requestTrace: RequestTrace,
  caller: Caller,
  fault: Fault,
  held: NanoCredits = 0n,
): Settlement {
  return settlementOf(requestTrace, caller, {
    fault,
    hungUp: false,
    charge: NO_TOTAL_CHARGE,
    held,
    budget: undefined,
    output: "",
    idempotent: undefined,
  });
}

/** The record's `detail` column. Undefined fields are left out of its JSON. */
function detailOf(requestTrace: RequestTrace, caller: Caller, billingOutcome: BillingOutcome): Record<string, unknown> {
  return {
    attempts: requestTrace.attempts.map(attemptOf),
    routing: requestTrace.route === undefined ? undefined : routingRecord(requestTrace.route, requestTrace.chosen),
    safety: { input: verdictRecord(requestTrace.inputVerdict), output: verdictRecord(requestTrace.outputVerdict) },
    timings: new Timings(requestTrace),
    audio_source: billingOutcome.charge.audioSource,
    own_key: (requestTrace.chosen ?? lastAttempted(requestTrace))?.model.ownKey,
    idempotent: billingOutcome.idempotent === undefined ? undefined : true,
    cache: cacheOf(requestTrace.cache),
    batch: requestTrace.inference?.batch,
    preset: requestTrace.inference?.preset,
    annotations: requestTrace.annotations,
    dropped: droppedFields(requestTrace),
    streamed: requestTrace.inference?.streaming === true ? true : undefined,
    client_hung_up: billingOutcome.hungUp ? true : undefined,
    error: billingOutcome.fault?.message,
    content: contentOf(requestTrace, caller, billingOutcome),
  };
}

/** The ignored fields of the request; undefined where there are none. */
function droppedFields({ inference, unsupportedFields }: RequestTrace): readonly string[] | undefined {
  const dropped = inference?.dropped;
  if (dropped !== undefined && dropped.length > 0) return [...dropped, ...unsupportedFields];
  return unsupportedFields.length === 0 ? undefined : unsupportedFields;
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

/** How long each stage took that has ended by now, in milliseconds. */
class Timings extends JsonFields {
  readonly names: readonly string[];
  readonly #requestTrace: RequestTrace;

  constructor(requestTrace: RequestTrace) {
    super();
    this.names = requestTrace.stages;
    this.#requestTrace = requestTrace;
  }

  valueAt(place: number): number {
    return round(this.#requestTrace.stageMsAt(place));
  }
}

/**
 * Prompts and outputs are stored only where the account chose so, and only after the input was screened: before that it
 * may contain private values that the account's policy redacts.
 */
function contentOf({ inference, inputVerdict }: RequestTrace, caller: Caller, billingOutcome: BillingOutcome) {
  if (!caller.keepsContent || inference === undefined || inputVerdict === undefined) return undefined;
  return { input: textOf(inference.conversation), output: billingOutcome.output };
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** One of several segments of an answer, as it is stored. */
export interface SettledSegment extends ChargedUsage {
  readonly provider: string;
  readonly model: string;
  readonly priceVersion: string;
  /** The discount on the price, in ten-thousandths. */
  readonly discount: number;
  readonly usageSource: "provider" | "own";
  readonly cost: NanoCredits;
  readonly outcome: SegmentOutcome;
}

function settledSegment(charge: SegmentCharge): SettledSegment {
  const { model, quote } = charge.candidate;
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
