import type { IncomingHttpHeaders } from "node:http";
import type { Caller } from "@trunkline/core/caller.ts";
import type { CollectedAnswer } from "@trunkline/core/collected-answer.ts";
import type { Fault, FaultType } from "@trunkline/core/fault.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import type { JsonText } from "@trunkline/core/json-text.ts";
import type { Part, Receipt } from "@trunkline/core/parts.ts";
import type { Permission } from "@trunkline/core/permissions.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { z } from "zod";
import type { Services } from "../../app/services.ts";
import type { IncomingRequest } from "../../pipeline/serve.ts";
import type { CountBytes, StoredItem } from "../../stored-responses/sealed-json.ts";
import type { ResponseBody } from "../../stored-responses/stored-responses.ts";
import type { Dialect } from "../formats/dialect.ts";
import type { HttpRequest } from "./http-request.ts";

/** The fields of every operation. Routes, access checks and the OpenAPI document all come from these. */
interface EndpointBase {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Parameters are written `:name`. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /** The faults of this operation, in addition to those of every operation. */
  readonly faults: readonly FaultType[];
  readonly body?: z.ZodType;
  /** A missing body counts as an empty object. */
  readonly bodyOptional?: boolean;
  /** The schema only documents the body; the handler validates it. */
  readonly skipBodyValidation?: boolean;
  readonly query?: z.ZodType;
  readonly response: z.ZodType;
  /** Whether a body may be large without a field `attachments`. */
  readonly allowsLargeBody?: boolean;
  /** Undefined: Trunkline's own. */
  readonly dialect?: Dialect;
}

/** What a handler receives once the caller is authenticated and the body is valid. */
export interface OperationContext<Body, Query> {
  readonly services: Services;
  readonly caller: Caller;
  readonly body: Body;
  readonly query: Query;
  readonly params: Readonly<Record<string, string>>;
  readonly request: HttpRequest;
  readonly signal: AbortSignal;
  /** For operations that pass the request on to the pipeline. */
  readonly incomingRequest: IncomingRequest;
  /** Counts what is read from the store with the request's body, or refuses it. */
  readonly countBytes: CountBytes;
}

/** The content type of most answers. */
export const JSON_TYPE = "application/json; charset=utf-8";

const NO_HEADERS: Reply["headers"] = {};

/** A response with its own status, content type or headers. */
export class Reply {
  readonly status: number;
  readonly body: unknown;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string | string[]>>;

  /** How many bytes a text has, where it is known. */
  readonly bytes: number | undefined;

  constructor(
    status: number,
    body: unknown,
    contentType = JSON_TYPE,
    headers: Reply["headers"] = NO_HEADERS,
    bytes?: number,
  ) {
    this.status = status;
    this.body = body;
    this.contentType = contentType;
    this.headers = headers;
    this.bytes = bytes;
  }

  /** Of JSON that is written already. */
  static ofJson({ text, bytes }: JsonText): Reply {
    return new Reply(200, text, JSON_TYPE, NO_HEADERS, bytes);
  }
}

/**
 * How an operation appears in the audit log. Its members, like `handle`, are methods: TypeScript compares the parameters
 * of methods loosely, so that one table holds operations of many shapes. Each is checked where it is defined.
 */
interface AuditRule<Body = unknown, Query = unknown, Result = unknown> {
  /** Such as `key.create`. */
  readonly action: string;
  /** Facts beyond actor, time, and the subject's id and name. Never a secret. */
  details?(operationContext: OperationContext<Body, Query>, result: Result): Readonly<Record<string, unknown>>;
  /** The subject's name, where neither the path's `:name` nor the response's `name` is it. Never a secret. */
  nameOf?(operationContext: OperationContext<Body, Query>, result: Result): string | undefined;
  /** The account whose log gets the event, where that is not the caller's. */
  accountOf?(operationContext: OperationContext<Body, Query>, result: Result): string | undefined;
}

/** An operation outside the inference pipeline: it reads or changes something and costs nothing. */
export interface ControlEndpoint extends EndpointBase {
  readonly kind: "control";
  readonly permission: Permission;
  /** The permission that suffices when the path's `:id` is the caller's own. */
  readonly ownPermission?: Permission;
  /** 101: a plain request is refused, and one for a WebSocket is served elsewhere. */
  readonly status: 101 | 200 | 201 | 202 | 204;
  /** Every operation other than GET has one, or `null` when it changes nothing. */
  readonly audit?: AuditRule | null;
  /** Other content types that it can respond with. */
  readonly alternativeContentTypes?: readonly string[];
  handle(operationContext: OperationContext<unknown, unknown>): Promise<unknown>;
}

/** What the handler of a public operation receives. */
export interface PublicOperationContext<Body> {
  readonly services: Services;
  readonly body: Body;
  readonly request: HttpRequest;
}

/** An operation for clients without a key or a session, such as logging in. It limits its own rate. */
export interface PublicEndpoint extends EndpointBase {
  readonly kind: "open";
  /** The fields of the body may come as a form instead of JSON, as OAuth has it. */
  readonly acceptsForm?: boolean;
  /** The body is passed on as the text that was sent, whose signature the handler checks. */
  readonly rawBody?: boolean;
  readonly status: 200 | 201 | 202 | 204;
  handle(operationContext: PublicOperationContext<unknown>): Promise<unknown>;
}

/** A whole answer, and what a response to it is made from. */
export interface WholeAnswer extends Pick<CollectedAnswer, "parts" | "text" | "media"> {
  readonly receipt: Receipt;
  readonly trace: RequestTrace;
  /** The request's body, as `read` received and accepted it. Of a large one, only the endpoint's `answerFields`. */
  readonly requestBody: unknown;
  /** What `prepare` found, where the operation has it. */
  readonly context: RequestContext | undefined;
}

/** Writes the parts of a streamed answer in the frames of one wire format. */
export interface StreamWriter {
  readonly contentType: string;
  /** The frames for a part; "" where this format has none for it. */
  write(part: Part | Receipt): string;
  /** The frames for an error. The status is already sent, so they end the stream. */
  fail(fault: Fault, requestId: string): string;
  /** The last frames of a complete answer, where something must be done before they are sent. Undefined: `write` has them. */
  finish?(receipt: Receipt): Promise<string>;
}

/** What a request refers to, and how its answer is kept for later requests. */
export interface RequestContext {
  /** The conversation before this request. */
  readonly earlierItems: readonly StoredItem[];
  /** The items that the body names by their ids. */
  readonly referredItems: ReadonlyMap<string, StoredItem>;
  /** The conversation that the answer is added to. */
  readonly conversationId: string | undefined;
  /** Whether the answer is to be kept. */
  readonly stores: boolean;
  /** Keeps a complete answer, and returns the fields of the response that say where it is. It never fails. */
  keep(response: ResponseBody): Promise<KeptFields>;
}

export interface KeptFields {
  readonly store: boolean;
  readonly conversation: { readonly id: string } | null;
}

/** What a request is read from. */
export interface PreparedRequest {
  /** The body, with the files that it names. */
  readonly body: unknown;
  readonly context?: RequestContext;
}

/** What `prepare` can use. */
export interface Preparation {
  readonly services: Services;
  readonly caller: Caller;
  readonly trace: RequestTrace;
  readonly body: unknown;
  /** Counts what is read from the store with the request's body, or refuses it. */
  readonly countBytes: CountBytes;
}

/** What `read` may use of a request besides its body. */
export interface RequestMetadata {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: IncomingHttpHeaders;
}

/** An operation that goes through the pipeline and is charged, in any wire format. */
export interface InferenceEndpoint extends EndpointBase {
  readonly kind: "inference";
  readonly permission: "inference.use";
  /** Undefined: JSON. `read` receives a form as its fields, including files. */
  readonly bodyFormat?: "multipart";
  /** The content type of a whole answer, where that is not JSON. */
  readonly responseType?: string;
  /** Other content types that it can respond with. */
  readonly alternativeContentTypes?: readonly string[];
  /** Whether a body has to be prepared; undefined: every one has. */
  needsPreparation?(body: unknown): boolean;
  /** Looks up what a body refers to, before it is read. Returns a promise only where the store must be asked. */
  prepare?(preparation: Preparation): PreparedRequest | Promise<PreparedRequest>;
  /** Reads a body as an inference. Throws a fault that names the first wrong field. */
  read(body: unknown, metadata: RequestMetadata, context?: RequestContext): Inference;
  /** The fields of a body that `whole` and `stream` read. */
  readonly answerFields?: readonly string[];
  /** The response for a whole answer: a JSON body, or a `Reply`; a promise of it where the answer is kept first. */
  whole?(answer: WholeAnswer): unknown;
  /** The writer for a streamed answer. */
  stream?(
    request: HttpRequest,
    requestTrace: RequestTrace,
    requestBody: unknown,
    context: RequestContext | undefined,
  ): StreamWriter;
  /** The schema of one event of a stream, where the operation also gives whole answers; `response` is then theirs. */
  readonly event?: z.ZodType;
  /** The content type of a stream of these events. Undefined: server-sent events. */
  readonly eventType?: string;
}

export type Endpoint = ControlEndpoint | InferenceEndpoint | PublicEndpoint;

/** An operation without a response body may return anything for its audit rule. */
type AuditedResult<Result> = [Result] extends [null] ? unknown : Result;

/** Defines a control operation, its handler and its audit rule typed by its own schemas. */
export function controlEndpoint<
  Response extends z.ZodType,
  Body extends z.ZodType = z.ZodNever,
  Query extends z.ZodType = z.ZodNever,
>(
  definition: Omit<ControlEndpoint, "kind" | "handle" | "body" | "query" | "response" | "audit"> & {
    readonly body?: Body;
    readonly query?: Query;
    readonly response: Response;
    readonly audit?: AuditRule<z.output<Body>, z.output<Query>, AuditedResult<z.input<Response>>> | null;
    readonly handle: (operationContext: OperationContext<z.output<Body>, z.output<Query>>) => Promise<unknown>;
  },
): ControlEndpoint {
  return { kind: "control", ...definition };
}

/** Defines a public operation, its handler typed by its own schema. */
export function publicEndpoint<Body extends z.ZodType = z.ZodNever>(
  definition: Omit<PublicEndpoint, "kind" | "handle" | "body"> & {
    readonly body?: Body;
    readonly handle: (operationContext: PublicOperationContext<z.output<Body>>) => Promise<unknown>;
  },
): PublicEndpoint {
  return { kind: "open", ...definition };
}

/** The faults of every inference operation, in addition to those of every operation. */
export const INFERENCE_FAULTS: readonly FaultType[] = [
  "payment_required",
  "insufficient_balance",
  "budget_exceeded",
  "data_rules_unmet",
  "unsafe_input",
  "unsafe_output",
  "model_not_found",
  "idempotency_in_progress",
  "idempotency_mismatch",
  "check_failed",
  "context_length_exceeded",
  "request_rejected",
  "provider_error",
  "provider_timeout",
  "no_model_available",
];
