import type { Fault } from "@trunkline/core/fault.ts";
import { formatCreditsNumber } from "@trunkline/core/money.ts";
import type { Receipt } from "@trunkline/core/parts.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import { whyFirst } from "@trunkline/router/report/why-first.ts";
import type { Services } from "../../app/services.ts";
import { JSON_TYPE } from "../endpoints/endpoint.ts";
import { HeaderLines } from "../endpoints/header-lines.ts";
import type { HttpRequest } from "../endpoints/http-request.ts";
import { CACHE_HEADER } from "../requests/read-routing-options.ts";
import { answeringModels, nameOfAnswering } from "../responses/answer.ts";
import { dialectForUrl } from "./dialect-for-url.ts";

/** The line of the content type of most answers. */
export const JSON_TYPE_LINE = `content-type: ${JSON_TYPE}\r\n`;

type RequestHead = Pick<HttpRequest, "headers" | "url">;

/** The headers of every response, to which the others are added. */
export function commonHeaders(request: RequestHead, requestId: string): HeaderLines {
  const lines = new HeaderLines();
  addCommonHeaders(lines, request, requestId);
  return lines;
}

export function addCommonHeaders(lines: HeaderLines, { headers, url }: RequestHead, requestId: string): void {
  lines.addLines(`x-request-id: ${requestId}\r\ncache-control: no-store\r\nx-content-type-options: nosniff\r\n`);
  const own = headers["x-client-request-id"];
  const usual = headers["x-request-id"];
  if (own !== undefined && isEchoable(own)) lines.add("x-client-request-id", own);
  else if (usual !== undefined && isEchoable(usual)) lines.add("x-client-request-id", usual);
  // A page that has no key learns only that it needs one: cookies do not come with such requests.
  if (headers.origin !== undefined)
    lines.addLines("access-control-allow-origin: *\r\naccess-control-expose-headers: *\r\nvary: origin\r\n");
  const name = dialectForUrl(url)?.requestIdHeader;
  if (name !== undefined) lines.add(name, requestId);
}

/** A client's own id is only echoed, so it only has to be safe in a header. */
function isEchoable(value: unknown): value is string {
  return typeof value === "string" && /^[\x21-\x7e]{1,128}$/.test(value);
}

/** The state of the key's rate limit. For unauthenticated clients: the unused default policy. */
export function addRateLimitHeaders(lines: HeaderLines, services: Services, requestTrace: RequestTrace): void {
  const state = requestTrace.rateLimit ?? services.limits.rateLimiter.defaultState();
  lines.addLines(`${policyLine(state.limit, state.windowSeconds)}${state.left};t=${state.resetSeconds}\r\n`);
}

let lastLimit = Number.NaN;
let lastWindowSeconds = Number.NaN;
let lastPolicyLine = "";

/** The line of a key's policy and the beginning of the next one. Nearly all keys have the same policy. */
function policyLine(limit: number, windowSeconds: number): string {
  if (limit !== lastLimit || windowSeconds !== lastWindowSeconds) {
    lastPolicyLine = `ratelimit-policy: "default";q=${limit};w=${windowSeconds}\r\nratelimit: "default";r=`;
    lastLimit = limit;
    lastWindowSeconds = windowSeconds;
  }
  return lastPolicyLine;
}

/** How long the gateway itself took so far, how long it waited for providers, and how long settling took. */
export function addTimingHeaders(lines: HeaderLines, requestTrace: RequestTrace): void {
  const provider = requestTrace.providerMs;
  const guardrail = requestTrace.guardrailMs;
  const gateway = Math.max(0, requestTrace.elapsedMs - provider - guardrail);
  const settle = requestTrace.settleMs === undefined ? "" : `, settle;dur=${requestTrace.settleMs.toFixed(3)}`;
  const hooks = guardrail === 0 ? "" : `, guardrail;dur=${guardrail.toFixed(3)}`;
  lines.addLines(
    `server-timing: gateway;dur=${gateway.toFixed(3)}, provider;dur=${provider.toFixed(3)}${hooks}${settle}\r\n`,
  );
  if (requestTrace.replayed) lines.addLines("idempotent-replayed: true\r\n");
}

/** A client can send any number of unknown fields; the header lists no more than these. */
const LISTED_FIELDS_MAX = 32;

/**
 * Facts that a format's body may have no field for: the answering models, why the first was first, the cost where it is known before the answer
 * is sent, the cache's result, and the fields of the request that were ignored.
 */
export function addAnswerHeaders(lines: HeaderLines, requestTrace: RequestTrace, receipt?: Receipt): void {
  const model = receipt?.model ?? requestTrace.replayOf?.model ?? requestTrace.chosen?.model;
  const models = receipt === undefined ? undefined : answeringModels(receipt);
  if (model !== undefined) lines.addRepeated("x-trunkline-model", nameOfAnswering(model, requestTrace));
  if (models !== undefined) lines.add("x-trunkline-models", models.join(", "));
  if (requestTrace.route !== undefined) lines.addRepeated("x-trunkline-why", whyFirst(requestTrace.route));
  if (receipt !== undefined) lines.addLines(`x-trunkline-cost: ${formatCreditsNumber(receipt.cost)}\r\n`);
  const cache = cacheHeader(requestTrace);
  if (cache !== undefined) lines.add(CACHE_HEADER, cache);
  const dropped = droppedFieldsHeader(requestTrace);
  if (dropped !== undefined) lines.add("x-trunkline-dropped", dropped);
}

/** Whether the answer came from the cache, for requests that allowed it. */
function cacheHeader({ cache }: RequestTrace): string | undefined {
  if (cache === undefined) return undefined;
  if (cache.result === "miss") return "miss";
  // Truncated, not rounded: 0.9996 must not be shown as 1.
  const similarity =
    cache.similarity === undefined ? "" : `; similarity=${(Math.floor(cache.similarity * 1000) / 1000).toFixed(3)}`;
  return `hit; age=${cache.ageSeconds}; match=${cache.match}${similarity}`;
}

const NO_FIELDS: readonly string[] = [];

function droppedFieldsHeader({ inference, unsupportedFields }: RequestTrace): string | undefined {
  const byFormat = inference?.dropped ?? NO_FIELDS;
  if (byFormat.length === 0 && unsupportedFields.length === 0) return undefined;
  const dropped = new Set([...byFormat, ...unsupportedFields]);
  const listed = [...dropped].filter((field) => /^[\w.:[\]-]{1,64}$/.test(field)).slice(0, LISTED_FIELDS_MAX);
  return listed.length < dropped.size ? [...listed, "..."].join(", ") : listed.join(", ");
}

/** The headers of an error response that depend on its fault. */
export function addFaultHeaders(lines: HeaderLines, fault: Fault): void {
  const { retryAfterSeconds, allow, paymentRequired } = fault.details;
  if (fault.status === 401) lines.add("www-authenticate", "Bearer");
  if (retryAfterSeconds !== undefined) lines.add("retry-after", String(Math.max(1, Math.ceil(retryAfterSeconds))));
  if (allow !== undefined) lines.add("allow", allow.join(", "));
  if (paymentRequired !== undefined) lines.add("payment-required", paymentRequired);
}
