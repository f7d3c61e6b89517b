import { type Agent, type IncomingHttpHeaders, request } from "node:http";

/** A request as a client sends it, and how long the client stays. */
export interface Order {
  readonly url: string;
  readonly method: string;
  readonly path: string;
  readonly key: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** When the client goes away on purpose: after a number of pieces of the answer, or after a time. */
  readonly leave?: { readonly afterPieces: number } | { readonly afterMs: number };
}

/** What the client received, or how it was left without an answer. */
export interface Ending {
  readonly kind: "answered" | "cut" | "left" | "unreached" | "silent";
  /** 0 where not even a status came. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Longer than anything may take that is answered at all. */
const SILENCE_MS = 60_000;

/** One exchange over the wire. Never rejects: every way in which it can end is an ending. */
export function exchange(agent: Agent, order: Order): Promise<Ending> {
  return new Promise((resolve) => {
    const text = order.body === undefined ? undefined : JSON.stringify(order.body);
    const received = { status: 0, headers: {} as IncomingHttpHeaders, text: "" };
    let kindOfEnd: Ending["kind"] = "cut";
    const outgoing = request(order.url + order.path, {
      agent,
      method: order.method,
      headers: {
        authorization: `Bearer ${order.key}`,
        ...(text === undefined
          ? {}
          : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
        ...order.headers,
      },
    });
    const breakOff = (kind: Ending["kind"]) => {
      kindOfEnd = kind;
      outgoing.destroy();
    };
    const patience = setTimeout(() => breakOff("silent"), SILENCE_MS);
    const leave = order.leave;
    const departure =
      leave !== undefined && "afterMs" in leave ? setTimeout(() => breakOff("left"), leave.afterMs) : undefined;
    outgoing.on("response", (response) => {
      received.status = response.statusCode ?? 0;
      received.headers = response.headers;
      response.setEncoding("utf8");
      let pieces = 0;
      response.on("data", (piece: string) => {
        received.text += piece;
        if (leave !== undefined && "afterPieces" in leave && ++pieces >= leave.afterPieces) breakOff("left");
      });
      response.on("end", () => {
        if (response.complete && kindOfEnd === "cut") kindOfEnd = "answered";
      });
      response.on("error", () => undefined);
    });
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      // The connection was refused, so nothing was sent.
      if (error.code === "ECONNREFUSED" && kindOfEnd === "cut") kindOfEnd = "unreached";
    });
    outgoing.on("close", () => {
      clearTimeout(patience);
      clearTimeout(departure);
      resolve({ kind: kindOfEnd, ...received });
    });
    outgoing.end(text);
  });
}
