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
/** How late a limit of time may be noticed. */
const WATCH_MS = 20;

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
  /** When the whole call must be over. */
  #wholeUntil: number;
  /** When the current step must be over: to connect, to answer, or to send more. */
  #stepUntil: number;
  #step: "connect" | "first-byte" | "silence" | "discard" = "connect";
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
    const now = performance.now();
    this.#wholeUntil = now + parts.limits.wholeMs;
    this.#stepUntil = now + parts.limits.connectMs;
    watchDeadlines(this);
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
    this.#startStep("first-byte", this.#parts.limits.firstByteMs);
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
      this.#stepUntil = Number.POSITIVE_INFINITY;
    } else {
      this.#startSilence();
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
    this.#startStep("silence", this.#parts.limits.silenceMs);
  }

  #leave(): void {
    if (this.#over || this.#left) return;
    this.#left = true;
    this.#bytes = 0;
    this.#body.clear();
    this.#body.end();
    this.#stopWatching();
    this.#startStep("discard", DISCARD_MS_MAX);
    if (this.#paused) {
      this.#paused = false;
      this.#controller?.resume();
    }
  }

  #startStep(step: "first-byte" | "silence" | "discard", ms: number): void {
    this.#step = step;
    this.#stepUntil = performance.now() + ms;
  }

  /** Ends the exchange where a limit of time has passed. */
  checkDeadlines(now: number): void {
    if (now < this.#stepUntil && now < this.#wholeUntil) return;
    const { connectMs, firstByteMs, silenceMs, wholeMs } = this.#parts.limits;
    if (now >= this.#wholeUntil) this.#fail("whole-timeout", `did not finish within ${formatSeconds(wholeMs)}`);
    else if (this.#step === "connect")
      this.#fail("connect-timeout", `did not connect within ${formatSeconds(connectMs)}`);
    else if (this.#step === "first-byte")
      this.#fail("first-byte-timeout", `did not answer within ${formatSeconds(firstByteMs)}`);
    else if (this.#step === "silence") this.#fail("silence-timeout", `fell silent for ${formatSeconds(silenceMs)}`);
    else this.#close();
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
    watched.delete(this);
    this.#stopWatching();
  }

  #stopWatching(): void {
    this.#wholeUntil = Number.POSITIVE_INFINITY;
    this.#parts.signal.removeEventListener("abort", this.#onAbort);
  }
}

/** The exchanges under way. One timer looks at them all, as several for each would cost more than their work. */
const watched = new Set<HttpExchange>();
let watch: NodeJS.Timeout | undefined;

function watchDeadlines(exchange: HttpExchange): void {
  watched.add(exchange);
  watch ??= setInterval(() => {
    const now = performance.now();
    for (const each of watched) each.checkDeadlines(now);
    if (watched.size > 0) return;
    clearInterval(watch);
    watch = undefined;
  }, WATCH_MS);
}

function formatSeconds(ms: number): string {
  return `${ms / 1_000} s`;
}

function flattenHeaders(headers: IncomingHttpHeaders): Record<string, string | undefined> {
  // The parser made it for this exchange alone.
  for (const name in headers) {
    const value = headers[name];
    if (Array.isArray(value)) headers[name] = value.join(", ");
  }
  return headers as Record<string, string | undefined>;
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
