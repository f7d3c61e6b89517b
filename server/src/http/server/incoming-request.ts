import type { Caller } from "@trunkline/core/caller.ts";
import { Cancellation, type CancelSignal, ClientDisconnected } from "@trunkline/core/cancellation.ts";
import { joinDataRules } from "@trunkline/core/data-rules.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { Services } from "../../app/services.ts";
import type { SessionCookie } from "../../identity/auth/authenticate.ts";
import { UNCOUNTED_BODY_BYTES } from "../../ledger/limits/body-memory.ts";
import type { IncomingInference, IncomingRequest, ReadInference } from "../../pipeline/serve.ts";
import type { InferenceEndpoint, RequestContext, RequestMetadata, StreamWriter } from "../endpoints/endpoint.ts";
import type { HttpReply, HttpRequest } from "../endpoints/http-request.ts";
import { readSessionCookie } from "../endpoints/identity/browser-session.ts";
import { authorizationOf } from "../formats/dialect.ts";
import { checkIdempotencyKey } from "../requests/idempotency-key.ts";
import { parseJsonBody } from "../requests/parse-json-body.ts";
import { LARGE_TEXT_LENGTH, parseLargeJson } from "../requests/parse-large-json.ts";
import { type BodyMeter, bodyTooLargeFault, readBody, readMultipart } from "../requests/read-body.ts";
import { CACHE_HEADER, DATA_HEADER, readCacheHeader, readDataHeader } from "../requests/read-routing-options.ts";
import { withTags } from "../requests/read-tags.ts";
import { foreignOriginOf } from "./cors.ts";
import { DEPLOYMENT_PARAM } from "./root-paths.ts";
import type { StreamBody } from "./stream-body.ts";

/** One HTTP exchange: a request with its reply, and what is known of it before its body is read. */
export class HttpExchange implements IncomingRequest, BodyMeter {
  readonly services: Services;
  readonly request: HttpRequest;
  readonly reply: HttpReply;
  readonly trace: RequestTrace;
  readonly authorization: string | undefined;
  readonly session: SessionCookie | undefined;
  readonly address: string;
  readonly origin: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** Aborted when the connection closes before the whole answer was sent, or when the service must stop. */
  readonly cancellation: Cancellation;
  /** How much of a large body is counted. */
  private countedBytes = 0;

  constructor(services: Services, request: HttpRequest, reply: HttpReply, path = pathOf(request.url)) {
    this.services = services;
    this.request = request;
    this.reply = reply;
    this.trace = new RequestTrace(request.id, path, services.clock);
    if (services.tracer !== undefined) this.trace.context = services.tracer.start(request.id, request.headers);
    this.authorization = authorizationOf(request);
    this.session = request.headers.cookie === undefined ? undefined : readSessionCookie(services, request);
    this.address = request.ip;
    this.origin = foreignOriginOf(services, request);
    this.idempotencyKey = readIdempotencyKey(request);
    this.cancellation = new Cancellation();
    services.lifecycle.inFlight.add(this.cancellation);
    reply.raw.on("close", () => this.close());
  }

  get signal(): CancelSignal {
    return this.cancellation;
  }

  /** Counts a large body for its caller until the exchange ends, or refuses it. */
  growTo(bytes: number): void {
    const { caller } = this.trace;
    if (bytes <= UNCOUNTED_BODY_BYTES || bytes <= this.countedBytes || caller === undefined) return;
    // The client may be gone.
    if (this.reply.raw.destroyed) return;
    this.services.limits.bodyMemory.take(caller, bytes - this.countedBytes);
    this.countedBytes = bytes;
  }

  /** Counts what is kept in memory beside the body. */
  countBytes(bytes: number): void {
    this.growTo(this.countedBytes + bytes);
  }

  /** The connection was closed, mostly after the whole answer. */
  private close(): void {
    this.services.lifecycle.inFlight.delete(this.cancellation);
    if (this.countedBytes > 0) this.uncountBody();
    if (!this.reply.raw.writableFinished) this.cancellation.abort(new ClientDisconnected("The client hung up."));
  }

  private uncountBody(): void {
    const { caller } = this.trace;
    if (caller !== undefined) this.services.limits.bodyMemory.giveBack(caller, this.countedBytes);
    this.countedBytes = 0;
  }
}

/** The path of an address as it was sent: not every one is a URL. */
function pathOf(address: string): string {
  const end = address.search(/[?#]/);
  return end === -1 ? address : address.slice(0, end);
}

/** A stream whose head is written. */
export interface OpenStream {
  readonly writer: StreamWriter;
  readonly body: StreamBody;
}

/** An exchange whose request is an inference. */
export class InferenceExchange extends HttpExchange implements IncomingInference {
  readonly endpoint: InferenceEndpoint;
  /** The body as the operation accepted it; undefined before it is read. */
  requestBody: unknown = undefined;
  /** What the operation looked up for the body. */
  context: RequestContext | undefined = undefined;
  /** Whoever paid for this request. Undefined: the caller is known by a key or a session. */
  admitted: Caller | undefined = undefined;
  /** The answer's stream; undefined before its first part, and for a whole answer. */
  stream: OpenStream | undefined = undefined;
  /** The request, where it had to be read to know what it costs. */
  private quoted: ReadInference | undefined = undefined;

  constructor(services: Services, request: HttpRequest, reply: HttpReply, endpoint: InferenceEndpoint) {
    super(services, request, reply, endpoint.path);
    this.endpoint = endpoint;
  }

  private get metadata(): RequestMetadata {
    return this.request as RequestMetadata;
  }

  /** Reads the request of a client that is not known, for a quote. */
  async readForQuote(): Promise<Inference> {
    this.quoted = await this.readInference();
    return this.quoted.inference;
  }

  /** Returns a promise only where the body has not arrived yet. */
  readInference(): ReadInference | Promise<ReadInference> {
    if (this.quoted !== undefined) return this.quoted;
    checkIdempotencyKey(this.idempotencyKey);
    if (this.endpoint.bodyFormat === "multipart") return this.readForm();
    const { attachmentBodyBytes, bodyWaitMs } = this.services.config.limits;
    const text = readBody(this.request.raw, attachmentBodyBytes, bodyWaitMs, this);
    return typeof text === "string" ? this.readJson(text) : text.then((arrived) => this.readJson(arrived));
  }

  private async readForm(): Promise<ReadInference> {
    const { attachmentBodyBytes, bodyWaitMs } = this.services.config.limits;
    const { fields, digest } = await readMultipart(this.request.raw, attachmentBodyBytes, bodyWaitMs, this);
    const inference = await this.readFields(fields);
    this.keepAnswerFields(fields);
    return { inference, body: digest };
  }

  private readJson(text: string): ReadInference | Promise<ReadInference> {
    const { bodyBytes } = this.services.config.limits;
    // Only attachments may make a body large. The text search refuses a large body without any before it is parsed.
    const mustBeSmall = this.endpoint.allowsLargeBody !== true && isLargerThan(text, bodyBytes);
    if (mustBeSmall && !text.includes('"attachments"')) throw bodyTooLargeFault(bodyBytes);
    if (text.length <= LARGE_TEXT_LENGTH) return this.acceptJson(parseJsonBody(text), text);
    return parseLargeJson(text).then(async (fields) => {
      if (mustBeSmall && !hasAttachments(fields)) throw bodyTooLargeFault(bodyBytes);
      const accepted = await this.acceptJson(fields, text);
      this.keepAnswerFields(fields as Readonly<Record<string, unknown>>);
      return accepted;
    });
  }

  private acceptJson(fields: unknown, text: string): ReadInference | Promise<ReadInference> {
    const reading = this.readFields(fields);
    return reading instanceof Promise
      ? reading.then((inference) => this.accept(inference, text))
      : this.accept(reading, text);
  }

  private accept(inference: Inference, text: string): ReadInference {
    // Nothing else reads the text, which may be long and would be kept while the request runs.
    if (this.idempotencyKey === undefined) return { inference, body: "" };
    // An idempotency key compares requests by this text, so it must contain the path's parameters too.
    const { params } = this.metadata;
    return { inference, body: Object.keys(params).length === 0 ? text : `${JSON.stringify(params)}\n${text}` };
  }

  /** Keeps of a large body only what its answer is written with. */
  private keepAnswerFields(fields: Readonly<Record<string, unknown>>): void {
    const kept: Record<string, unknown> = {};
    for (const name of this.endpoint.answerFields ?? []) if (Object.hasOwn(fields, name)) kept[name] = fields[name];
    this.requestBody = kept;
  }

  /** Returns a promise only where the body refers to something that the store has. */
  private readFields(sent: unknown): Inference | Promise<Inference> {
    const fields = withDeployment(sent, this.metadata.query[DEPLOYMENT_PARAM]);
    this.requestBody = fields;
    const { endpoint, services, trace } = this;
    const { caller } = trace;
    if (endpoint.prepare === undefined || endpoint.needsPreparation?.(fields) === false || caller === undefined)
      return this.readPrepared(fields);
    const countBytes = (bytes: number) => this.countBytes(bytes);
    const preparing = endpoint.prepare({ services, caller, trace, body: fields, countBytes });
    return preparing instanceof Promise
      ? preparing.then(({ body, context }) => this.readPrepared(body, context))
      : this.readPrepared(preparing.body, preparing.context);
  }

  private readPrepared(fields: unknown, context?: RequestContext): Inference {
    this.context = context;
    const inference = this.withDataRules(
      withTags(this.endpoint.read(fields, this.metadata, context), fields, this.request.headers),
    );
    const cache = this.request.headers[CACHE_HEADER];
    // Formats without a cache field in their body can allow a cached answer by a header.
    if (cache === undefined || inference.cache !== undefined) return inference;
    return { ...inference, cache: readCacheHeader(String(cache)) };
  }

  /** The header can only narrow what the body allows. */
  private withDataRules(inference: Inference): Inference {
    const header = this.request.headers[DATA_HEADER];
    if (header === undefined) return inference;
    const { preferences } = inference;
    const dataRules = joinDataRules(preferences.dataRules, readDataHeader(String(header)));
    return { ...inference, preferences: { ...preferences, dataRules } };
  }
}

/** A body with the model that Azure's path names, where it names none itself. */
function withDeployment(fields: unknown, deployment: unknown): unknown {
  if (typeof deployment !== "string" || typeof fields !== "object" || fields === null || "model" in fields)
    return fields;
  return { ...fields, model: deployment };
}

/** Whether a text has more bytes than this. A UTF-16 unit has at most three. */
function isLargerThan(text: string, bytes: number): boolean {
  return text.length * 3 > bytes && Buffer.byteLength(text) > bytes;
}

function hasAttachments(fields: unknown): boolean {
  return (
    typeof fields === "object" &&
    fields !== null &&
    "attachments" in fields &&
    Array.isArray(fields.attachments) &&
    fields.attachments.length > 0
  );
}

function readIdempotencyKey(request: HttpRequest): string | undefined {
  const header = request.headers["idempotency-key"];
  return Array.isArray(header) ? header.join(",") : header;
}
