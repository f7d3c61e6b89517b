import type { IncomingHttpHeaders } from "node:http";
import type { MediaPart, Part } from "@trunkline/core/answer.ts";
import type { Caller } from "@trunkline/core/caller.ts";
import type { Fault, FaultType } from "@trunkline/core/fault.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import type { Journal } from "@trunkline/core/journal.ts";
import type { Power } from "@trunkline/core/permissions.ts";
import type { Receipt } from "@trunkline/core/receipt.ts";
import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import type { House } from "../../app/services.ts";
import type { Arrival } from "../../pipeline/serve.ts";
import type { Dialect } from "../formats/dialect.ts";

/** What every operation says of itself; the OpenAPI document and the access checks are both read off this. */
interface Described {
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
  readonly bodyUnchecked?: boolean;
  readonly query?: z.ZodType;
  readonly answer: z.ZodType;
  /** Whether a body may be large although it has no attachments in our own form. */
  readonly takesMedia?: boolean;
  /** Undefined: our own. */
  readonly dialect?: Dialect;
}

/** What an operation is given once the caller is in and the body is valid. */
export interface Visit<Body, Query> {
  readonly house: House;
  readonly caller: Caller;
  readonly body: Body;
  readonly query: Query;
  readonly params: Readonly<Record<string, string>>;
  readonly request: FastifyRequest;
  readonly signal: AbortSignal;
  /** For operations that may send what they were asked down the line. */
  readonly arrival: Arrival;
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
export interface DeedRule {
  /** Such as `key.create`. */
  readonly action: string;
  /** What else is worth knowing, beside who, when, and the subject's id and name. Never a secret. */
  // biome-ignore lint/suspicious/noExplicitAny: as with `handle`, operations of many shapes.
  details?(visit: Visit<any, any>, result: any): Readonly<Record<string, unknown>>;
  /** What it was done to, where the path's `:name` or the answer's `name` don't say so. Never a secret. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  nameOf?(visit: Visit<any, any>, result: any): string | undefined;
  /** In whose log it stands, where that is not the caller's own account. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  accountOf?(visit: Visit<any, any>, result: any): string | undefined;
}

/** An operation beside the line: reads or changes something, costs nothing. */
export interface ControlEndpoint extends Described {
  readonly kind: "control";
  readonly power: Power;
  /** The power that is enough where the path's `:id` is the caller's own. */
  readonly ownPower?: Power;
  readonly status: 200 | 201 | 202 | 204;
  /** What the audit log calls it. Whatever is not a GET has one, or says by `null` that it changes nothing. */
  readonly deed?: DeedRule | null;
  /** Other content types it can answer with. */
  readonly alternatives?: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: the table holds operations of many shapes; each is checked where it is defined.
  handle(visit: Visit<any, any>): Promise<unknown>;
}

/** What an operation that is open to strangers is given. */
export interface OpenVisit<Body> {
  readonly house: House;
  readonly body: Body;
  readonly request: FastifyRequest;
}

/** An operation for whoever has no key and no session yet, such as logging in. It limits itself. */
export interface OpenEndpoint extends Described {
  readonly kind: "open";
  readonly status: 200 | 201 | 202 | 204;
  // biome-ignore lint/suspicious/noExplicitAny: as with `handle` of the others.
  handle(visit: OpenVisit<any>): Promise<unknown>;
}

/** A whole answer, collected from its parts. */
export interface WholeAnswer {
  /** Everything but the receipt, in order. */
  readonly parts: readonly Part[];
  /** All words of the first choice. */
  readonly text: string;
  /** The first image or sound. */
  readonly media: MediaPart | undefined;
  readonly receipt: Receipt;
  readonly journal: Journal;
  /** The body that asked for it, as `read` was given it and found it good. */
  readonly asked: unknown;
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
export interface InferenceReading {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: IncomingHttpHeaders;
}

/** An operation that goes down the line and is paid for, in whatever wire format. */
export interface InferenceEndpoint extends Described {
  readonly kind: "inference";
  readonly power: "inference.use";
  /** What kind of body it takes; JSON where nothing is said. A form comes to `read` as its fields, files among them. */
  readonly bodyForm?: "multipart";
  /** Of a whole answer, where that is not JSON. */
  readonly answerType?: string;
  /** Other content types it can answer with. */
  readonly alternatives?: readonly string[];
  /** What a body asks for. Throws a fault that names the first wrong field. */
  read(body: unknown, reading: InferenceReading): Inference;
  /** How a whole answer looks, as JSON or as a reply of its own form. */
  whole?(answer: WholeAnswer): unknown;
  /** How an answer is written as it comes, for requests that ask for that by the body `asked`. */
  stream?(request: FastifyRequest, journal: Journal, asked: unknown): StreamWriter;
  /** The form of one event of that, where an operation gives whole answers too; `answer` is then the whole one's. */
  readonly event?: z.ZodType;
}

export type Endpoint = ControlEndpoint | InferenceEndpoint | OpenEndpoint;

/** Defines an operation beside the line, its handler typed by its own schemas. */
export function control<Body extends z.ZodType = z.ZodNever, Query extends z.ZodType = z.ZodNever>(
  definition: Omit<ControlEndpoint, "kind" | "handle" | "body" | "query"> & {
    readonly body?: Body;
    readonly query?: Query;
    readonly handle: (visit: Visit<z.output<Body>, z.output<Query>>) => Promise<unknown>;
  },
): ControlEndpoint {
  return { kind: "control", ...definition };
}

/** Defines an operation that is open to strangers, its handler typed by its own schema. */
export function open<Body extends z.ZodType = z.ZodNever>(
  definition: Omit<OpenEndpoint, "kind" | "handle" | "body"> & {
    readonly body?: Body;
    readonly handle: (visit: OpenVisit<z.output<Body>>) => Promise<unknown>;
  },
): OpenEndpoint {
  return { kind: "open", ...definition };
}
