import type { EventType } from "@trunkline/core/alerts.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import type { WebhookEvent } from "./event.ts";
import type { DeliveryAttempt } from "./send-letter.ts";

/** What its owner says of a webhook. */
export interface WebhookSettings {
  readonly url: string;
  /** undefined: all of them. */
  readonly events: readonly EventType[] | undefined;
  readonly description: string;
}

/** A webhook that is to be made. */
export interface WebhookDraft extends WebhookSettings {
  readonly id: string;
  readonly accountId: string;
  readonly mayDialPrivate: boolean;
}

/** What is to be different. What is not given stays. */
export type WebhookChange = Partial<WebhookSettings> & {
  readonly mayDialPrivate?: boolean;
  readonly enabled?: boolean;
};

/** Where an account wants to be told. */
export interface Webhook extends WebhookDraft {
  readonly enabled: boolean;
  /** Why the service switched it off. */
  readonly disabledReason: string | undefined;
  /** Since when nothing could be delivered. */
  readonly failingSince: Date | undefined;
  /** Until when the secret before the present one signs as well. */
  readonly oldSecretEndsAt: Date | undefined;
  readonly createdAt: Date;
}

/** One event for one webhook, and what became of it. */
export interface DeliveryRecord {
  readonly id: string;
  readonly eventId: string;
  readonly type: string;
  readonly attempts: number;
  readonly lastAttemptAt: Date | undefined;
  readonly lastStatus: number | undefined;
  readonly lastError: string | undefined;
  /** undefined: it was delivered or given up. */
  readonly nextAttemptAt: Date | undefined;
  readonly deliveredAt: Date | undefined;
  readonly createdAt: Date;
}

export interface WebhookStore {
  /** undefined where the account has `most` of them already. */
  create(draft: WebhookDraft, secret: Secret, most: number): Promise<Webhook | undefined>;
  /** Newest first. */
  list(accountId: string, limit: number, cursor: string | undefined): Promise<Webhook[]>;
  find(accountId: string, id: string): Promise<Webhook | undefined>;
  /** Whoever switches it, on or off, makes the service forget its troubles; what waits for one that is off is given up. */
  change(id: string, change: WebhookChange): Promise<void>;
  /** The new secret signs at once; the one before it signs as well until `oldEndsAt`. */
  rotate(id: string, secret: Secret, oldEndsAt: Date): Promise<void>;
  /** False where there is no such webhook. */
  remove(accountId: string, id: string): Promise<boolean>;
  /** Those that sign now, the newest first; none where they can't be decrypted. */
  secretsOf(id: string): Promise<Secret[]>;
  /** Newest first. */
  deliveries(id: string, limit: number, cursor: string | undefined): Promise<DeliveryRecord[]>;
  /** Puts an attempt on record that is not repeated. */
  recordTest(id: string, event: WebhookEvent, deliveryAttempt: DeliveryAttempt): Promise<void>;
}
