import type { EventType } from "@trunkline/core/alerts.ts";
import type { Caller } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { isId, newId } from "@trunkline/core/id.ts";
import { refuseExpiringKey } from "@trunkline/core/permissions.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import {
  createWebhookEvent,
  createWebhookSecret,
  type DeliverWebhook,
  type DeliveryAttempt,
  type WebhookEvent,
} from "./deliver.ts";

interface WebhooksDependencies {
  readonly store: WebhookStore;
  /** Why a URL can't be called, as a sentence; undefined where it can. */
  readonly checkEndpoint: (url: string, mayDialPrivate: boolean) => Promise<string | undefined>;
  readonly send: DeliverWebhook;
  readonly clock: Clock;
  /** Called when a new or changed webhook may be due alerts. */
  readonly onSubscribed: (accountId: string) => void;
}

const WEBHOOKS_MAX = 10;
/** How much of the response a test shows. */
const TEST_ANSWER_BYTES_MAX = 1_024;

/** Creates, changes, tests and removes an account's webhooks. */
export class Webhooks {
  readonly #dependencies: WebhooksDependencies;

  constructor(dependencies: WebhooksDependencies) {
    this.#dependencies = dependencies;
  }

  async create(caller: Caller, terms: WebhookSettings): Promise<{ webhook: Webhook; secret: string }> {
    refuseExpiringKey(caller);
    const { store, clock } = this.#dependencies;
    const mayDialPrivate = await this.#checkUrl(caller, terms.url);
    const secret = createWebhookSecret();
    const draft = { ...terms, id: newId(clock.now()), accountId: caller.accountId, mayDialPrivate };
    const webhook = await store.create(draft, secret, WEBHOOKS_MAX);
    if (webhook === undefined)
      throw new Fault("conflict", `An account has at most ${WEBHOOKS_MAX} webhooks. Delete one first.`);
    this.#dependencies.onSubscribed(caller.accountId);
    return { webhook, secret: secret.reveal() };
  }

  list(caller: Caller, limit: number, cursor: string | undefined): Promise<Webhook[]> {
    return this.#dependencies.store.list(caller.accountId, limit, cursor);
  }

  async find(caller: Caller, id: string): Promise<Webhook> {
    const webhook = isId(id) ? await this.#dependencies.store.find(caller.accountId, id) : undefined;
    if (webhook === undefined) throw noSuchWebhook();
    return webhook;
  }

  /** A URL of another origin gets a secret of its own, which is returned: another receiver must not know the old one. */
  async change(
    caller: Caller,
    id: string,
    change: Omit<WebhookChange, "mayDialPrivate" | "secret">,
  ): Promise<{ webhook: Webhook; secret: string | undefined }> {
    if (change.url !== undefined || change.enabled === true) refuseExpiringKey(caller);
    const { url } = await this.find(caller, id);
    const dialing = change.url === undefined ? {} : { mayDialPrivate: await this.#checkUrl(caller, change.url) };
    const isMoved = change.url !== undefined && new URL(change.url).origin !== new URL(url).origin;
    const secret = isMoved ? createWebhookSecret() : undefined;
    await this.#dependencies.store.change(id, { ...change, ...dialing, ...(secret === undefined ? {} : { secret }) });
    this.#dependencies.onSubscribed(caller.accountId);
    return { webhook: await this.find(caller, id), secret: secret?.reveal() };
  }

  async rotate(
    caller: Caller,
    id: string,
    graceSeconds: number,
  ): Promise<{ webhook: Webhook; secret: string; oldEndsAt: Date }> {
    await this.find(caller, id);
    const secret = createWebhookSecret();
    const oldEndsAt = new Date(this.#dependencies.clock.now() + graceSeconds * 1000);
    await this.#dependencies.store.rotate(id, secret, oldEndsAt);
    return { webhook: await this.find(caller, id), secret: secret.reveal(), oldEndsAt };
  }

  async remove(caller: Caller, id: string): Promise<void> {
    if (!isId(id) || !(await this.#dependencies.store.remove(caller.accountId, id))) throw noSuchWebhook();
  }

  async deliveries(caller: Caller, id: string, limit: number, cursor: string | undefined): Promise<DeliveryRecord[]> {
    await this.find(caller, id);
    return this.#dependencies.store.deliveries(id, limit, cursor);
  }

  /** Sends a test event once, now, and returns the receiver's response. */
  async sendTest(caller: Caller, id: string, signal: AbortSignal): Promise<DeliveryAttempt> {
    const { store, send, clock } = this.#dependencies;
    const { url, mayDialPrivate } = await this.find(caller, id);
    const event = createWebhookEvent("webhook.test", { webhook_id: id }, clock.now());
    const secrets = await store.secretsOf(id);
    const delivery = { url, mayDialPrivate, secrets, eventId: event.id, body: event.body };
    const deliveryAttempt = await send(delivery, signal, TEST_ANSWER_BYTES_MAX);
    await store.recordTest(id, event, deliveryAttempt);
    return deliveryAttempt;
  }

  /** Refuses a URL that can't be called. Returns whether the caller may use private addresses. */
  async #checkUrl(caller: Caller, url: string): Promise<boolean> {
    const mayDialPrivate = caller.scopes.has("admin");
    const problem = await this.#dependencies.checkEndpoint(url, mayDialPrivate);
    if (problem !== undefined) throw new Fault("invalid_request", problem, { param: "url" });
    return mayDialPrivate;
  }
}

function noSuchWebhook(): Fault {
  return new Fault("not_found", "There is no such webhook. List yours with GET /v1/webhooks.");
}

export interface WebhookSettings {
  readonly url: string;
  /** undefined: all of them. */
  readonly events: readonly EventType[] | undefined;
  readonly description: string;
}

export interface WebhookDraft extends WebhookSettings {
  readonly id: string;
  readonly accountId: string;
  readonly mayDialPrivate: boolean;
}

/** Missing fields stay as they are. */
export type WebhookChange = Partial<WebhookSettings> & {
  readonly mayDialPrivate?: boolean;
  readonly enabled?: boolean;
  /** It signs in place of all earlier ones. */
  readonly secret?: Secret;
};

export interface Webhook extends WebhookDraft {
  readonly enabled: boolean;
  /** Why the service disabled it. */
  readonly disabledReason: string | undefined;
  /** Since when deliveries have failed. */
  readonly failingSince: Date | undefined;
  /** Until when the previous secret signs too. */
  readonly oldSecretEndsAt: Date | undefined;
  readonly createdAt: Date;
}

/** The delivery of one event to one webhook. */
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
  /** undefined where the account has `webhooksMax` of them already. */
  create(draft: WebhookDraft, secret: Secret, webhooksMax: number): Promise<Webhook | undefined>;
  /** Newest first. */
  list(accountId: string, limit: number, cursor: string | undefined): Promise<Webhook[]>;
  find(accountId: string, id: string): Promise<Webhook | undefined>;
  /** Enabling or disabling it clears its failures. Waiting deliveries of a disabled webhook are given up. */
  change(id: string, change: WebhookChange): Promise<void>;
  /** The new secret signs at once; the previous one signs too until `oldEndsAt`. */
  rotate(id: string, secret: Secret, oldEndsAt: Date): Promise<void>;
  /** False where there is no such webhook. */
  remove(accountId: string, id: string): Promise<boolean>;
  /** The secrets that sign now, newest first; empty where they can't be decrypted. */
  secretsOf(id: string): Promise<Secret[]>;
  /** Newest first. */
  deliveries(id: string, limit: number, cursor: string | undefined): Promise<DeliveryRecord[]>;
  /** Records a test, which is never retried. */
  recordTest(id: string, event: WebhookEvent, deliveryAttempt: DeliveryAttempt): Promise<void>;
}
