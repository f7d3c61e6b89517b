import type { Part } from "@trunkline/core/answer.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { faultOfIssues } from "@trunkline/core/fault-of-issues.ts";
import type { Receipt } from "@trunkline/core/receipt.ts";
import { parseStrictJson } from "@trunkline/core/strict-json.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { House } from "../../app/services.ts";
import { ReplayedFault } from "../../ledger/billing/idempotent-run.ts";
import { refuseOverload } from "../../ledger/limits/refuse-overload.ts";
import { type Arrival, enter, serve } from "../../pipeline/serve.ts";
import {
  type ControlEndpoint,
  type Endpoint,
  type InferenceEndpoint,
  type OpenEndpoint,
  Reply,
  type StreamWriter,
} from "../endpoints/endpoint.ts";
import { comesFromUs } from "../endpoints/identity/session-cookie.ts";
import { recordDeed } from "../endpoints/record-deed.ts";
import { type Dialect, trunklineDialect } from "../formats/dialect.ts";
import { readBody } from "../requests/read-body.ts";
import { collectAnswer } from "../responses/collect-answer.ts";
import { pullFirst, streamParts } from "../responses/stream-answer.ts";
import { dialectOf } from "./all-dialects.ts";
import { arrivalOf, HungUp, inferenceArrivalOf } from "./incoming-request.ts";
import {
  answerHeaders,
  commonHeaders,
  faultHeaders,
  rateLimitHeaders,
  timingHeaders,
} from "./response-headers.ts";

/** One HTTP exchange: what came in, and the way back. */
interface Exchange {
  readonly house: House;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly arrival: Arrival;
}

/** Turns an operation's definition into what the HTTP server calls. */
export function serveEndpoint(house: House, endpoint: Endpoint) {
  const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const arrival = arrivalOf(house, request, reply, endpoint.dialect, endpoint.path);
    const exchange = { house, request, reply, arrival };
    try {
      if (endpoint.kind === "control") await serveControl(exchange, endpoint);
      else if (endpoint.kind === "open") await serveOpen(exchange, endpoint);
      else await serveInference(exchange, endpoint);
    } catch (error) {
      sendFault(exchange, error, endpoint.dialect);
    } finally {
      house.metrics.observe(exchange.arrival.journal, reply.raw.statusCode);
    }
  };
  // A client that leaves closes its connection long before its money is settled.
  return (request: FastifyRequest, reply: FastifyReply): Promise<void> =>
    house.handlers.follow(handle(request, reply));
}

/** A path or method that nobody answers to. Where a key is needed a stranger learns no more than that a key is needed. */
export function serveNothing(house: House, faultFor: (request: FastifyRequest) => Fault) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const dialect = dialectOf(request.url);
    const exchange = { house, request, reply, arrival: arrivalOf(house, request, reply, dialect) };
    try {
      if (dialect !== undefined) await enter(house, exchange.arrival, undefined);
      throw faultFor(request);
    } catch (error) {
      sendFault(exchange, error, dialect);
    }
  };
}

async function serveControl(exchange: Exchange, endpoint: ControlEndpoint): Promise<void> {
  const { house, request, arrival } = exchange;
  const params = readParams(request);
  const caller = await enter(house, arrival, ({ person }) =>
    endpoint.ownPower !== undefined && person?.id === params.id ? endpoint.ownPower : endpoint.power,
  );
  const visit = {
    house,
    caller,
    request,
    signal: arrival.signal,
    arrival,
    params,
    query: endpoint.query === undefined ? undefined : parse(endpoint.query, request.query),
    body: await readControlBody(house, request, endpoint),
  };
  const result = await endpoint.handle(visit);
  await recordDeed(endpoint, visit, result);
  send(exchange, result instanceof Reply ? result : new Reply(endpoint.status, result));
}

/** Strangers need no key here, but a page of another site may not act in their name, such as to log them in as somebody else. */
async function serveOpen(exchange: Exchange, endpoint: OpenEndpoint): Promise<void> {
  const { house, request } = exchange;
  if (request.headers.origin !== undefined && !comesFromUs(house, request)) {
    throw new Fault("cross_site", "A page of another site asked for this. Open the dashboard itself.");
  }
  refuseOverload(house.inFlight.size, house.config.limits.concurrentRequests);
  const result = await endpoint.handle({
    house,
    request,
    body: await readControlBody(house, request, endpoint),
  });
  send(exchange, result instanceof Reply ? result : new Reply(endpoint.status, result));
}

/** Down the line. Whether the answer is streamed is known only when the body is read, so its first part decides. */
async function serveInference(exchange: Exchange, endpoint: InferenceEndpoint): Promise<void> {
  const { house, request } = exchange;
  let asked: unknown;
  const arrival = inferenceArrivalOf(house, exchange.arrival, request, {
    ...endpoint,
    read(body, reading) {
      asked = body;
      return endpoint.read(body, reading);
    },
  });
  const { journal } = arrival;
  const parts = await pullFirst(serve(house, arrival));
  const writer =
    journal.inference?.streaming === true ? endpoint.stream?.(request, journal, asked) : undefined;
  if (writer !== undefined) return streamAnswer(exchange, writer, parts);
  const whole = await collectAnswer(parts, journal, asked);
  const answer = endpoint.whole?.(whole);
  send(exchange, answer instanceof Reply ? answer : new Reply(200, answer), {
    ...timingHeaders(journal),
    ...answerHeaders(journal, whole.receipt),
  });
}

async function streamAnswer(
  { house, request, reply, arrival }: Exchange,
  writer: StreamWriter,
  parts: AsyncIterable<Part | Receipt>,
): Promise<void> {
  const { journal } = arrival;
  reply.hijack();
  reply.raw.writeHead(200, {
    "content-type": writer.contentType,
    "x-accel-buffering": "no",
    ...commonHeaders(request, journal.requestId),
    ...rateLimitHeaders(house, journal),
    ...timingHeaders(journal),
    ...answerHeaders(journal),
  });
  try {
    await streamParts(reply.raw, writer, parts);
  } catch (error) {
    if (!hasHungUp(arrival.signal)) {
      const fault = asFault(house, reasonFor(error, arrival.signal), journal.requestId);
      reply.raw.write(writer.fail(fault, requestIdOf(fault, journal.requestId)));
    }
  } finally {
    reply.raw.end();
  }
}

function send(
  { house, request, reply, arrival }: Exchange,
  answer: Reply,
  extra: Record<string, string> = {},
): void {
  reply.code(answer.status).headers({
    ...commonHeaders(request, arrival.journal.requestId),
    ...rateLimitHeaders(house, arrival.journal),
    ...extra,
  });
  if (answer.status === 204) return void reply.headers(answer.headers).send();
  reply
    .headers(answer.headers)
    .header("content-type", answer.contentType)
    .send(isReady(answer.body) ? answer.body : JSON.stringify(answer.body));
}

/** Words and bytes go out as they are. */
function isReady(body: unknown): body is string | Buffer {
  return typeof body === "string" || Buffer.isBuffer(body);
}

/** The one translator of everything that was thrown. */
function sendFault(
  { house, request, reply, arrival }: Exchange,
  error: unknown,
  dialect: Dialect = trunklineDialect,
): void {
  const { journal, signal } = arrival;
  if (hasHungUp(signal) || reply.raw.headersSent) return void reply.raw.destroy();
  const fault = asFault(house, reasonFor(error, signal), journal.requestId);
  discardBody(request, reply, fault);
  reply
    .code(fault.status)
    .headers({
      ...commonHeaders(request, journal.requestId),
      ...(dialectOf(request.url) !== undefined ? rateLimitHeaders(house, journal) : {}),
      ...(journal.inference === undefined ? {} : timingHeaders(journal)),
      ...faultHeaders(fault),
    })
    .header("content-type", "application/json; charset=utf-8")
    .send(JSON.stringify(dialect.errorBody(fault, requestIdOf(fault, journal.requestId))));
}

/** Past this, a body that nobody will read is cut off instead of being read to its end. */
const DISCARD_BYTES = 32 * 1024 * 1024;

/** A client in the middle of its body would miss an answer on a connection that is simply closed: the rest is read and dropped. */
function discardBody(request: FastifyRequest, reply: FastifyReply, fault: Fault): void {
  if (request.raw.complete) return;
  const isLarge = Number(request.headers["content-length"] ?? 0) > DISCARD_BYTES;
  // Whoever was too slow to send it is not waited for a second time.
  if (isLarge || fault.type === "request_timeout") reply.header("connection", "close");
  else request.raw.resume();
}

function hasHungUp(signal: AbortSignal): boolean {
  return signal.reason instanceof HungUp;
}

/** What was broken off by the service itself is told so, whatever the breaking looked like from inside. */
function reasonFor(error: unknown, signal: AbortSignal): unknown {
  if (!signal.aborted) return error;
  return new Fault(
    "unavailable",
    "The service is stopping. What was delivered is charged; send the request again.",
    {
      retryAfterSeconds: 1,
    },
  );
}

/** Anything but a fault is a bug: logged whole, told to nobody. */
function asFault(house: House, error: unknown, requestId: string): Fault {
  if (error instanceof Fault) {
    if (error.type === "internal") house.log.error({ requestId, error: error.cause }, "A request met a bug.");
    if (error.type === "unavailable") house.warnCalmly(error.cause, "The store is away.", requestId);
    return error;
  }
  house.log.error({ requestId, error }, "A request met a bug.");
  return new Fault("internal", "Something went wrong on our side. It is logged under this request's id.");
}

function requestIdOf(fault: Fault, requestId: string): string {
  return fault instanceof ReplayedFault ? fault.requestId : requestId;
}

/** Nobody answers for a stranger's body: it may be as large as any page of ours makes it, a passkey's answer included. */
const STRANGERS_BYTES = 64 * 1024;

async function readControlBody(
  house: House,
  request: FastifyRequest,
  endpoint: ControlEndpoint | OpenEndpoint,
): Promise<unknown> {
  if (endpoint.body === undefined) return undefined;
  const { bodyBytes, attachmentBodyBytes, bodyWaitMs } = house.config.limits;
  const isAbsent =
    request.headers["content-length"] === "0" ||
    !(request.headers["content-length"] || request.headers["transfer-encoding"]);
  if (endpoint.bodyOptional === true && isAbsent) return {};
  const knownBytes = endpoint.takesMedia === true ? attachmentBodyBytes : bodyBytes;
  const limitBytes = endpoint.kind === "open" ? Math.min(bodyBytes, STRANGERS_BYTES) : knownBytes;
  const body = parseStrictJson(await readBody(request.raw, limitBytes, bodyWaitMs));
  return endpoint.bodyUnchecked === true ? body : parse(endpoint.body, body);
}

function parse(schema: NonNullable<Endpoint["body"]>, value: unknown): unknown {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (!parsed.success) throw faultOfIssues(parsed.error);
  return parsed.data;
}

function readParams(request: FastifyRequest): Record<string, string> {
  return request.params as Record<string, string>;
}
