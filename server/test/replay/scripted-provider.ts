import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createSeededRandom, type Random } from "@trunkline/core/random.ts";
import type { ManualClock } from "@trunkline/testing/manual-clock.ts";
import { type AnswerReply, type Asked, type FailureReply, latencyOf, replyTo } from "./provider-replies.ts";
import { encodeReply, type ProviderWire, readAsked } from "./provider-wires.ts";

/** A call as a provider received it. */
export interface ReceivedCall {
  readonly model: string;
  readonly path: string;
  readonly body: unknown;
}

/** All providers of the replay behind one address. A model's path is `/wire/provider/name`. */
export interface ScriptedProvider {
  readonly url: string;
  /** The calls since this was last asked. */
  takeCalls(): ReceivedCall[];
  close(): Promise<void>;
}

/**
 * Starts the providers. Their replies depend on the request alone, and the clock moves only here: a call takes as long
 * as its model's latency says, however slow the machine is.
 */
export async function startScriptedProvider(clock: ManualClock): Promise<ScriptedProvider> {
  let calls: ReceivedCall[] = [];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const [, wire = "", provider = "", name = "", ...rest] = (request.url ?? "").split("/");
    const body: unknown = JSON.parse(Buffer.concat(pieces).toString("utf8"));
    const path = rest.join("/");
    const model = `${provider}/${name}`;
    calls.push({ model, path, body });
    const random = createSeededRandom(`${model} ${path} ${canonicalJson(body)}`);
    clock.advance(latencyOf(model, random));
    // Whether a kept connection is found closed, and the request sent once more, depends on the machine.
    response.shouldKeepAlive = false;
    send(response, wire as ProviderWire, readAsked(wire as ProviderWire, model, path, body), random);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    takeCalls() {
      const taken = calls;
      calls = [];
      return taken;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      if (server.listening) await once(server, "close");
    },
  };
}

/** Sends a reply in one piece: how a stream is cut into packets must not depend on the machine. */
function send(response: ServerResponse, wire: ProviderWire, asked: Asked & { embeds: number }, random: Random): void {
  const reply: AnswerReply | FailureReply = replyTo(asked, random);
  if (reply.kind === "failure") {
    if (reply.status === undefined) response.destroy();
    else response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers }).end(reply.body);
    return;
  }
  const { contentType, body, isCut } = encodeReply(wire, asked, reply, random);
  response.writeHead(200, { "content-type": contentType });
  if (!isCut) response.end(body);
  // The end of the connection follows what was written, and nothing says that the answer is over.
  else response.write(body, () => response.destroy());
}

/** JSON that does not depend on the order of fields. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}
