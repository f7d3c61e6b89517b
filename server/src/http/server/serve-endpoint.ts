import type { ServerResponse } from "node:http";
import { Fault } from "@trunkline/core/fault.ts";
import { faultFromSchemaError } from "@trunkline/core/field-schemas.ts";
import type { Part, Receipt } from "@trunkline/core/parts.ts";
import { parseStrictJson } from "@trunkline/core/strict-json.ts";
import type { Services } from "../../app/services.ts";
import { ReplayedFault } from "../../ledger/billing/idempotent-run.ts";
import { rejectWhenOverloaded } from "../../ledger/limits/rate-limiter.ts";
import { admit, type IncomingRequest, serve } from "../../pipeline/serve.ts";
import { recordAuditEvent } from "../endpoints/audit.ts";
import {
  type ControlEndpoint,
  type Endpoint,
  type InferenceEndpoint,
  type PublicEndpoint,
  Reply,
  type StreamWriter,
} from "../endpoints/endpoint.ts";
import type { HttpReply, HttpRequest } from "../endpoints/http-request.ts";
import { isSameOrigin } from "../endpoints/identity/browser-session.ts";
import { type Dialect, trunklineDialect } from "../formats/dialect.ts";
import { readBody } from "../requests/read-body.ts";
import { dialectForUrl } from "./endpoint-registry.ts";
import { ClientDisconnected, toIncomingInference, toIncomingRequest } from "./incoming-request.ts";
import { answerHeaders, commonHeaders, faultHeaders, rateLimitHeaders, timingHeaders } from "./response-headers.ts";

/** One HTTP exchange: the request and its reply. */
interface Exchange {
  readonly services: Services;
  readonly request: HttpRequest;
  readonly reply: HttpReply;
  readonly incomingRequest: IncomingRequest;
}

/** Fastify's handler for an endpoint. */
export function serveEndpoint(services: Services, endpoint: Endpoint) {
  const handle = async (request: HttpRequest, reply: HttpReply): Promise<void> => {
    const incomingRequest = toIncomingRequest(services, request, reply, endpoint.dialect, endpoint.path);
    const exchange = { services, request, reply, incomingRequest };
    try {
      if (endpoint.kind === "control") await serveControl(exchange, endpoint);
      else if (endpoint.kind === "open") await servePublic(exchange, endpoint);
      else await serveInference(exchange, endpoint);
    } catch (error) {
      sendFault(exchange, error, endpoint.dialect);
    } finally {
      services.metrics.observe(exchange.incomingRequest.trace, reply.raw.statusCode);
    }
  };
  // A client that disconnects closes its connection before the request is settled, so shutdown must wait for the handler.
  return (request: HttpRequest, reply: HttpReply): Promise<void> =>
    services.lifecycle.backgroundWork.track(handle(request, reply));
}

/** A handler that only refuses. On paths that need a key, an unauthenticated client learns only that. */
export function serveFault(services: Services, faultFor: (request: HttpRequest) => Fault) {
  return async (request: HttpRequest, reply: HttpReply): Promise<void> => {
    const dialect = dialectForUrl(request.url);
    const exchange = {
      services,
      request,
      reply,
      incomingRequest: toIncomingRequest(services, request, reply, dialect),
    };
    try {
      if (dialect !== undefined) await admit(services, exchange.incomingRequest, undefined);
      throw faultFor(request);
    } catch (error) {
      sendFault(exchange, error, dialect);
    }
  };
}

async function serveControl(exchange: Exchange, endpoint: ControlEndpoint): Promise<void> {
  const { services, request, incomingRequest } = exchange;
  const params = request.params as Record<string, string>;
  const caller = await admit(services, incomingRequest, ({ person }) =>
    endpoint.ownPermission !== undefined && person?.id === params.id ? endpoint.ownPermission : endpoint.permission,
  );
  const operationContext = {
    services,
    caller,
    request,
    signal: incomingRequest.signal,
    incomingRequest,
    params,
    query: endpoint.query === undefined ? undefined : parseWithSchema(endpoint.query, request.query),
    body: await readControlBody(services, request, endpoint),
  };
  const result = await endpoint.handle(operationContext);
  await recordAuditEvent(endpoint, operationContext, result);
  sendReply(exchange, result instanceof Reply ? result : new Reply(endpoint.status, result));
}

/** These need no key, but a page of another site must not call them, for example to log a visitor in as another person. */
async function servePublic(exchange: Exchange, endpoint: PublicEndpoint): Promise<void> {
  const { services, request } = exchange;
  if (request.headers.origin !== undefined && !isSameOrigin(services, request)) {
    throw new Fault("cross_site", "A page of another site asked for this. Open the dashboard itself.");
  }
  rejectWhenOverloaded(services.lifecycle.inFlight.size, services.config.limits.concurrentRequests);
  const result = await endpoint.handle({
    services,
    request,
    body: await readControlBody(services, request, endpoint),
  });
  sendReply(exchange, result instanceof Reply ? result : new Reply(endpoint.status, result));
}

/** Serves through the pipeline. Whether to stream is known once the body is read: a stream begins with its first part. */
async function serveInference(exchange: Exchange, endpoint: InferenceEndpoint): Promise<void> {
  const { services, request, reply } = exchange;
  let requestBody: unknown;
  const incomingInference = toIncomingInference(services, exchange.incomingRequest, request, endpoint, (body) => {
    requestBody = body;
  });
  const { trace, signal } = incomingInference;
  const { raw } = reply;
  let writer: StreamWriter | undefined;
  const send = (parts: readonly (Part | Receipt)[]): void | Promise<void> => {
    writer ??= beginStream(exchange, endpoint, requestBody);
    let frames = "";
    for (const part of parts) frames += writer?.write(part) ?? "";
    // The signal notices that the client is gone, and ends the request.
    return raw.destroyed ? untilAborted(signal) : writeFrame(raw, frames);
  };
  try {
    const { answer, receipt } = await serve(
      services,
      incomingInference,
      endpoint.stream === undefined ? undefined : send,
    );
    if (endpoint.stream !== undefined && trace.inference?.streaming === true) {
      await send([receipt]);
      raw.end();
      return;
    }
    const { parts, text, media } = answer;
    const whole = endpoint.whole?.({ parts, text, media, receipt, trace, requestBody });
    const extra = Object.assign(timingHeaders(trace), answerHeaders(trace, receipt));
    sendReply(exchange, whole instanceof Reply ? whole : new Reply(200, whole), extra);
  } catch (error) {
    // Until a stream has begun, a fault keeps its own status.
    if (writer === undefined) throw error;
    if (!hasDisconnected(signal)) {
      const fault = asFault(services, abortReasonOr(error, signal), trace.requestId);
      raw.write(writer.fail(fault, requestIdOf(fault, trace.requestId)));
    }
    raw.end();
  }
}

function beginStream(
  { services, request, reply, incomingRequest: { trace } }: Exchange,
  endpoint: InferenceEndpoint,
  requestBody: unknown,
): StreamWriter | undefined {
  const writer = endpoint.stream?.(request, trace, requestBody);
  if (writer === undefined) return undefined;
  reply.hijack();
  reply.raw.writeHead(200, {
    "content-type": writer.contentType,
    "x-accel-buffering": "no",
    ...commonHeaders(request, trace.requestId),
    ...rateLimitHeaders(services, trace),
    ...timingHeaders(trace),
    ...answerHeaders(trace),
  });
  return writer;
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function sendReply(
  { services, request, reply, incomingRequest }: Exchange,
  answer: Reply,
  extra: Record<string, string> = {},
): void {
  reply
    .code(answer.status)
    .headers(
      Object.assign(
        commonHeaders(request, incomingRequest.trace.requestId),
        rateLimitHeaders(services, incomingRequest.trace),
        extra,
      ),
    );
  if (answer.status === 204) return void reply.headers(answer.headers).send();
  const { body } = answer;
  const isSerialised = typeof body === "string" || Buffer.isBuffer(body);
  reply
    .headers(answer.headers)
    .header("content-type", answer.contentType)
    .send(isSerialised ? body : JSON.stringify(body));
}

/** The only place that turns a thrown error into a response. */
function sendFault(
  { services, request, reply, incomingRequest }: Exchange,
  error: unknown,
  dialect: Dialect = trunklineDialect,
): void {
  const { trace: requestTrace, signal } = incomingRequest;
  if (hasDisconnected(signal) || reply.raw.headersSent) return void reply.raw.destroy();
  const fault = asFault(services, abortReasonOr(error, signal), requestTrace.requestId);
  discardBody(request, reply, fault);
  reply
    .code(fault.status)
    .headers({
      ...commonHeaders(request, requestTrace.requestId),
      ...(dialectForUrl(request.url) !== undefined ? rateLimitHeaders(services, requestTrace) : {}),
      ...(requestTrace.inference === undefined ? {} : timingHeaders(requestTrace)),
      ...faultHeaders(fault),
    })
    .header("content-type", "application/json; charset=utf-8")
    .send(JSON.stringify(dialect.errorBody(fault, requestIdOf(fault, requestTrace.requestId))));
}

/** An unread body larger than this closes the connection instead of being read to its end. */
const DISCARD_BYTES_MAX = 32 * 1024 * 1024;

/** Reads and drops the rest of a body. A client that is still sending would miss the answer if the connection just closed. */
function discardBody(request: HttpRequest, reply: HttpReply, fault: Fault): void {
  if (request.raw.complete) return;
  const isLarge = Number(request.headers["content-length"] ?? 0) > DISCARD_BYTES_MAX;
  // A client that was too slow with its body is not waited for again.
  if (isLarge || fault.type === "request_timeout") reply.header("connection", "close");
  else request.raw.resume();
}

function hasDisconnected(signal: AbortSignal): boolean {
  return signal.reason instanceof ClientDisconnected;
}

/** A request that the service itself aborted gets this fault, whatever error the abort caused inside. */
function abortReasonOr(error: unknown, signal: AbortSignal): unknown {
  if (!signal.aborted) return error;
  return new Fault("unavailable", "The service is stopping. What was delivered is charged; send the request again.", {
    retryAfterSeconds: 1,
  });
}

/** Any error other than a fault is a bug. It is logged in full and never shown to the client. */
function asFault(services: Services, error: unknown, requestId: string): Fault {
  if (error instanceof Fault) {
    if (error.type === "internal")
      services.log.error({ requestId, error: error.cause }, "Unexpected error in a request.");
    if (error.type === "unavailable") services.warnThrottled(error.cause, "The database is unavailable.", requestId);
    return error;
  }
  services.log.error({ requestId, error }, "Unexpected error in a request.");
  return new Fault("internal", "Something went wrong on our side. It is logged under this request's id.");
}

function requestIdOf(fault: Fault, requestId: string): string {
  return fault instanceof ReplayedFault ? fault.requestId : requestId;
}

/** Unauthenticated clients may send no more than our own pages need; a passkey's attestation is the largest body. */
const PUBLIC_BODY_BYTES_MAX = 64 * 1024;

async function readControlBody(
  services: Services,
  request: HttpRequest,
  endpoint: ControlEndpoint | PublicEndpoint,
): Promise<unknown> {
  if (endpoint.body === undefined) return undefined;
  const { bodyBytes, attachmentBodyBytes, bodyWaitMs } = services.config.limits;
  const isAbsent =
    request.headers["content-length"] === "0" ||
    !(request.headers["content-length"] || request.headers["transfer-encoding"]);
  if (endpoint.bodyOptional === true && isAbsent) return {};
  const knownBytes = endpoint.allowsLargeBody === true ? attachmentBodyBytes : bodyBytes;
  const limitBytes = endpoint.kind === "open" ? Math.min(bodyBytes, PUBLIC_BODY_BYTES_MAX) : knownBytes;
  const body = parseStrictJson(await readBody(request.raw, limitBytes, bodyWaitMs));
  return endpoint.skipBodyValidation === true ? body : parseWithSchema(endpoint.body, body);
}

function parseWithSchema(schema: NonNullable<Endpoint["body"]>, value: unknown): unknown {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (!parsed.success) throw faultFromSchemaError(parsed.error);
  return parsed.data;
}

/** Writes a piece of a stream. Returns a promise where the client reads more slowly than it is written. */
function writeFrame(raw: ServerResponse, frame: string): void | Promise<void> {
  if (frame !== "" && !raw.write(frame)) return untilDrained(raw);
}

function untilDrained(raw: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      raw.off("drain", done).off("close", done);
      resolve();
    };
    raw.on("drain", done).on("close", done);
  });
}
