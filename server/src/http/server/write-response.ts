import { ServerResponse, STATUS_CODES } from "node:http";
import { type HeldWrite, writeInTurn } from "@trunkline/core/write-together.ts";
import type { HeaderLines } from "../endpoints/header-lines.ts";
import { limitWriteWait } from "./limit-write-wait.ts";

/** What a response of node:http keeps of its state, apart from what its type says. */
interface ResponseState {
  _header: string | null;
  _headerSent: boolean;
  _keepAliveTimeout: number;
  finished: boolean;
}

/**
 * Sends a whole response. Node's own `writeHead` and `end` check every header, write head and body as a list, and send at
 * once whatever is held back on the socket: together that took nearly half the time of a refusal. So a plain response on
 * a kept connection is one text, written to the socket. Everything else is left to Node.
 * `bytes`: the length of the body, where it is known: to find it out copies a text that was put together of pieces.
 */
export function writeResponse(
  response: ServerResponse,
  status: number,
  headers: HeaderLines,
  body: string | Buffer,
  writeWaitMs: number,
  bytes?: number,
): void {
  const length = bytes ?? Buffer.byteLength(body);
  headers.addLines(`content-length: ${length}\r\n`);
  const head = typeof body === "string" ? beginPlainly(response, status, headers) : undefined;
  if (head === undefined) {
    response.writeHead(status, headers.list);
    // ASCII is written faster.
    if (typeof body === "string") response.end(body, length === body.length ? "latin1" : "utf8");
    else response.end(body);
    limitWriteWait(response, writeWaitMs);
    return;
  }
  writeInTurn(new PlainResponse(response, head + body, length === body.length, writeWaitMs));
}

/** A plain response that waits to be written. */
class PlainResponse implements HeldWrite {
  readonly #response: ServerResponse;
  readonly #text: string;
  readonly #isAscii: boolean;
  readonly #writeWaitMs: number;

  constructor(response: ServerResponse, text: string, isAscii: boolean, writeWaitMs: number) {
    this.#response = response;
    this.#text = text;
    this.#isAscii = isAscii;
    this.#writeWaitMs = writeWaitMs;
  }

  writeNow(): void {
    // The client may have left meanwhile.
    if (this.#response.socket?.destroyed !== false) return;
    endPlainly(this.#response, this.#text, this.#isAscii ? "latin1" : "utf8", this.#writeWaitMs);
  }
}

/**
 * The head of a response that is written to the socket without Node's own `write` and `end`; undefined where it must be
 * left to Node. `framing`: headers that say how its body is sent, as Node puts them last.
 */
export function beginPlainly(
  response: ServerResponse,
  status: number,
  headers: HeaderLines,
  framing = "",
): string | undefined {
  const head = isPlain(response) ? headOf(response, status, headers, framing) : undefined;
  if (head === undefined) return undefined;
  const state = response as unknown as ResponseState;
  response.statusCode = status;
  // Only whether there is one counts from now on.
  state._header = "sent";
  state._headerSent = true;
  return head;
}

/** Writes the last of such a response. */
export function endPlainly(
  response: ServerResponse,
  text: string,
  encoding: "latin1" | "utf8",
  writeWaitMs: number,
): void {
  (response as unknown as ResponseState).finished = true;
  // With `finish` the server lets go of the request, as after `end`.
  response.socket?.write(text, encoding, () => response.emit("finish"));
  limitWriteWait(response, writeWaitMs);
}

/** Whether it is the next response on a connection that stays open, and nothing of it was sent or set. */
function isPlain(response: ServerResponse): boolean {
  const { socket, req } = response;
  return (
    response.constructor === ServerResponse &&
    socket !== null &&
    !socket.destroyed &&
    !response.headersSent &&
    response.shouldKeepAlive &&
    req.httpVersionMinor === 1 &&
    response.getHeaderNames().length === 0
  );
}

/** The head as text; undefined where a value could not be sent as it is, or where the connection ends with the answer. */
function headOf(response: ServerResponse, status: number, headers: HeaderLines, framing: string): string | undefined {
  const { lines } = headers;
  if (lines === undefined) return undefined;
  const statusLine = status === 200 ? OK_LINE : `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n`;
  const keepAliveSeconds = Math.floor((response as unknown as ResponseState)._keepAliveTimeout / 1_000);
  return statusLine + lines + endOfHead(keepAliveSeconds, framing);
}

const OK_LINE = "HTTP/1.1 200 OK\r\n";

let madeAt = 0;
let madeFor = 0;
let madeFraming = "";
let made = "";

/** The headers that Node adds to every response, the framing, and the line after them: made once a second. */
function endOfHead(keepAliveSeconds: number, framing: string): string {
  const second = Math.floor(Date.now() / 1_000);
  if (second !== madeAt || keepAliveSeconds !== madeFor || framing !== madeFraming) {
    const date = new Date(second * 1_000).toUTCString();
    made = `Date: ${date}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n${framing}\r\n`;
    madeAt = second;
    madeFor = keepAliveSeconds;
    madeFraming = framing;
  }
  return made;
}
