import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import type { MediaPart } from "../domain/answer.ts";
import type { Caller, Scope } from "../domain/caller.ts";
import type { Receipt } from "../domain/receipt.ts";
import type { House } from "../house.ts";
import type { FaultType } from "../kit/fault.ts";
import type { InferenceForm } from "../validate/read-inference.ts";

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
}

/** An answer with a status or a form of its own. */
export class Reply {
  readonly status: number;
  readonly body: unknown;
  readonly contentType: string;

  constructor(status: number, body: unknown, contentType = "application/json; charset=utf-8") {
    this.status = status;
    this.body = body;
    this.contentType = contentType;
  }
}

/** An operation beside the line: reads or changes something, costs nothing. */
export interface ControlEndpoint extends Described {
  readonly kind: "control";
  readonly scope: Scope;
  readonly status: 200 | 201 | 204;
  /** Other content types it can answer with. */
  readonly alternatives?: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: the table holds operations of many shapes; each is checked where it is defined.
  handle(visit: Visit<any, any>): Promise<unknown>;
}

/** A whole answer, collected from its parts. */
export interface WholeAnswer {
  readonly text: string;
  readonly media: MediaPart | undefined;
  readonly receipt: Receipt;
}

/** An operation that goes down the line and is paid for. */
export interface InferenceEndpoint extends Described {
  readonly kind: "inference";
  readonly scope: "inference";
  readonly form: InferenceForm;
  /** How a whole answer looks; undefined: it is streamed. */
  readonly render: ((answer: WholeAnswer) => unknown) | undefined;
}

export type Endpoint = ControlEndpoint | InferenceEndpoint;

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
