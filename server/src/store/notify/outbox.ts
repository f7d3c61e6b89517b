import { newId } from "@trunkline/core/id.ts";
import type { Sealer } from "@trunkline/core/secret.ts";
import type { DeliveryAttempt, WebhookEvent } from "../../notify/webhooks/deliver.ts";
import type { ClaimedDelivery, ClaimOptions, Outbox } from "../../notify/webhooks/dispatcher.ts";
import type { Database, Queryable } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { cancelPendingDeliveries, openSecrets, type SealedWebhookSecrets, SIGNING_SECRETS } from "./webhooks.ts";

type ClaimedDeliveryRow = SealedWebhookSecrets &
  Row<"webhook_deliveries", "id" | "webhook_id" | "event_id" | "body" | "attempts"> &
  Row<"webhooks", "url" | "may_dial_private">;

/** How long deliveries are kept for their owners to see. */
const DELIVERY_RETENTION = "30 days";

/** A claim sets `next_attempt_at` to the end of its lease: no other claim finds the row before. */
const CLAIM_DELIVERIES = `
WITH due AS (
  SELECT id FROM (
    SELECT id, next_attempt_at, row_number() OVER (PARTITION BY webhook_id ORDER BY next_attempt_at, id) AS place
    FROM webhook_deliveries WHERE next_attempt_at <= now() AND webhook_id <> ALL ($3::uuid[])
  ) d WHERE place <= $2 ORDER BY next_attempt_at, id LIMIT $1
), taken AS (
  -- Asked again under the lock: another instance may have taken it since.
  SELECT d.id FROM webhook_deliveries d JOIN due USING (id) WHERE d.next_attempt_at <= now() FOR UPDATE OF d SKIP LOCKED
)
UPDATE webhook_deliveries d
SET attempts = attempts + 1, last_attempt_at = now(), next_attempt_at = now() + $4 * interval '1 millisecond'
FROM taken, webhooks w WHERE d.id = taken.id AND w.id = d.webhook_id
RETURNING d.id, d.webhook_id, d.event_id, d.body, d.attempts, w.url, w.may_dial_private, ${SIGNING_SECRETS}`;

/** The outbox in PostgreSQL. */
export class PostgresOutbox implements Outbox {
  readonly #database: Database;
  readonly #sealer: Sealer;

  constructor(database: Database, sealer: Sealer) {
    this.#database = database;
    this.#sealer = sealer;
  }

  async claim({ most, mostPerWebhook, busyWebhooks, leaseMs }: ClaimOptions): Promise<ClaimedDelivery[]> {
    const rows = await this.#database.query<ClaimedDeliveryRow>(CLAIM_DELIVERIES, [
      most,
      mostPerWebhook,
      busyWebhooks,
      leaseMs,
    ]);
    return rows.map((row) => ({
      id: row.id,
      webhookId: row.webhook_id,
      attempt: row.attempts,
      url: row.url,
      mayDialPrivate: row.may_dial_private,
      secrets: openSecrets(this.#sealer, row, row.webhook_id),
      eventId: row.event_id,
      body: row.body,
    }));
  }

  async dueInMs(): Promise<number | undefined> {
    const rows = await this.#database.query<{ ms: number | null }>(
      `SELECT (extract(epoch FROM min(next_attempt_at) - now()) * 1000)::double precision AS ms
       FROM webhook_deliveries WHERE next_attempt_at IS NOT NULL`,
    );
    const ms = rows[0]?.ms ?? undefined;
    return ms === undefined ? undefined : Math.max(0, ms);
  }

  async markDelivered(claimedDelivery: ClaimedDelivery, deliveryAttempt: DeliveryAttempt): Promise<void> {
    await this.#withWebhookLock(claimedDelivery, async (connection) => {
      await connection.query(
        `UPDATE webhook_deliveries SET delivered_at = coalesce(delivered_at, now()), next_attempt_at = NULL,
           last_status = $2, last_error = NULL WHERE id = $1`,
        [claimedDelivery.id, deliveryAttempt.status],
      );
      await connection.query("UPDATE webhooks SET failing_since = NULL WHERE id = $1 AND failing_since IS NOT NULL", [
        claimedDelivery.webhookId,
      ]);
    });
  }

  async markFailed(
    claimedDelivery: ClaimedDelivery,
    deliveryAttempt: DeliveryAttempt,
    pauseMs: number | undefined,
  ): Promise<void> {
    await this.#withWebhookLock(claimedDelivery, async (connection) => {
      // Where the lease ran out before the answer came, the attempt belongs to another instance by now.
      const rows = await connection.query(
        `UPDATE webhook_deliveries SET last_status = $3, last_error = $4, next_attempt_at = now() + $5 * interval '1 millisecond'
         WHERE id = $1 AND attempts = $2 AND next_attempt_at IS NOT NULL RETURNING id`,
        [
          claimedDelivery.id,
          claimedDelivery.attempt,
          deliveryAttempt.status ?? null,
          deliveryAttempt.error ?? null,
          pauseMs ?? null,
        ],
      );
      if (rows.length === 0) return;
      await connection.query("UPDATE webhooks SET failing_since = coalesce(failing_since, now()) WHERE id = $1", [
        claimedDelivery.webhookId,
      ]);
    });
  }

  async release(claimedDelivery: ClaimedDelivery): Promise<void> {
    await this.#database.query(
      `UPDATE webhook_deliveries SET attempts = attempts - 1, next_attempt_at = now()
       WHERE id = $1 AND attempts = $2 AND next_attempt_at IS NOT NULL`,
      [claimedDelivery.id, claimedDelivery.attempt],
    );
  }

  async disableWebhook(webhookId: string, failingForMs: number, reason: string): Promise<void> {
    await this.#database.transaction(async (connection) => {
      const rows = await connection.query(
        `UPDATE webhooks SET enabled = false, disabled_reason = $3
         WHERE id = $1 AND enabled AND failing_since <= now() - $2 * interval '1 millisecond' RETURNING id`,
        [webhookId, failingForMs, reason],
      );
      if (rows.length > 0) await cancelPendingDeliveries(connection, webhookId);
    });
  }

  /** Takes the webhook's lock before that of the delivery, in the same order as switching it off does. */
  #withWebhookLock(claimedDelivery: ClaimedDelivery, work: (connection: Queryable) => Promise<void>): Promise<void> {
    return this.#database.transaction(async (connection) => {
      await connection.query("SELECT 1 FROM webhooks WHERE id = $1 FOR NO KEY UPDATE", [claimedDelivery.webhookId]);
      await work(connection);
    });
  }

  /** Deletes old deliveries. */
  async sweep(): Promise<void> {
    await this.#database.query(
      `DELETE FROM webhook_deliveries WHERE created_at < now() - interval '${DELIVERY_RETENTION}'`,
    );
  }
}

/** Writes a delivery of an event for every webhook of the account that takes it and existed at the time. Returns their number. */
export async function enqueueEvent(
  connection: Queryable,
  accountId: string,
  event: WebhookEvent,
  before: Date | undefined,
): Promise<number> {
  // Locked, so that none is deleted or switched off before its delivery is written.
  const takers = await connection.query<Row<"webhooks", "id">>(
    `SELECT id FROM webhooks WHERE account_id = $1 AND enabled AND (events IS NULL OR $2 = ANY (events))
       AND ($3::timestamptz IS NULL OR created_at < $3) ORDER BY id FOR SHARE`,
    [accountId, event.type, before ?? null],
  );
  if (takers.length === 0) return 0;
  await connection.query(
    `INSERT INTO webhook_deliveries (id, webhook_id, event_id, type, body, next_attempt_at)
     SELECT id, webhook_id, $3, $4, $5, now() FROM unnest($1::uuid[], $2::uuid[]) AS t(id, webhook_id)`,
    [takers.map(() => newId()), takers.map(({ id }) => id), event.id, event.type, event.body],
  );
  return takers.length;
}
