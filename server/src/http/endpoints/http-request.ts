import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyRequest } from "fastify";

/** What operations read of a request, whether it came through Fastify or below it. */
export type HttpRequest = Pick<
  FastifyRequest,
  "id" | "url" | "method" | "ip" | "headers" | "protocol" | "host" | "params" | "query"
> & { readonly raw: IncomingMessage };

/** What operations use of Fastify's reply. */
export interface HttpReply {
  readonly raw: ServerResponse;
  code(status: number): HttpReply;
  headers(fields: Readonly<Record<string, string | string[]>>): HttpReply;
  header(name: string, value: string): HttpReply;
  send(body?: string | Buffer): unknown;
  /** From here on the answer is written to `raw`. */
  hijack(): unknown;
}
