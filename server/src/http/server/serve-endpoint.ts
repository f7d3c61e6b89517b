import type { Caller } from "@trunkline/core/caller.ts";
import { type Cancellation, ClientDisconnected } from "@trunkline/core/cancellation.ts";
import { Fault, ServiceStopping } from "@trunkline/core/fault.ts";
import { faultFromSchemaError } from "@trunkline/core/field-schemas.ts";
import type { Part, Receipt } from "@trunkline/core/parts.ts";
import type { Services } from "../../app/services.ts";
import { ReplayedFault } from "../../ledger/billing/idempotent-run.ts";
import { admit, type ServedAnswer, serve } from "../../pipeline/serve.ts";
import { recordAuditEvent } from "../endpoints/audit.ts";
import { type ControlEndpoint, type Endpoint, JSON_TYPE, type PublicEndpoint, Reply } from "../endpoints/endpoint.ts";
import { HeaderLines } from "../endpoints/header-lines.ts";
import type { HttpReply, HttpRequest } from "../endpoints/http-request.ts";
import { isSameOrigin } from "../endpoints/identity/browser-session.ts";
import { type Dialect, toClientFault, trunklineDialect } from "../formats/dialect.ts";
import { parseJsonBody } from "../requests/parse-json-body.ts";
import { LARGE_TEXT_LENGTH, parseLargeJson } from "../requests/parse-large-json.ts";
import { discardBody, readBody, readBytes } from "../requests/read-body.ts";
import { dialectForUrl } from "./dialect-for-url.ts";
import { HttpExchange, InferenceExchange, type OpenStream } from "./incoming-request.ts";
import {
  addAnswerHeaders,
  addCommonHeaders,
  addFaultHeaders,
  addRateLimitHeaders,
  addTimingHeaders,
  commonHeaders,
  JSON_TYPE_LINE,
} from "./response-headers.ts";
import { acceptPayment, isUnpaid } from "./serve-paid.ts";
import { openStream } from "./stream-body.ts";

/** The handler of an endpoint. */
export function serveEndpoint(services: Services, endpoint: Endpoint) {
  const { backgroundWork } = services.lifecycle;
  // A client that disconnects closes its connection before the request is settled, so shutdown must wait for the handler.
  return endpoint.kind === "inference"
    ? (request: HttpRequest, reply: HttpReply): Promise<void> => {
        const exchange = new InferenceExchange(services, request, reply, endpoint);
        return isUnpaid(exchange) ? backgroundWork.track(servePaid(exchange)) : serveInference(exchange);
      }
    : (request: HttpRequest, reply: HttpReply): Promise<void> =>
        backgroundWork.track(serveOperation(new HttpExchange(services, request, reply, endpoint.path), endpoint));
}

/** A handler that only refuses. On paths that need a key, an unauthenticated client learns only that. */
export function serveFault(services: Services, faultFor: (request: HttpRequest) => Fault) {
  return async (request: HttpRequest, reply: HttpReply): Promise<void> => {
    const dialect = dialectForUrl(request.url);
    const exchange = new HttpExchange(services, request, reply);
    try {
      if (dialect !== undefined) await admit(services, exchange, undefined);
      throw faultFor(request);
    } catch (error) {
      sendFault(exchange, error, dialect);
    }
  };
}

async function serveOperation(exchange: HttpExchange, endpoint: ControlEndpoint | PublicEndpoint): Promise<void> {
  const { admissionQueue } = exchange.services.limits;
  admissionQueue.operations += 1;
  try {
    if (endpoint.kind === "control") await serveControl(exchange, endpoint);
    else await servePublic(exchange, endpoint);
  } catch (error) {
    sendFault(exchange, error, endpoint.dialect);
  } finally {
    admissionQueue.operations -= 1;
    exchange.services.observeRequest(exchange.trace, exchange.reply.raw.statusCode, exchange.request);
  }
}

async function serveControl(exchange: HttpExchange, endpoint: ControlEndpoint): Promise<void> {
  const { services, request } = exchange;
  const params = request.params as Record<string, string>;
  const caller = await admit(services, exchange, ({ person }) =>
    endpoint.ownPermission !== undefined && person?.id === params.id ? endpoint.ownPermission : endpoint.permission,
  );
  services.limits.admissionQueue.requireOperationPlace();
  const operationContext = {
    services: services.forAccount?.(caller.accountId) ?? services,
    caller,
    request,
    signal: exchange.cancellation.signal,
    incomingRequest: exchange,
    countBytes: (bytes: number) => exchange.countBytes(bytes),
    params,
    query: endpoint.query === undefined ? undefined : parseWithSchema(endpoint.query, request.query),
    body: await readControlBody(exchange, endpoint),
  };
  const result = await endpoint.handle(operationContext);
  await recordAuditEvent(endpoint, operationContext, result);
  sendReply(exchange, result instanceof Reply ? result : new Reply(endpoint.status, result));
}

/** These need no key, but a page of another site must not call them, for example to log a visitor in as another person. */
async function servePublic(exchange: HttpExchange, endpoint: PublicEndpoint): Promise<void> {
  const { services, request } = exchange;
  if (request.headers.origin !== undefined && !isSameOrigin(services, request)) {
    throw new Fault("cross_site", "A page of another site asked for this. Open the dashboard itself.");
  }
  services.limits.admissionQueue.requireOperationPlace();
  const result = await endpoint.handle({
    services,
    request,
    body: await readControlBody(exchange, endpoint),
  });
  sendReply(exchange, result instanceof Reply ? result : new Reply(endpoint.status, result));
}

/** Serves through the pipeline. Whether to stream is known once the body is read: a stream begins with its first part. */
function serveInference(exchange: InferenceExchange): Promise<void> {
  const { services, endpoint } = exchange;
  services.lifecycle.backgroundWork.begin();
  const send = endpoint.stream === undefined ? undefined : (parts: readonly Part[]) => sendParts(exchange, parts);
  return serve(services, exchange, send).then(
    (served) => answerInference(exchange, served),
    (error: unknown) => endInference(exchange, { error }),
  );
}

function sendParts(exchange: InferenceExchange, parts: readonly Part[]): void | Promise<void> {
  exchange.stream ??= beginStream(exchange);
  const { stream, reply, cancellation } = exchange;
  let frames = "";
  for (const part of parts) frames += stream?.writer.write(part) ?? "";
  // The cancellation notices that the client is gone, and ends the request.
  return reply.raw.destroyed ? untilAborted(cancellation) : stream?.body.write(frames);
}

/** Sends a whole answer, or the end of a stream. Returns a promise only where one of them has to wait. */
function answerInference(exchange: InferenceExchange, { answer, receipt }: ServedAnswer): void | Promise<void> {
  let failure: { readonly error: unknown } | undefined;
  try {
    const isStreamed = exchange.endpoint.stream !== undefined && exchange.trace.inference?.streaming === true;
    const sending = isStreamed ? endStream(exchange, receipt) : sendWhole(exchange, answer, receipt);
    if (sending !== undefined)
      return sending.then(
        () => endInference(exchange, undefined),
        (error: unknown) => endInference(exchange, { error }),
      );
  } catch (error) {
    failure = { error };
  }
  endInference(exchange, failure);
}

async function endStream(exchange: InferenceExchange, receipt: Receipt): Promise<void> {
  exchange.stream ??= beginStream(exchange);
  const { stream } = exchange;
  const finishing = stream?.writer.finish?.(receipt);
  const last = finishing === undefined ? stream?.writer.write(receipt) : await finishing;
  stream?.body.end(last ?? "");
}

/** Serves a request without a key that comes with a payment, or says what it costs. */
async function servePaid(exchange: InferenceExchange): Promise<void> {
  let caller: Caller;
  try {
    caller = await acceptPayment(exchange);
  } catch (error) {
    sendFault(exchange, error, exchange.endpoint.dialect);
    exchange.services.observeRequest(exchange.trace, exchange.reply.raw.statusCode, exchange.request);
    return;
  }
  try {
    exchange.admitted = caller;
    exchange.trace.caller = caller;
    await serveInference(exchange);
  } finally {
    await exchange.services.x402?.end(caller);
  }
}

/** Returns a promise only where the answer is kept before it is sent. */
function sendWhole(
  exchange: InferenceExchange,
  answer: ServedAnswer["answer"],
  receipt: Receipt,
): void | Promise<void> {
  const { endpoint, trace, requestBody, context } = exchange;
  const { parts, text, media } = answer;
  const whole = endpoint.whole?.({ parts, text, media, receipt, trace, requestBody, context });
  if (whole instanceof Promise) return whole.then((kept: unknown) => sendBody(exchange, kept, receipt));
  sendBody(exchange, whole, receipt);
}

function sendBody(exchange: InferenceExchange, whole: unknown, receipt: Receipt): void {
  sendReply(exchange, whole instanceof Reply ? whole : new Reply(200, whole), receipt);
}

/** Answers a failure, and lets shutdown go on. Only a fault in our own code is left to the reply. */
function endInference(exchange: InferenceExchange, failure: { readonly error: unknown } | undefined): void {
  const { services, reply, trace } = exchange;
  try {
    try {
      if (failure !== undefined) failInference(exchange, failure.error);
    } finally {
      services.observeRequest(trace, reply.raw.statusCode, exchange.request);
    }
  } catch (error) {
    reply.fail(error);
  } finally {
    services.lifecycle.backgroundWork.end();
  }
}

function failInference(exchange: InferenceExchange, error: unknown): void {
  const { services, endpoint, trace, cancellation, stream } = exchange;
  // Until a stream has begun, a fault keeps its own status.
  if (stream === undefined) {
    sendFault(exchange, error, endpoint.dialect);
    return;
  }
  if (hasDisconnected(cancellation)) {
    stream.body.end("");
    return;
  }
  const fault = asFault(services, abortReasonOr(error, cancellation), trace.requestId);
  trace.faultType = fault.type;
  stream.body.end(stream.writer.fail(fault, requestIdOf(fault, trace.requestId)));
}

function beginStream({
  services,
  request,
  reply,
  endpoint,
  trace,
  requestBody,
  context,
}: InferenceExchange): OpenStream | undefined {
  const writer = endpoint.stream?.(request, trace, requestBody, context);
  if (writer === undefined) return undefined;
  reply.hijack();
  const headers = new HeaderLines();
  headers.addLines(`content-type: ${writer.contentType}\r\nx-accel-buffering: no\r\n`);
  addCommonHeaders(headers, request, trace.requestId);
  addRateLimitHeaders(headers, services, trace);
  addTimingHeaders(headers, trace);
  addAnswerHeaders(headers, trace);
  return { writer, body: openStream(reply.raw, headers, services.config.limits.writeWaitMs) };
}

function untilAborted(cancellation: Cancellation): Promise<void> {
  return new Promise((resolve) => {
    if (cancellation.aborted) resolve();
    else cancellation.addEventListener("abort", resolve);
  });
}

/** Sends a whole answer. With a receipt it is one of the pipeline. */
function sendReply({ services, request, reply, trace }: HttpExchange, answer: Reply, receipt?: Receipt): void {
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
function sendFault(
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

function hasDisconnected({ reason }: Cancellation): boolean {
  return reason instanceof ClientDisconnected;
}

/** A request that the service itself aborted gets this fault, whatever error the abort caused inside. */
function abortReasonOr(error: unknown, cancellation: Cancellation): unknown {
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

function requestIdOf(fault: Fault, requestId: string): string {
  return fault instanceof ReplayedFault ? fault.requestId : requestId;
}

/** Unauthenticated clients may send no more than our own pages need; a passkey's attestation is the largest body. */
const PUBLIC_BODY_BYTES_MAX = 64 * 1024;
/** Signed events of other services are larger. */
const RAW_BODY_BYTES_MAX = 256 * 1024;

async function readControlBody(exchange: HttpExchange, endpoint: ControlEndpoint | PublicEndpoint): Promise<unknown> {
  if (endpoint.body === undefined) return undefined;
  const { services, request } = exchange;
  const { bodyBytes, attachmentBodyBytes, bodyWaitMs } = services.config.limits;
  const isAbsent =
    request.headers["content-length"] === "0" ||
    !(request.headers["content-length"] || request.headers["transfer-encoding"]);
  if (endpoint.bodyOptional === true && isAbsent) return {};
  const knownBytes = endpoint.allowsLargeBody === true ? attachmentBodyBytes : bodyBytes;
  const isRaw = endpoint.kind === "open" && endpoint.rawBody === true;
  const publicBytes = Math.min(bodyBytes, isRaw ? RAW_BODY_BYTES_MAX : PUBLIC_BODY_BYTES_MAX);
  if (endpoint.kind === "open" && endpoint.acceptsForm === true && isForm(request)) {
    const bytes = await readBytes(request.raw, publicBytes, bodyWaitMs, exchange);
    return parseWithSchema(endpoint.body, Object.fromEntries(new URLSearchParams(bytes.toString("utf8"))));
  }
  const text = await readBody(request.raw, endpoint.kind === "open" ? publicBytes : knownBytes, bodyWaitMs, exchange);
  if (isRaw) return text;
  const body = text.length > LARGE_TEXT_LENGTH ? await parseLargeJson(text) : parseJsonBody(text);
  return endpoint.skipBodyValidation === true ? body : parseWithSchema(endpoint.body, body);
}

function isForm({ headers }: HttpRequest): boolean {
  return /^application\/x-www-form-urlencoded *(;|$)/i.test(headers["content-type"] ?? "");
}

function parseWithSchema(schema: NonNullable<Endpoint["body"]>, value: unknown): unknown {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (!parsed.success) throw faultFromSchemaError(parsed.error);
  return parsed.data;
}
