import type { Fault } from "@trunkline/core/fault.ts";
import { fullNameOf } from "@trunkline/core/model.ts";
import { formatCreditsNumber } from "@trunkline/core/money.ts";
import type { Receipt } from "@trunkline/core/parts.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { FastifyRequest } from "fastify";
import type { Services } from "../../app/services.ts";
import { CACHE_HEADER } from "../requests/read-routing-options.ts";
import { answeringModels } from "../responses/answer.ts";
import { dialectForUrl } from "./endpoint-registry.ts";

type HeaderFields = Record<string, string>;

/** The headers that every answer has. */
export function commonHeaders(request: FastifyRequest, requestId: string): HeaderFields {
  const echoed = [request.headers["x-client-request-id"], request.headers["x-request-id"]].find(isEchoable);
  return {
    "x-request-id": requestId,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...(echoed === undefined ? {} : { "x-client-request-id": echoed }),
    ...dialectForUrl(request.url)?.headersOf?.(requestId),
  };
}

/** A client's own id is only ever told back, so it only has to be harmless. */
function isEchoable(value: unknown): value is string {
  return typeof value === "string" && /^[\x21-\x7e]{1,128}$/.test(value);
}

/** Where the key stands with its rate limit. On an answer to a stranger: the default policy, untouched. */
export function rateLimitHeaders(services: Services, requestTrace: RequestTrace): HeaderFields {
  const state = requestTrace.rateLimit ?? services.rateLimiter.defaultState();
  return {
    "ratelimit-policy": `"default";q=${state.limit};w=${state.windowSeconds}`,
    ratelimit: `"default";r=${state.left};t=${state.resetSeconds}`,
  };
}

/** What the gateway itself took of the time so far, what it waited for providers, and which part of its own was the charge. */
export function timingHeaders(requestTrace: RequestTrace): HeaderFields {
  const provider = requestTrace.providerMs;
  const gateway = Math.max(0, requestTrace.elapsedMs - provider);
  const settle = requestTrace.settleMs === undefined ? "" : `, settle;dur=${requestTrace.settleMs.toFixed(3)}`;
  return {
    "server-timing": `gateway;dur=${gateway.toFixed(3)}, provider;dur=${provider.toFixed(3)}${settle}`,
    ...(requestTrace.replayed ? { "idempotent-replayed": "true" } : {}),
  };
}

/** Header values hold no more than this: a list of fields may be as long as a client makes it. */
const LISTED_FIELDS_MAX = 32;

/**
 * What became of the request that its answer may have no place for: who gave it, what it cost where that is known before
 * the answer is sent, and which fields nothing was made of.
 */
export function answerHeaders(requestTrace: RequestTrace, receipt?: Receipt): HeaderFields {
  const model = receipt?.model ?? requestTrace.replayOf?.model ?? requestTrace.chosen?.model;
  const models = receipt === undefined ? undefined : answeringModels(receipt);
  return {
    ...(model === undefined ? {} : { "x-trunkline-model": fullNameOf(model) }),
    ...(models === undefined ? {} : { "x-trunkline-models": models.join(", ") }),
    ...(receipt === undefined ? {} : { "x-trunkline-cost": formatCreditsNumber(receipt.cost) }),
    ...cacheHeaders(requestTrace),
    ...droppedFieldHeaders(requestTrace),
  };
}

/** Whether the answer was given before, for those who asked that it might be. */
function cacheHeaders({ cache }: RequestTrace): HeaderFields {
  if (cache === undefined) return {};
  if (cache.result === "miss") return { [CACHE_HEADER]: "miss" };
  // Cut off, not rounded: 0.9996 is not the same as 1.
  const similarity =
    cache.similarity === undefined ? "" : `; similarity=${(Math.floor(cache.similarity * 1000) / 1000).toFixed(3)}`;
  return { [CACHE_HEADER]: `hit; age=${cache.ageSeconds}; match=${cache.match}${similarity}` };
}

function droppedFieldHeaders({ inference, unsupportedFields: droppedByProvider }: RequestTrace): HeaderFields {
  const dropped = new Set([...(inference?.dropped ?? []), ...droppedByProvider]);
  if (dropped.size === 0) return {};
  const listed = [...dropped].filter((field) => /^[\w.:[\]-]{1,64}$/.test(field)).slice(0, LISTED_FIELDS_MAX);
  return {
    "x-trunkline-dropped": listed.length < dropped.size ? [...listed, "..."].join(", ") : listed.join(", "),
  };
}

/** What a refusal says besides its body. */
export function faultHeaders(fault: Fault): HeaderFields {
  const { retryAfterSeconds, allow } = fault.details;
  return {
    ...(fault.status === 401 ? { "www-authenticate": "Bearer" } : {}),
    ...(retryAfterSeconds === undefined ? {} : { "retry-after": String(Math.max(1, Math.ceil(retryAfterSeconds))) }),
    ...(allow === undefined ? {} : { allow: allow.join(", ") }),
  };
}
