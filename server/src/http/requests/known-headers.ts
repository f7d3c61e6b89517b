import type { IncomingHttpHeaders } from "node:http";
import { HeldBodyRequest } from "./held-body.ts";

/**
 * A request whose headers are an object of the same shape in whatever order they come: node:http makes one of another shape
 * for each order, and code that was compiled for the clients so far would be thrown away when others connect.
 */
export class KnownHeadersRequest extends HeldBodyRequest {
  /** Called by node:http with the names and values of the headers in turn, and of the trailers. */
  _addHeaderLines(namesAndValues: readonly string[], count: number): void {
    if (!this.complete) this.headers = noHeaders();
    addHeaderLines.call(this, namesAndValues, count);
  }
}

type AddHeaderLines = (this: KnownHeadersRequest, namesAndValues: readonly string[], count: number) => void;

/** Node's own, which adds to the headers that are there. Its types don't have it. */
const addHeaderLines = Reflect.get(HeldBodyRequest.prototype, "_addHeaderLines") as AddHeaderLines;

/** All that are read of most requests, and that most clients send. Undefined counts as not sent. */
function noHeaders(): IncomingHttpHeaders {
  return {
    host: undefined,
    connection: undefined,
    "content-type": undefined,
    "content-length": undefined,
    "transfer-encoding": undefined,
    "content-encoding": undefined,
    authorization: undefined,
    "x-api-key": undefined,
    "api-key": undefined,
    "x-goog-api-key": undefined,
    cookie: undefined,
    origin: undefined,
    expect: undefined,
    accept: undefined,
    "accept-encoding": undefined,
    "user-agent": undefined,
    "idempotency-key": undefined,
    "x-request-id": undefined,
    "x-client-request-id": undefined,
    "x-forwarded-for": undefined,
    "x-trunkline-cache": undefined,
    "x-trunkline-data": undefined,
    "x-trunkline-tags": undefined,
    traceparent: undefined,
    tracestate: undefined,
  };
}
