import { FAULT_STATUS, Fault, type FaultType } from "@trunkline/core/fault.ts";
import { z } from "zod";
import type { HttpRequest } from "../endpoints/http-request.ts";

/** A place in a text that the safety check refused. */
export const refusedSpanSchema = z.object({
  category: z.string(),
  start: z.number().describe("An offset into the input's or the answer's text."),
  end: z.number().describe("The same, exclusive."),
});

/** The format of every error. */
export const errorResponseSchema = z.object({
  error: z.object({
    message: z.string().describe("A sentence that says what to do."),
    code: z.number().describe("The HTTP status."),
    type: z.enum(Object.keys(FAULT_STATUS) as [FaultType, ...FaultType[]]),
    param: z.string().optional().describe("The field at fault."),
    request_id: z.string(),
    categories: z.array(z.string()).optional().describe("Why the safety check refused."),
    spans: z.array(refusedSpanSchema).optional().describe("Where in the text that stands."),
    attempts: z.array(z.object({ model: z.string(), reason: z.string(), ms: z.number() })).optional(),
    cost: z.number().optional().describe("What was charged although the answer is an error, in credits."),
  }),
});

export function toErrorResponse(fault: Fault, requestId: string): z.infer<typeof errorResponseSchema> {
  const { param, categories, spans, attempts, cost } = fault.details;
  return {
    error: {
      message: fault.message,
      code: fault.status,
      type: fault.type,
      ...(param === undefined ? {} : { param }),
      request_id: requestId,
      ...(categories === undefined ? {} : { categories: [...categories] }),
      ...(spans === undefined ? {} : { spans: [...spans] }),
      ...(attempts === undefined
        ? {}
        : { attempts: attempts.map((attempt) => ({ ...attempt, ms: Math.round(attempt.ms) })) }),
      ...(cost === undefined ? {} : { cost }),
    },
  };
}

/** What is the same for all operations of a wire format, above all how errors look. */
export interface Dialect {
  /** Every path of this format starts with it. */
  readonly prefix: string;
  /** The name of the error's schema in the OpenAPI document, and that schema. */
  readonly errorSchemaName: string;
  readonly errorSchema: z.ZodType;
  errorBody(fault: Fault, requestId: string): unknown;
  /**
   * Whether its clients are told what all providers said alike, as they know it: that the request is wrong or too long, or
   * that they must wait. They would else send the same request again and again.
   */
  readonly repeatsProviders?: boolean;
  /** A header of every answer, besides our own, in which the clients of this format look for the request's id. */
  readonly requestIdHeader?: string;
}

/**
 * The `Authorization` header, or what replaces it in one of the formats; undefined: the client sent none. A client that
 * sends several has a key of its vendor's as well; the bearer token is the one that is set for gateways.
 */
export function authorizationOf({ headers }: Pick<HttpRequest, "headers">): string | undefined {
  return (
    firstValue(headers.authorization) ??
    firstValue(headers["x-api-key"]) ??
    firstValue(headers["api-key"]) ??
    firstValue(headers["x-goog-api-key"])
  );
}

function firstValue(header: string | string[] | undefined): string | undefined {
  const value = Array.isArray(header) ? header[0] : header;
  return value === undefined || value.trim() === "" ? undefined : value;
}

/** A fault as the clients of a format are told it. */
export function toClientFault(fault: Fault, { repeatsProviders = false }: Dialect): Fault {
  const { providersSaid } = fault.details;
  if (!repeatsProviders || providersSaid === undefined) return fault;
  const { retryAfterSeconds, ...others } = fault.details;
  // What the request itself is wrong about is not mended by waiting.
  const canBeRetried = retryAfterSeconds !== undefined && FAULT_STATUS[providersSaid] !== 400;
  const details = canBeRetried ? fault.details : others;
  return new Fault(providersSaid, fault.message, details, { cause: fault });
}

export const trunklineDialect: Dialect = {
  prefix: "/v1",
  errorSchemaName: "Error",
  errorSchema: errorResponseSchema,
  errorBody: toErrorResponse,
};
