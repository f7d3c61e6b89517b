import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import type { Connection, ExchangeHandler } from "./connection.ts";
import {
  DialFailure,
  type DialFailureKind,
  type DialLimits,
  type DialResponse,
  exchangeFailure,
} from "./dial-request.ts";

/** How much of a discarded response is worth reading to keep its connection. */
const DISCARD_BYTES_MAX = 64 * 1024;
const DISCARD_MS_MAX = 250;
const TIMER_MS_MAX = 2 ** 31 - 1;

/** The inputs of an exchange, and the callbacks for its head. */
interface HttpExchangeOptions {
  readonly limits: DialLimits;
  readonly connection: Connection;
  readonly signal: AbortSignal;
  onReply(reply: DialResponse): void;
  onFailure(failure: DialFailure): void;
}

/**
 * One exchange, from the first byte sent to the last one read: enforces limits of time and size, pauses the sender when
 * the reader is slow, and closes the connection when the exchange ends early.
 */
export class HttpExchange implements ExchangeHandler {
  readonly #parts: HttpExchangeOptions;
  readonly #body: BodyQueue;
  readonly #onAbort = () => this.abort();
  readonly #wholeTimer: NodeJS.Timeout;
  #stepTimer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #bytes = 0;
  #headCame = false;
  #left = false;
  #over = false;
  #paused = false;
  #mayPause = true;

  constructor(parts: HttpExchangeOptions) {
    this.#parts = parts;
    this.#body = new BodyQueue({ onDrain: () => this.#resume(), onCancel: () => this.#close() });
    const { connectMs, wholeMs } = parts.limits;
    this.#wholeTimer = startTimer(wholeMs, () => {
      this.#fail("whole-timeout", `did not finish within ${formatSeconds(wholeMs)}`);
    });
    this.#stepTimer = startTimer(connectMs, () => {
      this.#fail("connect-timeout", `did not connect within ${formatSeconds(connectMs)}`);
    });
    parts.signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  get paused(): boolean {
    return this.#paused;
  }

  /** Ends the exchange at once and drops unread data. */
  abort(): void {
    if (this.#over) return;
    this.#body.clear();
    this.#fail("aborted", "the call was ended");
  }

  drain(): void {
    this.#mayPause = false;
    this.#resume();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#over) return;
    this.#controller = controller;
    const { firstByteMs } = this.#parts.limits;
    this.#startStep(firstByteMs, () => {
      this.#fail("first-byte-timeout", `did not answer within ${formatSeconds(firstByteMs)}`);
    });
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // Informational responses such as 103 do not extend the time limit.
    if (this.#over || status < 200) return;
    if (Number(headers["content-length"] ?? 0) > this.#parts.limits.responseBytes) {
      this.#failTooLarge();
      return;
    }
    this.#headCame = true;
    this.#startSilence();
    this.#parts.onReply({
      status,
      headers: flattenHeaders(headers),
      body: this.#body,
      discardBody: () => this.#leave(),
    });
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    if (this.#over) return;
    this.#bytes += piece.length;
    if (this.#left) {
      if (this.#bytes > DISCARD_BYTES_MAX) this.#close();
      return;
    }
    if (this.#bytes > this.#parts.limits.responseBytes) {
      this.#failTooLarge();
      return;
    }
    this.#body.push(piece);
    if (this.#body.isFull && this.#mayPause) {
      this.#paused = true;
      controller.pause();
      // While we are not reading, silence is not the sender's.
      clearTimeout(this.#stepTimer);
    } else {
      this.#stepTimer.refresh();
    }
  }

  onResponseEnd(): void {
    if (this.#over) return;
    this.#settle();
    this.#body.end();
    this.#parts.connection.release();
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    const { kind, message, cause } = exchangeFailure(error);
    this.#fail(kind, message, cause);
  }

  #resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    if (!this.#over) this.#startSilence();
    this.#controller?.resume();
  }

  #startSilence(): void {
    const { silenceMs } = this.#parts.limits;
    this.#startStep(silenceMs, () => {
      this.#fail("silence-timeout", `fell silent for ${formatSeconds(silenceMs)}`);
    });
  }

  #leave(): void {
    if (this.#over || this.#left) return;
    this.#left = true;
    this.#bytes = 0;
    this.#body.clear();
    this.#body.end();
    this.#stopWatching();
    this.#startStep(DISCARD_MS_MAX, () => this.#close());
    if (this.#paused) {
      this.#paused = false;
      this.#controller?.resume();
    }
  }

  #startStep(ms: number, onElapsed: () => void): void {
    clearTimeout(this.#stepTimer);
    this.#stepTimer = startTimer(ms, onElapsed);
  }

  #failTooLarge(): void {
    this.#fail("too-large", `answered with more than ${this.#parts.limits.responseBytes} bytes`);
  }

  #fail(kind: DialFailureKind, message: string, cause?: unknown): void {
    if (this.#over) return;
    this.#close();
    const failure = new DialFailure(kind, message, { cause });
    if (this.#headCame) this.#body.end(failure);
    else this.#parts.onFailure(failure);
  }

  #close(): void {
    if (this.#over) return;
    this.#settle();
    this.#parts.connection.destroy();
  }

  #settle(): void {
    this.#over = true;
    clearTimeout(this.#stepTimer);
    this.#stopWatching();
  }

  #stopWatching(): void {
    clearTimeout(this.#wholeTimer);
    this.#parts.signal.removeEventListener("abort", this.#onAbort);
  }
}

function startTimer(ms: number, onElapsed: () => void): NodeJS.Timeout {
  // A longer delay would overflow the timer and fire at once.
  return setTimeout(onElapsed, Math.min(ms, TIMER_MS_MAX));
}

function formatSeconds(ms: number): string {
  return `${ms / 1_000} s`;
}

function flattenHeaders(headers: IncomingHttpHeaders): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
  );
}

/** How much is buffered for a slow reader before the sender is paused. */
const BUFFERED_BYTES_MAX = 64 * 1024;

interface Reader {
  resolve(result: IteratorResult<Buffer, undefined>): void;
  reject(error: Error): void;
}

/** What the queue calls on the producer. */
interface BodySource {
  /** There is space in the buffer again. */
  onDrain(): void;
  /** The reader stopped before the end. */
  onCancel(): void;
}

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** The pieces of a body between the socket and its one reader. */
class BodyQueue implements AsyncIterableIterator<Buffer, undefined> {
  readonly #source: BodySource;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #reader: Reader | undefined;
  #ended = false;
  #failure: Error | undefined;

  constructor(source: BodySource) {
    this.#source = source;
  }

  /** Whether the sender should be paused. */
  get isFull(): boolean {
    return this.#waitingBytes >= BUFFERED_BYTES_MAX;
  }

  push(piece: Buffer): void {
    if (this.#ended || piece.length === 0) return;
    const reader = this.#takeReader();
    if (reader !== undefined) {
      reader.resolve({ done: false, value: piece });
      return;
    }
    this.#waiting.push(piece);
    this.#waitingBytes += piece.length;
  }

  /** No more data comes. Buffered data can still be read, and then the failure, if there is one. */
  end(failure?: Error): void {
    if (this.#ended) return;
    this.#ended = true;
    const reader = this.#takeReader();
    if (failure === undefined) reader?.resolve(DONE);
    else if (reader === undefined) this.#failure = failure;
    else reader.reject(failure);
  }

  /** Drops buffered data. */
  clear(): void {
    this.#waiting = [];
    this.#waitingBytes = 0;
  }

  next(): Promise<IteratorResult<Buffer, undefined>> {
    const piece = this.#waiting.shift();
    if (piece !== undefined) {
      this.#waitingBytes -= piece.length;
      if (!this.#ended && this.#waitingBytes < BUFFERED_BYTES_MAX / 2) this.#source.onDrain();
      return Promise.resolve({ done: false, value: piece });
    }
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#ended) return Promise.resolve(DONE);
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  return(): Promise<IteratorResult<Buffer, undefined>> {
    const early = !this.#ended;
    this.clear();
    this.#failure = undefined;
    this.end();
    if (early) this.#source.onCancel();
    return Promise.resolve(DONE);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #takeReader(): Reader | undefined {
    const reader = this.#reader;
    this.#reader = undefined;
    return reader;
  }
}
