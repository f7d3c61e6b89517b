import type { EventType } from "@trunkline/core/alerts.ts";
import type { Caller } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { isId, newId } from "@trunkline/core/id.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import {
  createWebhookEvent,
  createWebhookSecret,
  type DeliverWebhook,
  type DeliveryAttempt,
  type WebhookEvent,
} from "./deliver.ts";

/** What the desk works with. */
interface WebhooksDependencies {
  readonly store: WebhookStore;
  /** A sentence why a URL can't be called; undefined where it can. */
  readonly checkEndpoint: (url: string, mayDialPrivate: boolean) => Promise<string | undefined>;
  readonly send: DeliverWebhook;
  readonly clock: Clock;
  /** Called where somebody listens who may not have heard yet what there is to say. */
  readonly onSubscribed: (accountId: string) => void;
}

const WEBHOOKS_MAX = 10;
/** How much of the receiver's answer a trial shows. */
const TEST_ANSWER_BYTES_MAX = 1_024;

/** Making, changing, trying and removing an account's webhooks. */
export class Webhooks {
  readonly #parts: WebhooksDependencies;

  constructor(parts: WebhooksDependencies) {
    this.#parts = parts;
  }

  async create(caller: Caller, terms: WebhookSettings): Promise<{ webhook: Webhook; secret: string }> {
    const { store, clock } = this.#parts;
    const mayDialPrivate = await this.#checkUrl(caller, terms.url);
    const secret = createWebhookSecret();
    const draft = { ...terms, id: newId(clock.now()), accountId: caller.accountId, mayDialPrivate };
    const webhook = await store.create(draft, secret, WEBHOOKS_MAX);
    if (webhook === undefined)
      throw new Fault("conflict", `An account has at most ${WEBHOOKS_MAX} webhooks. Delete one first.`);
    this.#parts.onSubscribed(caller.accountId);
    return { webhook, secret: secret.reveal() };
  }

  list(caller: Caller, limit: number, cursor: string | undefined): Promise<Webhook[]> {
    return this.#parts.store.list(caller.accountId, limit, cursor);
  }

  async find(caller: Caller, id: string): Promise<Webhook> {
    const webhook = isId(id) ? await this.#parts.store.find(caller.accountId, id) : undefined;
    if (webhook === undefined) throw noSuchWebhook();
    return webhook;
  }

  async change(caller: Caller, id: string, change: Omit<WebhookChange, "mayDialPrivate">): Promise<Webhook> {
    await this.find(caller, id);
    const moved = change.url === undefined ? {} : { mayDialPrivate: await this.#checkUrl(caller, change.url) };
    await this.#parts.store.change(id, { ...change, ...moved });
    this.#parts.onSubscribed(caller.accountId);
    return this.find(caller, id);
  }

  async rotate(
    caller: Caller,
    id: string,
    graceSeconds: number,
  ): Promise<{ webhook: Webhook; secret: string; oldEndsAt: Date }> {
    await this.find(caller, id);
    const secret = createWebhookSecret();
    const oldEndsAt = new Date(this.#parts.clock.now() + graceSeconds * 1000);
    await this.#parts.store.rotate(id, secret, oldEndsAt);
    return { webhook: await this.find(caller, id), secret: secret.reveal(), oldEndsAt };
  }

  async remove(caller: Caller, id: string): Promise<void> {
    if (!isId(id) || !(await this.#parts.store.remove(caller.accountId, id))) throw noSuchWebhook();
  }

  async deliveries(caller: Caller, id: string, limit: number, cursor: string | undefined): Promise<DeliveryRecord[]> {
    await this.find(caller, id);
    return this.#parts.store.deliveries(id, limit, cursor);
  }

  /** Sends an event that means nothing, now and once, and says what the receiver made of it. */
  async sendTest(caller: Caller, id: string, signal: AbortSignal): Promise<DeliveryAttempt> {
    const { store, send, clock } = this.#parts;
    const { url, mayDialPrivate } = await this.find(caller, id);
    const event = createWebhookEvent("webhook.test", { webhook_id: id }, clock.now());
    const secrets = await store.secretsOf(id);
    const letter = { url, mayDialPrivate, secrets, eventId: event.id, body: event.body };
    const deliveryAttempt = await send(letter, signal, TEST_ANSWER_BYTES_MAX);
    await store.recordTest(id, event, deliveryAttempt);
    return deliveryAttempt;
  }

  /** Whether the caller may have private addresses called. */
  async #checkUrl(caller: Caller, url: string): Promise<boolean> {
    const mayDialPrivate = caller.scopes.has("admin");
    const trouble = await this.#parts.checkEndpoint(url, mayDialPrivate);
    if (trouble !== undefined) throw new Fault("invalid_request", trouble, { param: "url" });
    return mayDialPrivate;
  }
}

function noSuchWebhook(): Fault {
  return new Fault("not_found", "There is no such webhook. List yours with GET /v1/webhooks.");
}

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
