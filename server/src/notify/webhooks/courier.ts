import type { Outbox, Parcel } from "./outbox.ts";
import type { Attempt, SendLetter } from "./send-letter.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long to wait after the first attempt, the second and so on. After the last one it is given up. */
export const RETRY_PAUSES_MS = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  HOUR,
  6 * HOUR,
  DAY,
] as const;

/** A webhook to which nothing could be delivered for this long is switched off when the next event is given up. */
const PATIENCE_MS = 3 * DAY;
const GONE = 410;
const MOST_AT_ONCE = 32;
/** A slow receiver must not keep the others waiting. */
const MOST_PER_WEBHOOK = 4;
const TICK_MS = SECOND;

/** Times that a test may shorten. */
export interface CourierTimes {
  /** Longer than any attempt can take. */
  readonly leaseMs: number;
  /** How often the outbox is looked into where nothing is known to wait: another instance may have died over it. */
  readonly idleMs: number;
  /** How long the attempts under way have at the end of the service. */
  readonly graceMs: number;
}

const TIMES: CourierTimes = { leaseMs: 20 * SECOND, idleMs: 5 * SECOND, graceMs: 2 * SECOND };

/** Delivers what lies in the outbox, at least once, however many instances look into it. */
export class Courier {
  readonly #outbox: Outbox;
  readonly #send: SendLetter;
  readonly #onError: (error: unknown) => void;
  readonly #times: CourierTimes;
  readonly #underWay = new Map<Parcel, Promise<void>>();
  readonly #end = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  #isPoked = false;
  #isStopped = false;

  constructor(
    outbox: Outbox,
    send: SendLetter,
    onError: (error: unknown) => void,
    times: CourierTimes = TIMES,
  ) {
    this.#outbox = outbox;
    this.#send = send;
    this.#onError = onError;
    this.#times = times;
  }

  /** Something may be due: looks into the outbox at once. */
  poke(): void {
    if (this.#isStopped) return;
    this.#isPoked = true;
    clearTimeout(this.#timer);
    if (this.#round === undefined) this.#round = this.#rounds();
  }

  /** Takes nothing more, waits a moment for what is under way, and puts the rest back. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#round;
    const cutOff = setTimeout(() => this.#end.abort(), this.#times.graceMs);
    await Promise.all(this.#underWay.values());
    clearTimeout(cutOff);
  }

  async #rounds(): Promise<void> {
    let pauseMs = this.#times.idleMs;
    while (this.#isPoked && !this.#isStopped) {
      this.#isPoked = false;
      pauseMs = await this.#lookInto().catch((error: unknown) => {
        this.#onError(error);
        return this.#times.idleMs;
      });
    }
    // In one step with the last look at `#isPoked`: whoever pokes from now on begins anew.
    this.#round = undefined;
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => this.poke(), pauseMs);
    this.#timer.unref();
  }

  /** Takes what is due, and says when to look again. */
  async #lookInto(): Promise<number> {
    const dueInMs = await this.#outbox.dueInMs();
    if (dueInMs !== 0) return Math.min(this.#times.idleMs, dueInMs ?? this.#times.idleMs);
    const most = MOST_AT_ONCE - this.#underWay.size;
    // Whatever ends looks again by itself.
    if (most <= 0) return this.#times.idleMs;
    const parcels = await this.#outbox.claim({
      most,
      mostPerWebhook: MOST_PER_WEBHOOK,
      busyWebhooks: [...new Set([...this.#underWay.keys()].map(({ webhookId }) => webhookId))],
      leaseMs: this.#times.leaseMs,
    });
    for (const parcel of parcels) this.#carry(parcel);
    return TICK_MS;
  }

  #carry(parcel: Parcel): void {
    const carried = this.#handOver(parcel)
      .catch(this.#onError)
      .finally(() => {
        this.#underWay.delete(parcel);
        this.poke();
      });
    this.#underWay.set(parcel, carried);
  }

  async #handOver(parcel: Parcel): Promise<void> {
    let attempt: Attempt;
    try {
      attempt = await this.#send(parcel, this.#end.signal);
    } catch (error) {
      if (!this.#end.signal.aborted) throw error;
      return this.#outbox.putBack(parcel);
    }
    if (attempt.delivered) return this.#outbox.delivered(parcel, attempt);
    const isGone = attempt.status === GONE;
    const pauseMs = isGone ? undefined : RETRY_PAUSES_MS[parcel.attempt - 1];
    await this.#outbox.failed(parcel, attempt, pauseMs);
    if (isGone) {
      await this.#outbox.switchOff(parcel.webhookId, 0, "It answered 410: it is gone for good.");
    } else if (pauseMs === undefined) {
      const reason = `Nothing could be delivered for more than 3 days. The last attempt: ${attempt.error}.`;
      await this.#outbox.switchOff(parcel.webhookId, PATIENCE_MS, reason);
    }
  }
}
