import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type HeldWrite, writeInTurn, writeTogether } from "@trunkline/core/write-together.ts";
import type { HeaderLines } from "../endpoints/header-lines.ts";
import { limitWriteWait } from "./limit-write-wait.ts";
import { beginPlainly, endPlainly } from "./write-response.ts";

/** Creates the body of a streamed answer, and begins the response with these headers. `waitMs`: how long the client may take nothing of it. */
export function openStream(raw: ServerResponse, headers: HeaderLines, waitMs: number): StreamBody {
  const head = beginPlainly(raw, 200, headers, "Transfer-Encoding: chunked\r\n");
  if (head !== undefined && raw.socket !== null) return new PlainStreamBody(raw, raw.socket, head, waitMs);
  raw.writeHead(200, headers.list);
  return new NodeStreamBody(raw, waitMs);
}

export interface StreamBody {
  /** Returns a promise where the client reads more slowly than it is written. */
  write(text: string): void | Promise<void>;
  /** Writes the last piece and ends the answer. */
  end(text: string): void;
}

/**
 * Writes to the socket itself, once in a turn of the event loop for all that came in it. Node's own `write` would hold
 * each piece back by itself, and pass four strings for it to the socket.
 */
class PlainStreamBody implements StreamBody, HeldWrite {
  readonly #raw: ServerResponse;
  readonly #socket: Socket;
  readonly #waitMs: number;
  #held: string;
  #isAscii = true;
  #isScheduled = false;
  #isEnded = false;

  constructor(raw: ServerResponse, socket: Socket, head: string, waitMs: number) {
    this.#raw = raw;
    this.#socket = socket;
    this.#held = head;
    this.#waitMs = waitMs;
  }

  write(text: string): void | Promise<void> {
    if (text === "") return;
    this.#hold(text);
    if (this.#held.length >= this.#socket.writableHighWaterMark) this.#writeHeld();
    else this.#schedule();
    if (this.#socket.writableNeedDrain) return untilDrained(this.#raw, this.#socket, this.#waitMs);
  }

  end(text: string): void {
    if (text !== "") this.#hold(text);
    this.#held += "0\r\n\r\n";
    this.#isEnded = true;
    this.#schedule();
  }

  #hold(text: string): void {
    const bytes = Buffer.byteLength(text);
    if (bytes !== text.length) this.#isAscii = false;
    this.#held += `${bytes.toString(16)}\r\n${text}\r\n`;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    writeInTurn(this);
  }

  writeNow(): void {
    this.#isScheduled = false;
    this.#writeHeld();
  }

  #writeHeld(): void {
    const text = this.#held;
    // Most text is ASCII, which is written faster as such.
    const encoding = this.#isAscii ? "latin1" : "utf8";
    this.#held = "";
    this.#isAscii = true;
    // A client that has left meanwhile.
    if (this.#socket.destroyed) return;
    if (this.#isEnded) endPlainly(this.#raw, text, encoding, this.#waitMs);
    else if (text !== "") this.#socket.write(text, encoding);
  }
}

/** For what is not a plain response, such as one over HTTP/1.0, whose clients know no chunks. */
class NodeStreamBody implements StreamBody {
  readonly #raw: ServerResponse;
  readonly #waitMs: number;
  readonly #isChunked: boolean;
  #isBegun = false;

  constructor(raw: ServerResponse, waitMs: number) {
    this.#raw = raw;
    this.#waitMs = waitMs;
    this.#isChunked = raw.chunkedEncoding;
    raw.chunkedEncoding = false;
  }

  write(text: string): void | Promise<void> {
    if (text === "") return;
    const bytes = Buffer.byteLength(text);
    const encoding = bytes === text.length ? "latin1" : "utf8";
    if (this.#raw.socket !== null) writeTogether(this.#raw.socket);
    const isTaken = this.#raw.write(this.#isChunked ? `${bytes.toString(16)}\r\n${text}\r\n` : text, encoding);
    if (!this.#isBegun) {
      this.#isBegun = true;
      forgetHead(this.#raw);
    }
    if (!isTaken) return untilDrained(this.#raw, undefined, this.#waitMs);
  }

  end(text: string): void {
    const chunk = this.#isChunked && text !== "" ? `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n` : text;
    const raw = this.#raw;
    const isHeld = raw.socket !== null && writeTogether(raw.socket, () => limitWriteWait(raw, this.#waitMs));
    raw.end(this.#isChunked ? `${chunk}0\r\n\r\n` : chunk);
    if (!isHeld) limitWriteWait(raw, this.#waitMs);
  }
}

/** `socket`: what was written to, where that was not the response. */
function untilDrained(raw: ServerResponse, socket: Socket | undefined, waitMs: number): Promise<void> {
  limitWriteWait(raw, waitMs);
  return new Promise((resolve) => {
    const pass = () => raw.emit("drain");
    const done = () => {
      raw.off("drain", done).off("close", done);
      socket?.off("drain", pass);
      resolve();
    };
    raw.on("drain", done).on("close", done);
    socket?.on("drain", pass);
  });
}

/** Node keeps the head of a response, as a chain of its pieces, until its end; of one that was sent, only whether there is one counts. */
function forgetHead(raw: ServerResponse): void {
  const state = raw as unknown as { _header?: string | null; _headerSent?: boolean };
  if (state._headerSent === true && typeof state._header === "string") state._header = "sent";
}
