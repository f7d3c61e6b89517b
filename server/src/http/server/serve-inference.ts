import type { Caller } from "@trunkline/core/caller.ts";
import type { Cancellation } from "@trunkline/core/cancellation.ts";
import { type CompletionListener, startStages } from "@trunkline/core/in-step.ts";
import type { Part, Receipt } from "@trunkline/core/parts.ts";
import type { Services } from "../../app/services.ts";
import { type ServedAnswer, serveInStages } from "../../pipeline/serve.ts";
import { type InferenceEndpoint, Reply } from "../endpoints/endpoint.ts";
import { HeaderLines } from "../endpoints/header-lines.ts";
import type { HttpReply, HttpRequest } from "../endpoints/http-request.ts";
import { InferenceExchange, type OpenStream } from "./incoming-request.ts";
import { addAnswerHeaders, addCommonHeaders, addRateLimitHeaders, addTimingHeaders } from "./response-headers.ts";
import { abortReasonOr, asFault, hasDisconnected, requestIdOf, sendFault, sendReply } from "./send-reply.ts";
import { acceptPayment, isUnpaid } from "./serve-paid.ts";
import { openStream } from "./stream-body.ts";

/** The handler of an endpoint of inferences, for a caller that does not wait for its end. */
export function startInferenceAt(services: Services, endpoint: InferenceEndpoint) {
  const { backgroundWork } = services.lifecycle;
  return (request: HttpRequest, reply: HttpReply): void => {
    const exchange = new InferenceExchange(services, request, reply, endpoint);
    if (isUnpaid(exchange)) void backgroundWork.track(servePaid(exchange));
    else startInference(exchange);
  };
}

/** The handler of such an endpoint, with a promise of its end. */
export function serveInferenceAt(services: Services, endpoint: InferenceEndpoint) {
  const { backgroundWork } = services.lifecycle;
  return (request: HttpRequest, reply: HttpReply): Promise<void> => {
    const exchange = new InferenceExchange(services, request, reply, endpoint);
    return isUnpaid(exchange) ? backgroundWork.track(servePaid(exchange)) : serveInference(exchange);
  };
}

/** Serves through the pipeline. Whether to stream is known once the body is read: a stream begins with its first part. */
function serveInference(exchange: InferenceExchange): Promise<void> {
  return new Promise((whenEnded) => startInference(exchange, whenEnded));
}

/** The same without a promise. */
function startInference(exchange: InferenceExchange, whenEnded?: () => void): void {
  const { services, endpoint } = exchange;
  services.lifecycle.backgroundWork.begin();
  const send = endpoint.stream === undefined ? undefined : (parts: readonly Part[]) => sendParts(exchange, parts);
  startStages(serveInStages(services, exchange, send), new InferenceEnd(exchange, whenEnded));
}

/** Answers an inference once it was served, or failed. */
class InferenceEnd implements CompletionListener<ServedAnswer> {
  readonly #exchange: InferenceExchange;
  readonly #whenEnded: (() => void) | undefined;

  constructor(exchange: InferenceExchange, whenEnded: (() => void) | undefined) {
    this.#exchange = exchange;
    this.#whenEnded = whenEnded;
  }

  completed(served: ServedAnswer): void {
    const sending = answerInference(this.#exchange, served);
    if (sending === undefined) this.#whenEnded?.();
    else void sending.then(this.#whenEnded);
  }

  failed(error: unknown): void {
    endInference(this.#exchange, { error });
    this.#whenEnded?.();
  }
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

/** Answers a failure, and lets shutdown go on. What our own code fails at here must end no other request. */
function endInference(exchange: InferenceExchange, failure: { readonly error: unknown } | undefined): void {
  const { services, reply, trace } = exchange;
  try {
    if (failure !== undefined) failInference(exchange, failure.error);
  } catch (error) {
    services.log.error({ requestId: trace.requestId, error }, "A request could not be answered.");
    reply.raw.destroy();
  }
  try {
    services.observeRequest(trace, reply.raw.statusCode, exchange.request);
  } catch (error) {
    services.log.error({ requestId: trace.requestId, error }, "A request could not be recorded.");
  }
  services.lifecycle.backgroundWork.end();
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
