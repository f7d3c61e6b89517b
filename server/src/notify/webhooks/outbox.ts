import type { DeliveryAttempt, WebhookDelivery } from "./send-letter.ts";

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
