import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** An event that came in, from any sender. */
export interface ReceivedEvent {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape and assert what they find.
  readonly json: any;
  /** Resolves when the sender goes away before it was answered. */
  readonly abandoned: Promise<void>;
}

/** A server that takes webhooks as a customer's would, on a real socket. */
export interface WebhookReceiver {
  readonly url: string;
  readonly events: ReceivedEvent[];
  /** How it answers; at first with 204. */
  answer: (response: ServerResponse, event: ReceivedEvent) => void;
  /** The types of what came in, in order. */
  types(): string[];
  stop(): Promise<void>;
}

export const takeIt: WebhookReceiver["answer"] = (response) => void response.writeHead(204).end();

/** Answers with a status and nothing else. */
export function answerWith(status: number): WebhookReceiver["answer"] {
  return (response) => void response.writeHead(status).end();
}

export async function startReceiver(): Promise<WebhookReceiver> {
  const sockets = new Set<Socket>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString("utf8");
    const abandoned = new Promise<void>((resolve) => {
      response.on("close", () => {
        if (!response.writableFinished) resolve();
      });
    });
    const { url = "", headers } = request;
    const event = { path: url, headers, body, json: JSON.parse(body), abandoned };
    receiver.events.push(event);
    receiver.answer(response, event);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${port}/hook`,
    events: [],
    answer: takeIt,
    types: () => receiver.events.map(({ json }) => json.type),
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

/** How far a sender's clock may be off. */
const TOLERANCE_SECONDS = 300;

/** Whether an event is signed with this secret, checked as a customer would, from the convention alone. */
export function isSignedWith(secret: string, { headers, body }: ReceivedEvent): boolean {
  const id = String(headers["webhook-id"]);
  const timestamp = String(headers["webhook-timestamp"]);
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const wanted = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest();
  return String(headers["webhook-signature"])
    .split(" ")
    .some((signature) => {
      const [version, value = ""] = signature.split(",");
      const given = Buffer.from(value, "base64");
      return version === "v1" && given.length === wanted.length && timingSafeEqual(given, wanted);
    });
}
