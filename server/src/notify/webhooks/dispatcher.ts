import type { DeliverWebhook, DeliveryAttempt, WebhookDelivery } from "./deliver.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The delay after each failed attempt. After the last one the delivery is given up. */
export const RETRY_DELAYS_MS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, DAY] as const;

/** A webhook that failed for this long is disabled when the next delivery is given up. */
const DISABLE_AFTER_MS = 3 * DAY;
const GONE = 410;
const CONCURRENT_MAX = 32;
/** A slow receiver must not delay the others. */
const CONCURRENT_PER_WEBHOOK_MAX = 4;
const TICK_MS = SECOND;

/** Times that tests shorten. */
export interface DispatcherTimes {
  /** Longer than any attempt can take. */
  readonly leaseMs: number;
  /** How often the outbox is checked when nothing is due: another instance may have died during a delivery. */
  readonly idleMs: number;
  /** How long running attempts may take when the service stops. */
  readonly graceMs: number;
}

const TIMES: DispatcherTimes = { leaseMs: 20 * SECOND, idleMs: 5 * SECOND, graceMs: 2 * SECOND };

/** Delivers the events of the outbox at least once, on any number of instances. */
export class WebhookDispatcher {
  readonly #outbox: Outbox;
  readonly #send: DeliverWebhook;
  readonly #onError: (error: unknown) => void;
  readonly #times: DispatcherTimes;
  readonly #inFlight = new Map<ClaimedDelivery, Promise<void>>();
  readonly #abort = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #claiming: Promise<void> | undefined;
  #isWoken = false;
  #isStopped = false;

  constructor(outbox: Outbox, send: DeliverWebhook, onError: (error: unknown) => void, times: DispatcherTimes = TIMES) {
    this.#outbox = outbox;
    this.#send = send;
    this.#onError = onError;
    this.#times = times;
  }

  /** Checks the outbox now. */
  wake(): void {
    if (this.#isStopped) return;
    this.#isWoken = true;
    clearTimeout(this.#timer);
    if (this.#claiming === undefined) this.#claiming = this.#claimWhileWoken();
  }

  /** Claims nothing more, waits briefly for running attempts, and releases the rest. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#claiming;
    const timeout = setTimeout(() => this.#abort.abort(), this.#times.graceMs);
    await Promise.all(this.#inFlight.values());
    clearTimeout(timeout);
  }

  async #claimWhileWoken(): Promise<void> {
    let pauseMs = this.#times.idleMs;
    while (this.#isWoken && !this.#isStopped) {
      this.#isWoken = false;
      pauseMs = await this.#claimDue().catch((error: unknown) => {
        this.#onError(error);
        return this.#times.idleMs;
      });
    }
    // No await since the last check of `#isWoken`: a `wake` from now on starts a new loop.
    this.#claiming = undefined;
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => this.wake(), pauseMs);
    this.#timer.unref();
  }

  /** Claims due deliveries. Returns when to check again. */
  async #claimDue(): Promise<number> {
    const dueInMs = await this.#outbox.dueInMs();
    if (dueInMs !== 0) return Math.min(this.#times.idleMs, dueInMs ?? this.#times.idleMs);
    const free = CONCURRENT_MAX - this.#inFlight.size;
    // Every attempt that ends wakes the dispatcher.
    if (free <= 0) return this.#times.idleMs;
    const claimedDeliveries = await this.#outbox.claim({
      most: free,
      mostPerWebhook: CONCURRENT_PER_WEBHOOK_MAX,
      busyWebhooks: [...new Set([...this.#inFlight.keys()].map(({ webhookId }) => webhookId))],
      leaseMs: this.#times.leaseMs,
    });
    for (const claimedDelivery of claimedDeliveries) this.#start(claimedDelivery);
    return TICK_MS;
  }

  #start(claimedDelivery: ClaimedDelivery): void {
    const attempt = this.#attempt(claimedDelivery)
      .catch(this.#onError)
      .finally(() => {
        this.#inFlight.delete(claimedDelivery);
        this.wake();
      });
    this.#inFlight.set(claimedDelivery, attempt);
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

/** A delivery that this instance claimed from the outbox for the length of a lease. */
export interface ClaimedDelivery extends WebhookDelivery {
  readonly id: string;
  readonly webhookId: string;
  /** Which attempt this is, counted from 1. */
  readonly attempt: number;
}

/** How many deliveries are claimed at once. */
export interface ClaimOptions {
  readonly most: number;
  readonly mostPerWebhook: number;
  /** Webhooks with running attempts, of which nothing more is claimed. */
  readonly busyWebhooks: readonly string[];
  /** After this time without a result the claim expires, and another instance may claim the delivery. */
  readonly leaseMs: number;
}

export interface Outbox {
  /** Claims due deliveries. No other instance claims them while the lease lasts. */
  claim(claimOptions: ClaimOptions): Promise<ClaimedDelivery[]>;
  /** The time until a delivery is due; undefined where none waits. */
  dueInMs(): Promise<number | undefined>;
  markDelivered(claimedDelivery: ClaimedDelivery, deliveryAttempt: DeliveryAttempt): Promise<void>;
  /** Schedules a retry after `pauseMs`, or gives up where it is undefined. */
  markFailed(
    claimedDelivery: ClaimedDelivery,
    deliveryAttempt: DeliveryAttempt,
    pauseMs: number | undefined,
  ): Promise<void>;
  /** Releases a claim without an attempt: it is due at once, and no attempt is counted. */
  release(claimedDelivery: ClaimedDelivery): Promise<void>;
  /** Disables a webhook that failed for this long, and gives up its waiting deliveries. */
  disableWebhook(webhookId: string, failingForMs: number, reason: string): Promise<void>;
}
