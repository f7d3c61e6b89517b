import type { DeliverWebhook, DeliveryAttempt, WebhookDelivery } from "./deliver.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long to wait after the first attempt, the second and so on. After the last one it is given up. */
export const RETRY_DELAYS_MS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, DAY] as const;

/** A webhook to which nothing could be delivered for this long is switched off when the next event is given up. */
const DISABLE_AFTER_MS = 3 * DAY;
const GONE = 410;
const CONCURRENT_MAX = 32;
/** A slow receiver must not keep the others waiting. */
const CONCURRENT_PER_WEBHOOK_MAX = 4;
const TICK_MS = SECOND;

/** Times that a test may shorten. */
export interface DispatcherTimes {
  /** Longer than any attempt can take. */
  readonly leaseMs: number;
  /** How often the outbox is looked into where nothing is known to wait: another instance may have died over it. */
  readonly idleMs: number;
  /** How long the attempts under way have at the end of the service. */
  readonly graceMs: number;
}

const TIMES: DispatcherTimes = { leaseMs: 20 * SECOND, idleMs: 5 * SECOND, graceMs: 2 * SECOND };

/** Delivers what lies in the outbox, at least once, however many instances look into it. */
export class WebhookDispatcher {
  readonly #outbox: Outbox;
  readonly #send: DeliverWebhook;
  readonly #onError: (error: unknown) => void;
  readonly #times: DispatcherTimes;
  readonly #inFlight = new Map<ClaimedDelivery, Promise<void>>();
  readonly #abort = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  #isWoken = false;
  #isStopped = false;

  constructor(outbox: Outbox, send: DeliverWebhook, onError: (error: unknown) => void, times: DispatcherTimes = TIMES) {
    this.#outbox = outbox;
    this.#send = send;
    this.#onError = onError;
    this.#times = times;
  }

  /** Something may be due: looks into the outbox at once. */
  wake(): void {
    if (this.#isStopped) return;
    this.#isWoken = true;
    clearTimeout(this.#timer);
    if (this.#round === undefined) this.#round = this.#rounds();
  }

  /** Takes nothing more, waits a moment for what is under way, and puts the rest back. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#round;
    const cutOff = setTimeout(() => this.#abort.abort(), this.#times.graceMs);
    await Promise.all(this.#inFlight.values());
    clearTimeout(cutOff);
  }

  async #rounds(): Promise<void> {
    let pauseMs = this.#times.idleMs;
    while (this.#isWoken && !this.#isStopped) {
      this.#isWoken = false;
      pauseMs = await this.#claimDue().catch((error: unknown) => {
        this.#onError(error);
        return this.#times.idleMs;
      });
    }
    // In one step with the last look at `#isPoked`: whoever pokes from now on begins anew.
    this.#round = undefined;
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => this.wake(), pauseMs);
    this.#timer.unref();
  }

  /** Takes what is due, and says when to look again. */
  async #claimDue(): Promise<number> {
    const dueInMs = await this.#outbox.dueInMs();
    if (dueInMs !== 0) return Math.min(this.#times.idleMs, dueInMs ?? this.#times.idleMs);
    const most = CONCURRENT_MAX - this.#inFlight.size;
    // Whatever ends looks again by itself.
    if (most <= 0) return this.#times.idleMs;
    const claimedDeliveries = await this.#outbox.claim({
      most,
      mostPerWebhook: CONCURRENT_PER_WEBHOOK_MAX,
      busyWebhooks: [...new Set([...this.#inFlight.keys()].map(({ webhookId }) => webhookId))],
      leaseMs: this.#times.leaseMs,
    });
    for (const claimedDelivery of claimedDeliveries) this.#start(claimedDelivery);
    return TICK_MS;
  }

  #start(claimedDelivery: ClaimedDelivery): void {
    const carried = this.#attempt(claimedDelivery)
      .catch(this.#onError)
      .finally(() => {
        this.#inFlight.delete(claimedDelivery);
        this.wake();
      });
    this.#inFlight.set(claimedDelivery, carried);
  }

  async #attempt(claimedDelivery: ClaimedDelivery): Promise<void> {
    let deliveryAttempt: DeliveryAttempt;
    try {
      deliveryAttempt = await this.#send(claimedDelivery, this.#abort.signal);
    } catch (error) {
      if (!this.#abort.signal.aborted) throw error;
      return this.#outbox.release(claimedDelivery);
    }
    if (deliveryAttempt.delivered) return this.#outbox.markDelivered(claimedDelivery, deliveryAttempt);
    const isGone = deliveryAttempt.status === GONE;
    const pauseMs = isGone ? undefined : RETRY_DELAYS_MS[claimedDelivery.attempt - 1];
    await this.#outbox.markFailed(claimedDelivery, deliveryAttempt, pauseMs);
    if (isGone) {
      await this.#outbox.disableWebhook(claimedDelivery.webhookId, 0, "It answered 410: it is gone for good.");
    } else if (pauseMs === undefined) {
      const reason = `Nothing could be delivered for more than 3 days. The last attempt: ${deliveryAttempt.error}.`;
      await this.#outbox.disableWebhook(claimedDelivery.webhookId, DISABLE_AFTER_MS, reason);
    }
  }
}

/** A letter out of the outbox, taken by this instance for the length of a lease. */
export interface ClaimedDelivery extends WebhookDelivery {
  readonly id: string;
  readonly webhookId: string;
  /** Which attempt this is, counted from 1. */
  readonly attempt: number;
}

/** How much is taken out of the outbox at once. */
export interface ClaimOptions {
  readonly most: number;
  readonly mostPerWebhook: number;
  /** These have enough to do. */
  readonly busyWebhooks: readonly string[];
  /** Whoever has not been heard of for so long is taken for dead, and what it took is taken again. */
  readonly leaseMs: number;
}

export interface Outbox {
  /** Takes what is due. No other instance takes the same while the lease lasts. */
  claim(claimOptions: ClaimOptions): Promise<ClaimedDelivery[]>;
  /** How long until something is due, 0 where something is; undefined where nothing waits. */
  dueInMs(): Promise<number | undefined>;
  markDelivered(claimedDelivery: ClaimedDelivery, deliveryAttempt: DeliveryAttempt): Promise<void>;
  /** To be tried again after a pause, or given up where there is none. */
  markFailed(
    claimedDelivery: ClaimedDelivery,
    deliveryAttempt: DeliveryAttempt,
    pauseMs: number | undefined,
  ): Promise<void>;
  /** Not tried after all: due at once, and the attempt is not counted. */
  release(claimedDelivery: ClaimedDelivery): Promise<void>;
  /** Switches a webhook off to which nothing could be delivered for so long, and gives up what waits for it. */
  disableWebhook(webhookId: string, failingForMs: number, reason: string): Promise<void>;
}
