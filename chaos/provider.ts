import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

/** What a client tells the provider by way of its parameters, which the gateway passes on as they are. */
export interface Wishes {
  /** Marks the one request this is, however often it is sent. */
  readonly ticket: string;
  readonly words: number;
  readonly pause_ms: number;
  /** How a model that can fail is to fail. */
  readonly fail?: "status" | "hang-up" | "nonsense";
  /** Whether the answer says what was used. */
  readonly usage: boolean;
}

/** The models, by name: one that always answers, one that fails on demand, and one with a price a request that does too. */
export const MODELS = ["steady", "flaky", "fixed"] as const;

const WORDS = ["river", "amber", "quiet", "lantern", "meadow", "copper", "harbour", "maple"];

/** A provider on loopback that answers, streams and fails as it is asked to, and remembers who asked. */
export class ChaosProvider {
  readonly #server: Server;
  /** For each ticket, the gateway's ids of the requests that reached the provider for it. */
  readonly asked = new Map<string, Set<string>>();
  calls = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<ChaosProvider> {
    const server = createServer();
    const provider = new ChaosProvider(server);
    server.on("request", (request, response) => {
      // A gateway that was killed in mid-answer leaves a connection that is gone.
      response.on("error", () => undefined);
      void provider.#answer(request, response).catch(() => response.destroy());
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return provider;
  }

  endpointOf(model: string): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/${model}/v1/generate`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const order = JSON.parse(Buffer.concat(pieces).toString()) as { parameters: Wishes; stream?: boolean };
    const wishes = order.parameters;
    this.#note(wishes.ticket, String(request.headers["x-request-id"]));
    await wait(wishes.pause_ms);
    if (wishes.fail !== undefined && request.url?.startsWith("/steady/") !== true) return fail(response, wishes.fail);
    if (order.stream === true) await stream(response, wishes);
    else response.end(JSON.stringify({ output: textFor(wishes).join(""), ...usageOf(wishes) }));
  }

  #note(ticket: string, requestId: string): void {
    this.calls++;
    const ids = this.asked.get(ticket) ?? new Set();
    this.asked.set(ticket, ids.add(requestId));
  }
}

function fail(response: ServerResponse, how: NonNullable<Wishes["fail"]>): void {
  if (how === "hang-up") response.destroy();
  else if (how === "nonsense") response.end("<p>Not what was agreed.</p>");
  else response.writeHead(500).end(JSON.stringify({ error: { message: "Failing as asked.", code: 500 } }));
}

async function stream(response: ServerResponse, wishes: Wishes): Promise<void> {
  for (const delta of textFor(wishes)) {
    if (response.destroyed) return;
    response.write(`${JSON.stringify({ delta })}\n`);
    await wait(wishes.pause_ms / 4);
  }
  response.end(`${JSON.stringify({ done: true, ...usageOf(wishes) })}\n`);
}

/** The answer to a ticket begins with it, so that a client can tell its own answer from another's. */
function textFor({ ticket, words }: Wishes): string[] {
  return [ticket, ...Array.from({ length: words }, (_, index) => ` ${WORDS[index % WORDS.length]}`)];
}

function usageOf({ words, usage }: Wishes) {
  return usage ? { usage: { input_tokens: 12, output_tokens: words + 4 } } : {};
}
