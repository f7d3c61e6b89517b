import type { FastifyRequest } from "fastify";
import type { Fault } from "../kit/fault.ts";
import { errorToWire } from "../wire/error-body.ts";

/** What a wire format has of its own, whatever the operation: where clients put their key, and how a refusal looks. */
export interface Dialect {
  /** Every path of this format begins so. */
  readonly prefix: string;
  /** What was shown as `Authorization`, or stands for it; undefined: nothing was. */
  authorizationOf(request: FastifyRequest): string | undefined;
  errorBody(fault: Fault, requestId: string): unknown;
}

export const trunklineDialect: Dialect = {
  prefix: "/v1",
  authorizationOf: (request) => request.headers.authorization,
  errorBody: errorToWire,
};
