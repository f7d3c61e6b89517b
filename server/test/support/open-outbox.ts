import { newId } from "@trunkline/core/id.ts";
import { Sealer, Secret } from "@trunkline/core/secret.ts";
import { createWebhookEvent, createWebhookSecret, type WebhookEvent } from "../../src/notify/webhooks/deliver.ts";
import type { Webhook, WebhookSettings } from "../../src/notify/webhooks/webhooks.ts";
import { enqueueEvent, PostgresOutbox } from "../../src/store/notify/outbox.ts";
import { PostgresWebhooks } from "../../src/store/notify/webhooks.ts";
import { type FreshStore, openFreshStore } from "./fresh-store.ts";

/** An outbox in a store of its own, and webhooks to fill it for. */
export interface OpenOutbox {
  readonly store: FreshStore;
  readonly webhooks: PostgresWebhooks;
  readonly outbox: PostgresOutbox;
  /** A webhook of an account, or of a new one. */
  makeWebhook(terms?: Partial<WebhookSettings>, accountId?: string): Promise<Webhook>;
  /** Puts an event into the outbox for all of an account's webhooks. */
  post(accountId: string, before?: Date): Promise<WebhookEvent>;
  /** What the outbox holds for a webhook, the oldest first. */
  rowsOf(webhookId: string): Promise<OutboxRow[]>;
}

export interface OutboxRow {
  readonly id: string;
  readonly event_id: string;
  readonly attempts: number;
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly is_delivered: boolean;
  /** How long after the last attempt the next one is due; null: never. */
  readonly pause_ms: number | null;
}

export async function openOutbox(): Promise<OpenOutbox> {
  const store = await openFreshStore();
  const sealer = new Sealer(new Secret("the outbox's own secret"));
  const webhooks = new PostgresWebhooks(store.database, sealer);
  return {
    store,
    webhooks,
    outbox: new PostgresOutbox(store.database, sealer),
    async makeWebhook(terms = {}, accountId) {
      const draft = {
        id: newId(),
        accountId: accountId ?? (await store.makeAccount()),
        url: "http://127.0.0.1:9/hook",
        events: undefined,
        description: "",
        mayDialPrivate: true,
        ...terms,
      };
      const made = await webhooks.create(draft, createWebhookSecret(), 10);
      if (made === undefined) throw new Error("The account has too many webhooks.");
      return made;
    },
    async post(accountId, before) {
      const event = createWebhookEvent("balance.low", { balance: 1 }, Date.now());
      await store.database.transaction((connection) => enqueueEvent(connection, accountId, event, before));
      return event;
    },
    rowsOf: (webhookId) =>
      store.database.query<OutboxRow>(
        `SELECT id, event_id, attempts, last_status, last_error, delivered_at IS NOT NULL AS is_delivered,
           (extract(epoch FROM next_attempt_at - coalesce(last_attempt_at, created_at)) * 1000)::double precision AS pause_ms
         FROM webhook_deliveries WHERE webhook_id = $1 ORDER BY created_at, id`,
        [webhookId],
      ),
  };
}
