import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Wire } from "@trunkline/core/model.ts";
import type { StartedService } from "./started-service.ts";

/** A request as an upstream saw it. */
export interface UpstreamRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape and assert what they find.
  readonly json: any;
}

export interface UpstreamAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Several pieces are sent one after the other, each in a packet of its own. */
  readonly body: string | Buffer | readonly (string | Buffer)[];
}

export interface Upstream {
  /** Its address with plain http, without a slash at the end. */
  readonly url: string;
  readonly requests: UpstreamRequest[];
  /** What it answers from now on. */
  answer(script: (request: UpstreamRequest) => UpstreamAnswer): void;
  close(): Promise<void>;
}

/** A provider of any wire format, on this machine, that answers as scripted and records what it was asked. */
export async function startUpstream(
  script: (request: UpstreamRequest) => UpstreamAnswer = () => ({ status: 404, body: "{}" }),
): Promise<Upstream> {
  const requests: UpstreamRequest[] = [];
  let answerTo = script;
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces);
    const seen = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      body,
      json: readJson(body),
    };
    requests.push(seen);
    const { status = 200, headers = {}, body: answer } = answerTo(seen);
    const chunks = typeof answer === "string" || Buffer.isBuffer(answer) ? [answer] : answer;
    response.writeHead(status, { "content-type": "application/json", ...headers });
    for (const chunk of chunks) {
      response.write(chunk);
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    answer(next) {
      answerTo = next;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      if (server.listening) await once(server, "close");
    },
  };
}

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}

/** Registers a model of an upstream, as the operator does. Its price is a thousandth of a credit for a thousand tokens either way. */
export async function registerUpstream(
  service: StartedService,
  upstream: { readonly wire: Wire; readonly name: string; readonly endpoint: string },
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const answer = await service.call("POST", "/v1/provider/models", {
    type: "multimodal",
    pricing: { input_per_1k_tokens: 0.001, output_per_1k_tokens: 0.001 },
    credential: "upstream-key",
    streaming: true,
    ...upstream,
    ...more,
  });
  if (answer.status !== 201) throw new Error(`The upstream was not registered: ${answer.text}`);
}

/** Server-sent events, as providers send them. */
export const events = (...objects: readonly unknown[]): string[] =>
  objects.map((object) => `data: ${typeof object === "string" ? object : JSON.stringify(object)}\n\n`);
