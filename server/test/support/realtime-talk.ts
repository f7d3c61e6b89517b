import { once } from "node:events";
import { type IncomingMessage, request as openRequest } from "node:http";
import { connect } from "node:net";
import OpenAI from "openai";
import { OpenAIRealtimeWS } from "openai/realtime/ws";
import { expect } from "vitest";
import type { Event } from "./realtime-upstream.ts";

/** A session of OpenAI's own client, with all events that it gets. */
export interface Talk {
  readonly realtime: OpenAIRealtimeWS;
  readonly events: Event[];
  /** The next event of a type that was not waited for yet. */
  readonly next: (type: string) => Promise<Event>;
  readonly closed: Promise<number>;
}

export interface TalkOptions {
  readonly key: string;
  readonly url: string;
  readonly model: string;
}

export async function openTalk({ key, url, model }: TalkOptions): Promise<Talk> {
  const port = Number(new URL(url).port);
  const openai = new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
  // The library insists on TLS, which a proxy would end before us.
  const realtime = new OpenAIRealtimeWS({ model, options: { createConnection: () => connect(port) } as never }, openai);
  const events: Event[] = [];
  const waited = new Map<string, number>();
  realtime.on("event", (event) => void events.push(event));
  realtime.on("error", () => undefined);
  const closed = once(realtime.socket, "close").then(([code]) => Number(code));
  const next = async (type: string): Promise<Event> => {
    const place = waited.get(type) ?? 0;
    waited.set(type, place + 1);
    const found = () => events.filter((event) => event.type === type)[place];
    await expect.poll(found, { timeout: 10_000, interval: 5 }).toBeDefined();
    return found();
  };
  await next("session.created");
  return { realtime, events, next, closed };
}

/** How a request for a session is answered. One that is accepted is closed at once. */
export async function askForSession(
  address: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly error: Event; readonly protocol: string | undefined }> {
  const request = openRequest(address, {
    headers: {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
      ...headers,
    },
  });
  request.end();
  return new Promise((resolve, reject) => {
    request.on("error", reject);
    request.on("upgrade", (response, socket) => {
      socket.destroy();
      const protocol = response.headers["sec-websocket-protocol"];
      resolve({ status: 101, error: undefined, protocol });
    });
    request.on("response", async (response: IncomingMessage) => {
      let text = "";
      for await (const piece of response) text += String(piece);
      resolve({ status: response.statusCode ?? 0, error: JSON.parse(text).error, protocol: undefined });
    });
  });
}
