import type { IncomingHttpHeaders } from "node:http";
import type { Caller } from "@trunkline/core/caller.ts";
import type { Fault, FaultType } from "@trunkline/core/fault.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import type { MediaPart, Part, Receipt } from "@trunkline/core/parts.ts";
import type { Permission } from "@trunkline/core/permissions.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import type { Services } from "../../app/services.ts";
import type { IncomingRequest } from "../../pipeline/serve.ts";
import type { Dialect } from "../formats/dialect.ts";

/** What every operation says of itself; the OpenAPI document and the access checks are both read off this. */
interface EndpointBase {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With `:name` for its parameters. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /** The faults it adds to those that every operation may answer with. */
  readonly faults: readonly FaultType[];
  readonly body?: z.ZodType;
  /** The body may be left out: then it is an empty object. */
  readonly bodyOptional?: boolean;
  /** The schema only documents: the body goes through the line's own validation. */
  readonly skipBodyValidation?: boolean;
  readonly query?: z.ZodType;
  readonly response: z.ZodType;
  /** Whether a body may be large although it has no attachments in our own form. */
  readonly allowsLargeBody?: boolean;
  /** Undefined: our own. */
  readonly dialect?: Dialect;
}

/** What an operation is given once the caller is in and the body is valid. */
export interface OperationContext<Body, Query> {
  readonly services: Services;
  readonly caller: Caller;
  readonly body: Body;
  readonly query: Query;
  readonly params: Readonly<Record<string, string>>;
  readonly request: FastifyRequest;
  readonly signal: AbortSignal;
  /** For operations that may send what they were asked down the line. */
  readonly incomingRequest: IncomingRequest;
}

/** An answer with a status or a form of its own. */
export class Reply {
  readonly status: number;
  readonly body: unknown;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string | string[]>>;

  constructor(
    status: number,
    body: unknown,
    contentType = "application/json; charset=utf-8",
    headers: Readonly<Record<string, string | string[]>> = {},
  ) {
    this.status = status;
    this.body = body;
    this.contentType = contentType;
    this.headers = headers;
  }
}

/** How an operation is told of in the audit log. */
interface AuditRule {
  /** Such as `key.create`. */
  readonly action: string;
  /** What else is worth knowing, beside who, when, and the subject's id and name. Never a secret. */
  // biome-ignore lint/suspicious/noExplicitAny: as with `handle`, operations of many shapes.
  details?(operationContext: OperationContext<any, any>, result: any): Readonly<Record<string, unknown>>;
  /** What it was done to, where the path's `:name` or the answer's `name` don't say so. Never a secret. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  nameOf?(operationContext: OperationContext<any, any>, result: any): string | undefined;
  /** In whose log it stands, where that is not the caller's own account. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  accountOf?(operationContext: OperationContext<any, any>, result: any): string | undefined;
}

/** An operation beside the line: reads or changes something, costs nothing. */
export interface ControlEndpoint extends EndpointBase {
  readonly kind: "control";
  readonly permission: Permission;
  /** The power that is enough where the path's `:id` is the caller's own. */
  readonly ownPermission?: Permission;
  readonly status: 200 | 201 | 202 | 204;
  /** What the audit log calls it. Whatever is not a GET has one, or says by `null` that it changes nothing. */
  readonly audit?: AuditRule | null;
  /** Other content types it can answer with. */
  readonly alternativeContentTypes?: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: the table holds operations of many shapes; each is checked where it is defined.
  handle(operationContext: OperationContext<any, any>): Promise<unknown>;
}

/** What an operation that is open to strangers is given. */
export interface PublicOperationContext<Body> {
  readonly services: Services;
  readonly body: Body;
  readonly request: FastifyRequest;
}

/** An operation for whoever has no key and no session yet, such as logging in. It limits itself. */
export interface PublicEndpoint extends EndpointBase {
  readonly kind: "open";
  readonly status: 200 | 201 | 202 | 204;
  // biome-ignore lint/suspicious/noExplicitAny: as with `handle` of the others.
  handle(visit: PublicOperationContext<any>): Promise<unknown>;
}

/** A whole answer, collected from its parts. */
export interface CollectedAnswer {
  /** Everything but the receipt, in order. */
  readonly parts: readonly Part[];
  /** All words of the first choice. */
  readonly text: string;
  /** The first image or sound. */
  readonly media: MediaPart | undefined;
  readonly receipt: Receipt;
  readonly trace: RequestTrace;
  /** The body that asked for it, as `read` was given it and found it good. */
  readonly requestBody: unknown;
}

/** What an answer is put into as it comes, in the frames of one wire format. */
export interface StreamWriter {
  readonly contentType: string;
  /** What is sent for a part; "" where this format has nothing to say of it. */
  write(part: Part | Receipt): string;
  /** The status is long sent: the error is the last that is sent. */
  fail(fault: Fault, requestId: string): string;
}

/** What a body that asks for an answer is read with. */
export interface RequestMetadata {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: IncomingHttpHeaders;
}

/** An operation that goes down the line and is paid for, in whatever wire format. */
export interface InferenceEndpoint extends EndpointBase {
  readonly kind: "inference";
  readonly permission: "inference.use";
  /** What kind of body it takes; JSON where nothing is said. A form comes to `read` as its fields, files among them. */
  readonly bodyFormat?: "multipart";
  /** Of a whole answer, where that is not JSON. */
  readonly responseType?: string;
  /** Other content types it can answer with. */
  readonly alternativeContentTypes?: readonly string[];
  /** What a body asks for. Throws a fault that names the first wrong field. */
  read(body: unknown, reading: RequestMetadata): Inference;
  /** How a whole answer looks, as JSON or as a reply of its own form. */
  whole?(answer: CollectedAnswer): unknown;
  /** How an answer is written as it comes, for requests that ask for that by the body `asked`. */
  stream?(request: FastifyRequest, requestTrace: RequestTrace, asked: unknown): StreamWriter;
  /** The form of one event of that, where an operation gives whole answers too; `answer` is then the whole one's. */
  readonly event?: z.ZodType;
}

export type Endpoint = ControlEndpoint | InferenceEndpoint | PublicEndpoint;

/** Defines an operation beside the line, its handler typed by its own schemas. */
export function controlEndpoint<Body extends z.ZodType = z.ZodNever, Query extends z.ZodType = z.ZodNever>(
  definition: Omit<ControlEndpoint, "kind" | "handle" | "body" | "query"> & {
    readonly body?: Body;
    readonly query?: Query;
    readonly handle: (operationContext: OperationContext<z.output<Body>, z.output<Query>>) => Promise<unknown>;
  },
): ControlEndpoint {
  return { kind: "control", ...definition };
}

/** Defines an operation that is open to strangers, its handler typed by its own schema. */
export function publicEndpoint<Body extends z.ZodType = z.ZodNever>(
  definition: Omit<PublicEndpoint, "kind" | "handle" | "body"> & {
    readonly body?: Body;
    readonly handle: (visit: PublicOperationContext<z.output<Body>>) => Promise<unknown>;
  },
): PublicEndpoint {
  return { kind: "open", ...definition };
}

/** What an operation that goes down the line may answer, beyond what any may. */
export const INFERENCE_FAULTS: readonly FaultType[] = [
  "insufficient_balance",
  "budget_exceeded",
  "unsafe_input",
  "unsafe_output",
  "model_not_found",
  "idempotency_in_progress",
  "idempotency_mismatch",
  "check_failed",
  "provider_error",
  "provider_timeout",
  "no_model_available",
];
