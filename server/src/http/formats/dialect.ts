import type { Fault } from "@trunkline/core/fault.ts";
import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import { errorResponseSchema, toErrorResponse } from "./error-body.ts";

/** What a wire format has of its own, whatever the operation: where clients put their key, and how a refusal looks. */
export interface Dialect {
  /** Every path of this format begins so. */
  readonly prefix: string;
  /** What the OpenAPI document calls the form of a refusal, and that form. */
  readonly errorSchemaName: string;
  readonly errorSchema: z.ZodType;
  /** What was shown as `Authorization`, or stands for it; undefined: nothing was. */
  authorizationOf(request: FastifyRequest): string | undefined;
  errorBody(fault: Fault, requestId: string): unknown;
  /** What every answer has in its head besides our own. */
  headersOf?(requestId: string): Readonly<Record<string, string>>;
}

export const trunklineDialect: Dialect = {
  prefix: "/v1",
  errorSchemaName: "Error",
  errorSchema: errorResponseSchema,
  authorizationOf: (request) => request.headers.authorization,
  errorBody: toErrorResponse,
};
