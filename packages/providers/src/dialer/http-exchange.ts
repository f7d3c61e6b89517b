import { ActiveList, type Listed } from "@trunkline/core/active-list.ts";
import type { CancelSignal } from "@trunkline/core/cancellation.ts";
import { Arrival, promiseOf, TurnBatch } from "@trunkline/core/in-step.ts";
import {
  type DialCall,
  DialFailure,
  type DialFailureKind,
  type DialLimits,
  type DialResponse,
} from "./dial-request.ts";
import type { ResponseHeaders, ResponseListener } from "./response-parser.ts";

/** How much of a discarded response is worth reading to keep its connection. */
const DISCARD_BYTES_MAX = 64 * 1024;
const DISCARD_MS_MAX = 250;
/** How late a limit of time may be noticed. */
const WATCH_MS = 20;
/** How much is buffered for a slow reader before the sender is paused. */
const BUFFERED_BYTES_MAX = 64 * 1024;

/** A request as it is written to a socket. */
export interface RequestMessage {
  readonly head: string;
  readonly body: string | Buffer;
  /** Whether head and body are ASCII, which is written faster. */
  readonly isAscii: boolean;
}

/** What an exchange knows of the call that it is made for. */
type ExchangeCall = Pick<DialCall, "limits" | "signal" | "onReply" | "onBytes" | "onFailure">;

/** What an exchange does with its connection. */
interface ExchangeConnection {
  /** Reads on, after the exchange was paused. */
  resume(): void;
  /** Ends the exchange: the connection may carry another. */
  release(): void;
  /** Closes the socket at once. */
  destroy(): void;
}

const NO_HEADERS: ResponseHeaders = {};
const SENT_MESSAGE: RequestMessage = { head: "", body: "", isAscii: true };
const ONCE = { once: true };
const NO_BYTES = Buffer.alloc(0);

/**
 * One exchange, from the first byte sent to the last one read: enforces limits of time and size, pauses the sender when
 * the reader is slow, and closes the connection when the exchange ends early. Once its head has come it is the response.
 */
export class HttpExchange implements DialResponse, ResponseListener, Listed {
  place = -1;
  /** Empty once the answer has begun: it is not sent again then, and a stream may stay open for long. */
  message: RequestMessage;
  status = 0;
  headers: ResponseHeaders = NO_HEADERS;
  readonly #limits: DialLimits;
  readonly #signal: CancelSignal;
  readonly #call: ExchangeCall;
  #connection: ExchangeConnection | undefined;
  /** When the whole call must be over. */
  #wholeUntil: number;
  /** When the current step must be over: to connect, to answer, or to send more. */
  #stepUntil: number;
  #step: "connect" | "first-byte" | "silence" | "discard" = "connect";
  #receivedBytes = 0;
  #hasHead = false;
  #isHandedOver = false;
  #isDiscarded = false;
  #isOver = false;
  #isPaused = false;
  /** The first piece of the body that was not read yet, and those after it: nearly always there is one. */
  #piece: Buffer | undefined;
  #laterPieces: Buffer[] | undefined;
  #bufferedBytes = 0;
  /** Whether bytes were given to the call whose reader was not back yet. */
  #hasGiven = false;
  /** The reader's wait for more. */
  #arrival: Arrival | undefined;
  #isReaderWaiting = false;
  #isReaderScheduled = false;
  /** No more pieces come. */
  #isBodyOver = false;
  #bodyFailure: Error | undefined;

  constructor(message: RequestMessage, call: ExchangeCall) {
    const { limits, signal } = call;
    this.message = message;
    this.#limits = limits;
    this.#signal = signal;
    this.#call = call;
    const now = performance.now();
    this.#wholeUntil = now + limits.wholeMs;
    this.#stepUntil = now + limits.connectMs;
    watchDeadlines(this);
    signal.addEventListener("abort", this, ONCE);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether the connection should not be read now, as the reader is slow. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** The call is no longer wanted. */
  handleEvent(): void {
    this.abort();
  }

  /** Ends the exchange at once and drops unread data. */
  abort(): void {
    if (this.#isOver) return;
    this.#clear();
    this.#fail("aborted", "the call was ended");
  }

  /** The request goes out on this connection; a second time if the first was closed before the request came there. */
  connected(connection: ExchangeConnection): void {
    this.#connection = connection;
    this.#startStep("connect", this.#limits.connectMs);
  }

  sent(): void {
    this.#startStep("first-byte", this.#limits.firstByteMs);
  }

  onHead(status: number, headers: ResponseHeaders): void {
    if (this.#isOver) return;
    if (Number(headers["content-length"] ?? 0) > this.#limits.responseBytes) {
      this.#failTooLarge();
      return;
    }
    this.#hasHead = true;
    this.message = SENT_MESSAGE;
    this.status = status;
    this.headers = headers;
    this.#startSilence();
    arrivals.add(this);
  }

  onData(bytes: Buffer, from: number, to: number): void {
    if (this.#isOver) return;
    this.#receivedBytes += to - from;
    if (this.#isDiscarded) {
      if (this.#receivedBytes > DISCARD_BYTES_MAX) this.#close();
      return;
    }
    if (this.#receivedBytes > this.#limits.responseBytes) {
      this.#failTooLarge();
      return;
    }
    if (this.#isReaderWaiting && this.#call.onBytes !== undefined) {
      const mustWake = this.#call.onBytes(bytes.subarray(from, to));
      if (!mustWake && !this.#hasGiven) {
        this.#startSilence();
        return;
      }
      this.#hasGiven = true;
    } else {
      const piece = copyOf(bytes, from, to);
      if (this.#piece === undefined) this.#piece = piece;
      else if (this.#laterPieces === undefined) this.#laterPieces = [piece];
      else this.#laterPieces.push(piece);
    }
    this.#bufferedBytes += to - from;
    this.#scheduleReader();
    if (this.#bufferedBytes >= BUFFERED_BYTES_MAX) {
      this.#isPaused = true;
      // While we are not reading, silence is not the sender's.
      this.#stepUntil = Number.POSITIVE_INFINITY;
    } else {
      this.#startSilence();
    }
  }

  onEnd(): void {
    if (this.#isOver) return;
    this.#settle();
    this.#endBody(undefined);
    this.#connection?.release();
  }

  /** The connection failed. */
  onError({ kind, message, cause }: DialFailure): void {
    this.#fail(kind, message, cause);
  }

  read(): Buffer | undefined | Arrival {
    if (this.#hasGiven) {
      this.#hasGiven = false;
      return this.#piece === undefined ? this.#takePieces(NO_BYTES) : NO_BYTES;
    }
    if (this.#piece !== undefined) return this.#takePieces(this.#piece);
    if (this.#bodyFailure !== undefined) throw this.#bodyFailure;
    if (this.#isBodyOver) return undefined;
    this.#isReaderWaiting = true;
    this.#arrival ??= new Arrival();
    return this.#arrival.begin();
  }

  /** All that has come, as one piece: each costs its reader as much as a longer one. */
  #takePieces(first: Buffer): Buffer {
    const later = this.#laterPieces;
    const all = later === undefined ? first : Buffer.concat([first, ...later], this.#bufferedBytes);
    this.#clear();
    if (this.#isPaused) this.#resume();
    return all;
  }

  cancel(): void {
    this.#clear();
    this.#bodyFailure = undefined;
    // What is over, or is left to end by itself, does not close the connection.
    if (this.#isBodyOver) return;
    this.#endBody(undefined);
    this.#close();
  }

  discardBody(): void {
    if (this.#isOver || this.#isDiscarded) return;
    this.#isDiscarded = true;
    this.#receivedBytes = 0;
    this.#clear();
    this.#endBody(undefined);
    this.#stopWatching();
    this.#startStep("discard", DISCARD_MS_MAX);
    if (this.#isPaused) {
      this.#isPaused = false;
      this.#connection?.resume();
    }
  }

  /** Hands over the response, or wakes the reader that waits for more of it. */
  serveReader(): void {
    if (!this.#isHandedOver) {
      this.#isHandedOver = true;
      this.#call.onReply(this);
      return;
    }
    this.#isReaderScheduled = false;
    this.#isReaderWaiting = false;
    this.#arrival?.come();
  }

  get body(): AsyncIterable<Buffer> {
    return { [Symbol.asyncIterator]: () => new BodyIterator(this) };
  }

  /** Ends the exchange where a limit of time has passed. */
  checkDeadlines(now: number): void {
    if (now < this.#stepUntil && now < this.#wholeUntil) return;
    const { connectMs, firstByteMs, silenceMs, wholeMs } = this.#limits;
    if (now >= this.#wholeUntil) this.#fail("whole-timeout", `did not finish within ${formatSeconds(wholeMs)}`);
    else if (this.#step === "connect")
      this.#fail("connect-timeout", `did not connect within ${formatSeconds(connectMs)}`);
    else if (this.#step === "first-byte")
      this.#fail("first-byte-timeout", `did not answer within ${formatSeconds(firstByteMs)}`);
    else if (this.#step === "silence") this.#fail("silence-timeout", `fell silent for ${formatSeconds(silenceMs)}`);
    else this.#close();
  }

  #resume(): void {
    this.#isPaused = false;
    if (this.#isOver) return;
    this.#startSilence();
    this.#connection?.resume();
  }

  #startSilence(): void {
    this.#startStep("silence", this.#limits.silenceMs);
  }

  #startStep(step: "connect" | "first-byte" | "silence" | "discard", ms: number): void {
    this.#step = step;
    this.#stepUntil = performance.now() + ms;
  }

  #clear(): void {
    this.#hasGiven = false;
    this.#piece = undefined;
    this.#laterPieces = undefined;
    this.#bufferedBytes = 0;
  }

  /** No more data comes. Buffered data can still be read, and then the failure, if there is one. */
  #endBody(failure: Error | undefined): void {
    if (this.#isBodyOver) return;
    this.#isBodyOver = true;
    this.#bodyFailure = failure;
    this.#scheduleReader();
  }

  #scheduleReader(): void {
    if (!this.#isReaderWaiting || this.#isReaderScheduled) return;
    this.#isReaderScheduled = true;
    arrivals.add(this);
  }

  #failTooLarge(): void {
    this.#fail("too-large", `answered with more than ${this.#limits.responseBytes} bytes`);
  }

  #fail(kind: DialFailureKind, message: string, cause?: unknown): void {
    if (this.#isOver) return;
    this.#close();
    const failure = new DialFailure(kind, message, { cause });
    if (this.#hasHead) this.#endBody(failure);
    else this.#call.onFailure(failure);
  }

  #close(): void {
    if (this.#isOver) return;
    this.#settle();
    this.#connection?.destroy();
  }

  #settle(): void {
    this.#isOver = true;
    watched.delete(this);
    this.#stopWatching();
  }

  #stopWatching(): void {
    this.#wholeUntil = Number.POSITIVE_INFINITY;
    this.#signal.removeEventListener("abort", this);
  }
}

/** Reads a body with `for await`. */
class BodyIterator implements AsyncIterator<Buffer, undefined> {
  readonly #exchange: HttpExchange;

  constructor(exchange: HttpExchange) {
    this.#exchange = exchange;
  }

  async next(): Promise<IteratorResult<Buffer, undefined>> {
    let value = this.#exchange.read();
    while (value instanceof Arrival) {
      await promiseOf(value);
      value = this.#exchange.read();
    }
    return value === undefined ? { done: true, value } : { done: false, value };
  }

  async return(): Promise<IteratorResult<Buffer, undefined>> {
    this.#exchange.cancel();
    return { done: true, value: undefined };
  }
}

/** Responses and pieces of them that arrived in this turn of the event loop. Their requests go on together. */
const arrivals = new TurnBatch<HttpExchange>((exchange) => exchange.serveReader());

/** The exchanges under way. One timer looks at them all, as several for each would cost more than their work. */
const watched = new ActiveList<HttpExchange>();
let watch: NodeJS.Timeout | undefined;

function watchDeadlines(exchange: HttpExchange): void {
  watched.add(exchange);
  // After a long turn of the event loop, what has come meanwhile is read before anything counts as late.
  watch ??= setInterval(() => setImmediate(checkAllDeadlines), WATCH_MS);
}

function checkAllDeadlines(): void {
  const now = performance.now();
  watched.visitAll((each) => each.checkDeadlines(now));
  if (watched.size > 0) return;
  clearInterval(watch);
  watch = undefined;
}

/** Up to this length, copying byte by byte takes less than the view of the bytes that `copy` makes. */
const SHORT_BYTES = 512;

function copyOf(bytes: Buffer, from: number, to: number): Buffer {
  const copy = Buffer.allocUnsafe(to - from);
  if (copy.length > SHORT_BYTES) bytes.copy(copy, 0, from, to);
  else for (let at = 0; at < copy.length; at++) copy[at] = bytes[from + at] ?? 0;
  return copy;
}

function formatSeconds(ms: number): string {
  return `${ms / 1_000} s`;
}
