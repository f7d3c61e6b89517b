import type { Clock } from "@trunkline/core/clock.ts";

/** The longest that a request waits for others to connect before requests are begun one by one. */
const WAIT_MS_MAX = 10;

interface WaitingRequest {
  readonly begin: () => void;
  readonly sinceMs: number;
}

/**
 * Many clients that connect at once. Node accepts one connection in a turn of the event loop, and a turn serves every
 * request that is ready, so the last client's first request would wait for as many long turns as there are clients. While
 * each turn brings a connection, requests wait: the turns are then short, and all clients are accepted within a few
 * milliseconds.
 */
export class ConnectionBurst {
  readonly #clock: Pick<Clock, "monotonicMs">;
  #isOn = false;
  #hasAccepted = false;
  #waiting: WaitingRequest[] = [];

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** Whether requests wait. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** A connection was accepted. */
  accepted(): void {
    this.#hasAccepted = true;
    if (this.#isOn) return;
    this.#isOn = true;
    setImmediate(this.#endTurn);
  }

  /** Begins a request when the burst is over. */
  defer(begin: () => void): void {
    this.#waiting.push({ begin, sinceMs: this.#clock.monotonicMs() });
  }

  readonly #endTurn = (): void => {
    if (this.#hasAccepted) {
      this.#hasAccepted = false;
      setImmediate(this.#endTurn);
      const [first] = this.#waiting;
      // Clients that connect for every request would never let it end.
      if (first !== undefined && this.#clock.monotonicMs() - first.sinceMs > WAIT_MS_MAX)
        this.#waiting.shift()?.begin();
      return;
    }
    this.#isOn = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { begin } of waiting) begin();
  };
}
