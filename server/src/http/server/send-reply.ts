import { type Cancellation, ClientDisconnected } from "@trunkline/core/cancellation.ts";
import { Fault, ServiceStopping } from "@trunkline/core/fault.ts";
import type { Receipt } from "@trunkline/core/parts.ts";
import type { Services } from "../../app/services.ts";
import { ReplayedFault } from "../../ledger/billing/idempotent-run.ts";
import { JSON_TYPE, type Reply } from "../endpoints/endpoint.ts";
import { HeaderLines } from "../endpoints/header-lines.ts";
import type { HttpRequest } from "../endpoints/http-request.ts";
import { type Dialect, toClientFault, trunklineDialect } from "../formats/dialect.ts";
import { discardBody } from "../requests/read-body.ts";
import { dialectForUrl } from "./dialect-for-url.ts";
import type { HttpExchange } from "./incoming-request.ts";
import {
  addAnswerHeaders,
  addCommonHeaders,
  addFaultHeaders,
  addRateLimitHeaders,
  addTimingHeaders,
  commonHeaders,
  JSON_TYPE_LINE,
} from "./response-headers.ts";

/** Sends a whole answer. With a receipt it is one of the pipeline. */
export function sendReply({ services, request, reply, trace }: HttpExchange, answer: Reply, receipt?: Receipt): void {
  const headers = commonHeaders(request, trace.requestId);
  addRateLimitHeaders(headers, services, trace);
  if (receipt !== undefined) {
    addTimingHeaders(headers, trace);
    addAnswerHeaders(headers, trace, receipt);
  }
  for (const name in answer.headers) headers.add(name, answer.headers[name] ?? "");
  const { status, body, contentType } = answer;
  if (contentType === JSON_TYPE && status !== 204) headers.addLines(JSON_TYPE_LINE);
  else if (status !== 204) headers.add("content-type", contentType);
  const isSerialised = typeof body === "string" || Buffer.isBuffer(body);
  reply.send(status, headers, status === 204 ? "" : isSerialised ? body : JSON.stringify(body), answer.bytes);
}

/** The only place that turns a thrown error into a response. */
export function sendFault(
  { services, request, reply, trace, cancellation }: HttpExchange,
  error: unknown,
  dialect: Dialect = trunklineDialect,
): void {
  if (hasDisconnected(cancellation) || reply.raw.headersSent) return void reply.raw.destroy();
  const fault = toClientFault(asFault(services, abortReasonOr(error, cancellation), trace.requestId), dialect);
  trace.faultType = fault.type;
  const headers = new HeaderLines();
  if (closesUnreadBody(request, fault)) headers.add("connection", "close");
  addCommonHeaders(headers, request, trace.requestId);
  if (dialectForUrl(request.url) !== undefined) addRateLimitHeaders(headers, services, trace);
  if (trace.inference !== undefined) addTimingHeaders(headers, trace);
  addFaultHeaders(headers, fault);
  headers.addLines(JSON_TYPE_LINE);
  const body = JSON.stringify(dialect.errorBody(fault, requestIdOf(fault, trace.requestId)));
  reply.send(fault.status, headers, body);
}

/** An unread body larger than this closes the connection instead of being read to its end. */
const DISCARD_BYTES_MAX = 32 * 1024 * 1024;

/** Drops what follows of the body. Returns whether the connection must close with the answer. */
function closesUnreadBody({ raw, headers }: HttpRequest, fault: Fault): boolean {
  if (raw.complete) return false;
  const isLarge = Number(headers["content-length"] ?? 0) > DISCARD_BYTES_MAX;
  // A client that was too slow with its body is not waited for again.
  if (isLarge || fault.type === "request_timeout") return true;
  discardBody(raw);
  return false;
}

export function hasDisconnected({ reason }: Cancellation): boolean {
  return reason instanceof ClientDisconnected;
}

/** A request that the service itself aborted gets this fault, whatever error the abort caused inside. */
export function abortReasonOr(error: unknown, cancellation: Cancellation): unknown {
  if (!cancellation.aborted || isStopping(error)) return error;
  return new ServiceStopping();
}

/** Whether this is the fault of a service that stops, by itself or with what the request cost until then. */
function isStopping(error: unknown): boolean {
  return error instanceof ServiceStopping || (error instanceof Fault && error.cause instanceof ServiceStopping);
}

/** Any error other than a fault is a bug. It is logged in full and never shown to the client. */
export function asFault(services: Services, error: unknown, requestId: string): Fault {
  if (error instanceof Fault) {
    if (error.type === "internal")
      services.log.error({ requestId, error: error.cause }, "Unexpected error in a request.");
    if (error.type === "unavailable" && !isStopping(error))
      services.warnThrottled(error.cause, "The database is unavailable.", requestId);
    return error;
  }
  services.log.error({ requestId, error }, "Unexpected error in a request.");
  return new Fault("internal", "Something went wrong on our side. It is logged under this request's id.");
}

export function requestIdOf(fault: Fault, requestId: string): string {
  return fault instanceof ReplayedFault ? fault.requestId : requestId;
}
