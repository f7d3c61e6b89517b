import type { Clock } from "@trunkline/core/clock.ts";

/** The longest that a request waits for others to connect before some are begun in every turn. */
const WAIT_MS_MAX = 10;
/** For how long requests are begun in a turn that brought a connection. */
const BEGIN_MS_MAX = 3;

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
  add(begin: () => void): void {
    this.#waiting.push({ begin, sinceMs: this.#clock.monotonicMs() });
  }

  readonly #endTurn = (): void => {
    if (this.#hasAccepted) {
      this.#hasAccepted = false;
      setImmediate(this.#endTurn);
      this.#beginOverdue();
      return;
    }
    this.#isOn = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { begin } of waiting) begin();
  };

  /** Clients that connect for every request would never let it end. */
  #beginOverdue(): void {
    const startMs = this.#clock.monotonicMs();
    for (let nowMs = startMs; nowMs - startMs < BEGIN_MS_MAX; nowMs = this.#clock.monotonicMs()) {
      const [first] = this.#waiting;
      if (first === undefined || nowMs - first.sinceMs <= WAIT_MS_MAX) return;
      this.#waiting.shift()?.begin();
    }
  }
}
