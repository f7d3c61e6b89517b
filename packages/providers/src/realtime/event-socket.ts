import { setImmediate as nextTurn } from "node:timers/promises";
import type { WebSocket } from "ws";

/** The largest message from a client or a provider. */
export const MESSAGE_BYTES_MAX = 4 * 1024 * 1024;
/** With more than this unsent, the next message waits. */
const UNSENT_BYTES_MAX = 1024 * 1024;
/** How often the other side is asked whether it is still there. One question must be answered before the next. */
const PING_MS = 30_000;
/** How long the other side has to close its end. */
const CLOSE_WAIT_MS = 1_000;

/** How long events are handled in one turn of the event loop. */
const TURN_MS_MAX = 5;

/** Codes of RFC 6455, by which a connection is closed. */
export const CLOSE_CODES = { normal: 1000, goingAway: 1001, unsupportedData: 1003, internalError: 1011 } as const;

/**
 * One end of a WebSocket that carries events as text. Events are handled one after the other, and nothing is read
 * meanwhile, so that a slow reader on the other side slows the sender down.
 */
export class EventSocket {
  readonly #webSocket: WebSocket;
  readonly #writeWaitMs: number;
  readonly #waiting: string[] = [];
  readonly #ping: NodeJS.Timeout;
  #closeTimer: NodeJS.Timeout | undefined;
  #onEvent: ((text: string) => Promise<void>) | undefined;
  #onClosed: (code: number) => void = () => undefined;
  #closeCode = 0;
  #isHandling = false;
  #isClosed = false;
  #isAlive = true;

  /** `writeWaitMs`: how long the other side may take to read what was sent. */
  constructor(webSocket: WebSocket, writeWaitMs: number) {
    this.#webSocket = webSocket;
    this.#writeWaitMs = writeWaitMs;
    webSocket.on("message", (data: Buffer, isBinary: boolean) => {
      if (isBinary) return this.close(CLOSE_CODES.unsupportedData, "Send events as text.");
      this.#waiting.push(data.toString("utf8"));
      void this.#handleWaiting();
    });
    webSocket.on("pong", () => {
      this.#isAlive = true;
    });
    // Every error is followed by the close.
    webSocket.on("error", () => undefined);
    webSocket.on("close", (code: number) => {
      this.#closeCode = code;
      this.#isClosed = true;
      clearInterval(this.#ping);
      clearTimeout(this.#closeTimer);
      void this.#handleWaiting();
    });
    this.#ping = setInterval(() => {
      // Nothing is read while an event is handled, and so no answer to the last question either.
      if (this.#isHandling) return;
      if (!this.#isAlive) return webSocket.terminate();
      this.#isAlive = false;
      webSocket.ping();
    }, PING_MS);
  }

  /** Begins to read. `onEvent` must not reject; `onClosed` is called once, after all events were handled. */
  read(onEvent: (text: string) => Promise<void>, onClosed: (code: number) => void): void {
    this.#onEvent = onEvent;
    this.#onClosed = onClosed;
    void this.#handleWaiting();
  }

  /** Returns a promise only where the other side reads more slowly than is sent. */
  send(text: string): void | Promise<void> {
    if (this.#isClosed) return;
    let sent: () => void = () => undefined;
    this.#webSocket.send(text, () => sent());
    if (this.#webSocket.bufferedAmount <= UNSENT_BYTES_MAX) return;
    return new Promise((resolve) => {
      const late = setTimeout(() => this.#webSocket.terminate(), this.#writeWaitMs);
      sent = () => {
        clearTimeout(late);
        resolve();
      };
    });
  }

  /** Sends the close. Where the other side does not answer it, the connection ends all the same. */
  close(code: number, reason: string): void {
    if (this.#isClosed || this.#closeTimer !== undefined) return;
    this.#closeTimer = setTimeout(() => this.#webSocket.terminate(), CLOSE_WAIT_MS);
    this.#webSocket.resume();
    this.#webSocket.close(code, reason);
  }

  async #handleWaiting(): Promise<void> {
    const onEvent = this.#onEvent;
    if (this.#isHandling || onEvent === undefined) return;
    this.#isHandling = true;
    let sinceMs = performance.now();
    for (let text = this.#waiting.shift(); text !== undefined; text = this.#waiting.shift()) {
      if (this.#closeTimer === undefined) this.#webSocket.pause();
      await onEvent(text);
      if (performance.now() - sinceMs < TURN_MS_MAX) continue;
      // Many small events must not keep all others waiting.
      await nextTurn();
      sinceMs = performance.now();
    }
    this.#isHandling = false;
    if (this.#isClosed) this.#onClosed(this.#closeCode);
    else this.#webSocket.resume();
  }
}
