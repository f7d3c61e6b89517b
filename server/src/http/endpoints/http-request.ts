import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyRequest } from "fastify";
import type { HeaderLines } from "./header-lines.ts";

/** What operations read of a request, whether it came through Fastify or below it. */
export type HttpRequest = Pick<
  FastifyRequest,
  "id" | "url" | "method" | "ip" | "headers" | "protocol" | "host" | "params" | "query"
> & { readonly raw: IncomingMessage };

/** How a whole answer is sent, through Fastify or below it. */
export interface HttpReply {
  readonly raw: ServerResponse;
  /** `bytes`: the length of a text, where it is known. */
  send(status: number, headers: HeaderLines, body: string | Buffer, bytes?: number): void;
  /** From here on the answer is written to `raw`. */
  hijack(): void;
}
