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
import type { ChargedUsage } from "@trunkline/core/usage.ts";
import { intendedAction, type Opinion, type Verdict } from "@trunkline/core/verdict.ts";
import { NO_TOTAL_CHARGE, type SegmentCharge, type TotalCharge } from "./answer-segments.ts";
import { numberToJson, roundedToJson, textsToJson, textToJson } from "./json-text.ts";
import { routingRecord } from "./routing-record.ts";

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
  readonly latencyMs: number;
  /** JSON. */
  readonly detail: string;
  readonly idempotent: IdempotentAnswer | undefined;
  /** The discount on the price, in ten-thousandths. */
  readonly discount: number;
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
      billingOutcome.fault?.status ?? (billingOutcome.hungUp && charge.source === "none" ? CLIENT_CLOSED_REQUEST : 200),
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
    latencyMs: requestTrace.elapsedMs,
    detail: detailOf(requestTrace, caller, billingOutcome),
    idempotent: billingOutcome.idempotent,
    discount: isHit || legs.length > 0 ? 0 : (candidate?.quote.discount ?? 0),
    legs,
  };
}

/** A failure counts against the model that failed last, though it never answered. */
function lastAttempted({ route, attempts }: RequestTrace): Candidate | undefined {
  const name = attempts.at(-1)?.model;
  return route?.ranking.find(({ candidate }) => fullNameOf(candidate.model) === name)?.candidate;
}

/** A request that was refused before any hold. It is recorded, never charged. */
export function unchargedSettlement(requestTrace: RequestTrace, caller: Caller, fault: Fault): Settlement {
  return settlementOf(requestTrace, caller, {
    fault,
    hungUp: false,
    charge: NO_TOTAL_CHARGE,
    held: 0n,
    budget: undefined,
    output: "",
    idempotent: undefined,
  });
}

/** The record's `detail` column: JSON, written as text since every request has one. Usual values are left out. */
function detailOf(requestTrace: RequestTrace, caller: Caller, billingOutcome: BillingOutcome): string {
  const { attempts, route, chosen, inference, cache } = requestTrace;
  let json = '{"attempts":[';
  for (let index = 0; index < attempts.length; index++) {
    const attempt = attempts[index];
    if (attempt !== undefined) json += index === 0 ? attemptToJson(attempt) : `,${attemptToJson(attempt)}`;
  }
  json += "]";
  if (route !== undefined) json += `,"routing":${routingRecord(route, chosen)}`;
  json += `,"safety":{"input":${verdictToJson(requestTrace.inputVerdict)},"output":${verdictToJson(requestTrace.outputVerdict)}}`;
  json += `,"timings":${timingsToJson(requestTrace)}`;
  if (billingOutcome.charge.audioSource !== undefined) json += `,"audio_source":"${billingOutcome.charge.audioSource}"`;
  const ownKey = (chosen ?? lastAttempted(requestTrace))?.model.ownKey;
  if (ownKey !== undefined) json += `,"own_key":${ownKey}`;
  if (billingOutcome.idempotent !== undefined) json += ',"idempotent":true';
  if (cache !== undefined) json += `,"cache":${JSON.stringify(cacheOf(cache))}`;
  if (inference?.batch !== undefined) json += `,"batch":${JSON.stringify(inference.batch)}`;
  const dropped = droppedFields(requestTrace);
  if (dropped.length > 0) json += `,"dropped":${textsToJson(dropped)}`;
  if (inference?.streaming === true) json += ',"streamed":true';
  if (billingOutcome.hungUp) json += ',"client_hung_up":true';
  if (billingOutcome.fault !== undefined) json += `,"error":${textToJson(billingOutcome.fault.message)}`;
  const content = contentOf(requestTrace, caller, billingOutcome);
  // Last: a reader that must not see it cuts it off.
  return content === undefined ? `${json}}` : `${json},"content":${JSON.stringify(content)}}`;
}

/** The ignored fields of the request. */
function droppedFields({ inference, unsupportedFields }: RequestTrace): readonly string[] {
  const dropped = inference?.dropped;
  return dropped === undefined || dropped.length === 0 ? unsupportedFields : [...dropped, ...unsupportedFields];
}

function cacheOf(cache: CacheOutcome) {
  if (cache.result !== "hit") return cache;
  const { result, match, similarity, ageSeconds, requestId, model } = cache;
  return { result, match, similarity, age_seconds: ageSeconds, request_id: requestId, model };
}

function attemptToJson({ model, outcome, kind, reason, said, ms, firstPartMs }: Attempt): string {
  let json = `{"model":${textToJson(model)},"outcome":"${outcome}"`;
  if (kind !== undefined) json += `,"kind":"${kind}"`;
  json += `,"reason":${textToJson(reason)}`;
  if (said !== undefined) json += `,"said":${textToJson(said)}`;
  json += `,"ms":${roundedToJson(ms)}`;
  return firstPartMs === undefined ? `${json}}` : `${json},"first_part_ms":${roundedToJson(firstPartMs)}}`;
}

function timingsToJson({ stages, stageMs }: RequestTrace): string {
  let json = "";
  for (let index = 0; index < stages.length; index++)
    json += `${index === 0 ? "" : ","}"${stages[index]}":${roundedToJson(stageMs[index] ?? 0)}`;
  return `{${json}}`;
}

/**
 * Prompts and outputs are stored only where the account chose so, and only after the input was screened: before that it
 * may contain private values that the account's policy redacts.
 */
function contentOf({ inference, inputVerdict }: RequestTrace, caller: Caller, billingOutcome: BillingOutcome) {
  if (!caller.keepsContent || inference === undefined || inputVerdict === undefined) return undefined;
  return { input: textOf(inference.conversation), output: billingOutcome.output };
}

function verdictToJson(verdict: Verdict | undefined): string {
  if (verdict === undefined) return "null";
  const { acted, decidedBy, spans, redacted, normalised } = verdict;
  const isFound = verdict.flagged || redacted !== undefined;
  let json = `{"action":"${isFound ? intendedAction(verdict) : verdict.action}","categories":${categoriesToJson(verdict.categories)}`;
  if (isFound) {
    if (acted !== undefined) json += `,"acted":${JSON.stringify(acted)}`;
    // Kind and position only: the text itself may be private.
    if (spans.length > 0) json += `,"spans":${JSON.stringify(spans)}`;
    if (redacted !== undefined) json += `,"redacted":${JSON.stringify(redacted)}`;
    if (normalised.length > 0) json += `,"normalised":${JSON.stringify(normalised)}`;
  }
  if (verdict.dryRun !== undefined) json += ',"dry_run":true';
  if (isFound && decidedBy !== undefined) json += `,"policy":"${decidedBy}"`;
  if (verdict.opinions !== undefined) json += `,"judge":${JSON.stringify(verdict.opinions.map(opinionOf))}`;
  return `${json}}`;
}

/** The scores above zero. */
function categoriesToJson(categories: Verdict["categories"]): string {
  let json = "";
  for (const category in categories) {
    const score = categories[category] ?? 0;
    if (score > 0) json += `${json === "" ? "" : ","}${textToJson(category)}:${numberToJson(score)}`;
  }
  return `{${json}}`;
}

function opinionOf({ result, why, doubts, said, ms, remembered }: Opinion) {
  return { result, why, doubts, said, ms: Math.round(ms * 1000) / 1000, remembered };
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
