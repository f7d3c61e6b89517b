import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { acceptRealtime } from "@trunkline/providers/realtime/accept-realtime.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape and assert what they find.
export type Event = any;

/** One session at the provider. */
export interface UpstreamSession {
  readonly request: IncomingMessage;
  /** Everything it received. */
  readonly events: Event[];
  send(...events: readonly object[]): void;
  /** Breaks the connection off. */
  destroy(): void;
}

/** A provider of OpenAI's realtime protocol that does what a test says. */
export interface RealtimeUpstream {
  /** The base URL of its API. */
  readonly url: string;
  readonly sessions: UpstreamSession[];
  /** What it does about an event. */
  onEvent: (event: Event, session: UpstreamSession) => void;
  /** Refuses sessions with this status; undefined: it accepts them. */
  refusal: number | undefined;
  close(): Promise<void>;
}

export async function startRealtimeUpstream(): Promise<RealtimeUpstream> {
  const sockets = new Set<Duplex>();
  const server = createServer((_request, response) => response.writeHead(404).end());
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    if (upstream.refusal !== undefined) {
      const body = JSON.stringify({ error: { message: "Not today." } });
      socket.end(
        `HTTP/1.1 ${upstream.refusal} No\r\ncontent-length: ${body.length}\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n${body}`,
      );
      return;
    }
    void acceptRealtime(request, socket, head, 1_000).then((events) => {
      const session: UpstreamSession = {
        request,
        events: [],
        send: (...sent) => {
          for (const event of sent) void events.send(JSON.stringify(event));
        },
        destroy: () => socket.destroy(),
      };
      upstream.sessions.push(session);
      session.send({ type: "session.created", event_id: "event_1", session: { type: "realtime" } });
      events.read(
        async (text) => {
          const event: Event = JSON.parse(text);
          session.events.push(event);
          upstream.onEvent(event, session);
        },
        () => undefined,
      );
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const upstream: RealtimeUpstream = {
    url: `http://127.0.0.1:${port}/v1`,
    sessions: [],
    onEvent: () => undefined,
    refusal: undefined,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      if (server.listening) await once(server, "close");
    },
  };
  return upstream;
}

/** The events of a response with a text, from its beginning to its end. */
export function textResponse(id: string, pieces: readonly string[], usage: object | undefined): object[] {
  const at = { response_id: id, item_id: `item_${id}`, output_index: 0, content_index: 0 };
  const item = { id: `item_${id}`, type: "message", role: "assistant" };
  const text = pieces.join("");
  const output = [{ ...item, status: "completed", content: [{ type: "output_text", text }] }];
  return [
    { type: "response.created", response: { id, status: "in_progress", output: [] } },
    { type: "response.output_item.added", response_id: id, output_index: 0, item: { ...item, content: [] } },
    { type: "conversation.item.added", item: { ...item, content: [] } },
    ...pieces.map((delta) => ({ type: "response.output_text.delta", ...at, delta })),
    { type: "response.output_text.done", ...at, text },
    { type: "response.output_item.done", response_id: id, output_index: 0, item: output[0] },
    { type: "conversation.item.done", item: output[0] },
    { type: "response.done", response: { id, status: "completed", output, usage } },
  ];
}
