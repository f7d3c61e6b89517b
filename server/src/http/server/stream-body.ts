import type { ServerResponse } from "node:http";
import { writeTogether } from "@trunkline/core/write-together.ts";
import { limitWriteWait } from "./limit-write-wait.ts";

/**
 * The body of a streamed answer. Each piece is one chunk and one write; Node itself would pass four strings for it to the
 * socket. Create it once the head is written.
 */
export class StreamBody {
  readonly #raw: ServerResponse;
  readonly #waitMs: number;
  /** A client of HTTP/1.0 knows no chunks. */
  readonly #isChunked: boolean;
  #isBegun = false;

  /** `waitMs`: how long the client may take nothing of it. */
  constructor(raw: ServerResponse, waitMs: number) {
    this.#raw = raw;
    this.#waitMs = waitMs;
    this.#isChunked = raw.chunkedEncoding;
    raw.chunkedEncoding = false;
  }

  /** Returns a promise where the client reads more slowly than it is written. */
  write(text: string): void | Promise<void> {
    if (text === "") return;
    const bytes = Buffer.byteLength(text);
    // Most text is ASCII, which is written faster as such.
    const encoding = bytes === text.length ? "latin1" : "utf8";
    if (this.#raw.socket !== null) writeTogether(this.#raw.socket);
    const isTaken = this.#raw.write(this.#isChunked ? `${bytes.toString(16)}\r\n${text}\r\n` : text, encoding);
    if (!this.#isBegun) {
      this.#isBegun = true;
      forgetHead(this.#raw);
    }
    if (!isTaken) return this.#untilDrained();
  }

  /** Writes the last piece and ends the answer. */
  end(text: string): void {
    const chunk = this.#isChunked && text !== "" ? `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n` : text;
    const raw = this.#raw;
    const isHeld = raw.socket !== null && writeTogether(raw.socket, () => limitWriteWait(raw, this.#waitMs));
    raw.end(this.#isChunked ? `${chunk}0\r\n\r\n` : chunk);
    if (!isHeld) limitWriteWait(raw, this.#waitMs);
  }

  #untilDrained(): Promise<void> {
    const raw = this.#raw;
    limitWriteWait(raw, this.#waitMs);
    return new Promise((resolve) => {
      const done = () => {
        raw.off("drain", done).off("close", done);
        resolve();
      };
      raw.on("drain", done).on("close", done);
    });
  }
}

/** Node keeps the head of a response, as a chain of its pieces, until its end; of one that was sent, only whether there is one counts. */
function forgetHead(raw: ServerResponse): void {
  const state = raw as unknown as { _header?: string | null; _headerSent?: boolean };
  if (state._headerSent === true && typeof state._header === "string") state._header = "sent";
}
