import { Cancellation, type CancelSignal } from "@trunkline/core/cancellation.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { Services } from "../../app/services.ts";
import type { SessionCookie } from "../../identity/auth/authenticate.ts";
import type { IncomingInference, IncomingRequest, ReadInference } from "../../pipeline/serve.ts";
import type { InferenceEndpoint, RequestMetadata } from "../endpoints/endpoint.ts";
import type { HttpReply, HttpRequest } from "../endpoints/http-request.ts";
import { readSessionCookie } from "../endpoints/identity/browser-session.ts";
import { type Dialect, trunklineDialect } from "../formats/dialect.ts";
import { checkIdempotencyKey } from "../requests/idempotency-key.ts";
import { parseJsonBody } from "../requests/parse-json-body.ts";
import { bodyTooLargeFault, readBody, readMultipart } from "../requests/read-body.ts";
import { CACHE_HEADER, readCacheHeader } from "../requests/read-routing-options.ts";

/** The client closed its connection. There is no answer to send; the request is still settled. */
export class ClientDisconnected extends Error {
  override readonly name = "ClientDisconnected";
}

/** One HTTP exchange: a request with its reply, and what is known of it before its body is read. */
export class HttpExchange implements IncomingRequest {
  readonly services: Services;
  readonly request: HttpRequest;
  readonly reply: HttpReply;
  readonly trace: RequestTrace;
  readonly authorization: string | undefined;
  readonly session: SessionCookie | undefined;
  readonly address: string;
  readonly idempotencyKey: string | undefined;
  /** Aborted when the connection closes before the whole answer was sent, or when the service must stop. */
  readonly cancellation: Cancellation;

  constructor(
    services: Services,
    request: HttpRequest,
    reply: HttpReply,
    dialect: Dialect = trunklineDialect,
    path = new URL(request.url, "http://local").pathname,
  ) {
    this.services = services;
    this.request = request;
    this.reply = reply;
    this.trace = new RequestTrace(request.id, path, services.clock);
    this.authorization = dialect.authorizationOf(request);
    this.session = request.headers.cookie === undefined ? undefined : readSessionCookie(services, request);
    this.address = request.ip;
    this.idempotencyKey = readIdempotencyKey(request);
    const cancellation = new Cancellation();
    this.cancellation = cancellation;
    const { inFlight } = services.lifecycle;
    inFlight.add(cancellation);
    const { raw } = reply;
    raw.on("close", () => {
      inFlight.delete(cancellation);
      if (!raw.writableFinished) cancellation.abort(new ClientDisconnected("The client hung up."));
    });
  }

  get signal(): CancelSignal {
    return this.cancellation;
  }
}

/** An exchange whose request is an inference. */
export class InferenceExchange extends HttpExchange implements IncomingInference {
  readonly endpoint: InferenceEndpoint;
  /** The body as the operation accepted it; undefined before it is read. */
  requestBody: unknown = undefined;

  constructor(services: Services, request: HttpRequest, reply: HttpReply, endpoint: InferenceEndpoint) {
    super(services, request, reply, endpoint.dialect, endpoint.path);
    this.endpoint = endpoint;
  }

  private get metadata(): RequestMetadata {
    return this.request as RequestMetadata;
  }

  /** Returns a promise only where the body has not arrived yet. */
  readInference(): ReadInference | Promise<ReadInference> {
    checkIdempotencyKey(this.idempotencyKey);
    if (this.endpoint.bodyFormat === "multipart") return this.readForm();
    const { attachmentBodyBytes, bodyWaitMs } = this.services.config.limits;
    const text = readBody(this.request.raw, attachmentBodyBytes, bodyWaitMs);
    return typeof text === "string" ? this.readJson(text) : text.then((arrived) => this.readJson(arrived));
  }

  private async readForm(): Promise<ReadInference> {
    const { attachmentBodyBytes, bodyWaitMs } = this.services.config.limits;
    const { fields, digest } = await readMultipart(this.request.raw, attachmentBodyBytes, bodyWaitMs);
    return { inference: this.readFields(fields), body: digest };
  }

  private readJson(text: string): ReadInference {
    const { bodyBytes } = this.services.config.limits;
    // Only attachments may make a body large. The text search refuses a large body without any before it is parsed.
    const mustBeSmall = this.endpoint.allowsLargeBody !== true && isLargerThan(text, bodyBytes);
    if (mustBeSmall && !text.includes('"attachments"')) throw bodyTooLargeFault(bodyBytes);
    const fields = parseJsonBody(text);
    if (mustBeSmall && !hasAttachments(fields)) throw bodyTooLargeFault(bodyBytes);
    const inference = this.readFields(fields);
    // An idempotency key compares requests by this text, so it must contain the path's parameters too.
    const { params } = this.metadata;
    return { inference, body: Object.keys(params).length === 0 ? text : `${JSON.stringify(params)}\n${text}` };
  }

  private readFields(fields: unknown): Inference {
    this.requestBody = fields;
    const inference = this.endpoint.read(fields, this.metadata);
    const cache = this.request.headers[CACHE_HEADER];
    // Formats without a cache field in their body can allow a cached answer by a header.
    if (cache === undefined || inference.cache !== undefined) return inference;
    return { ...inference, cache: readCacheHeader(String(cache)) };
  }
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
