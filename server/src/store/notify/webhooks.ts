import { EVENT_TYPES } from "@trunkline/core/alerts.ts";
import { newId } from "@trunkline/core/id.ts";
import type { Sealer, Secret } from "@trunkline/core/secret.ts";
import type { DeliveryAttempt, WebhookEvent } from "../../notify/webhooks/deliver.ts";
import type {
  DeliveryRecord,
  Webhook,
  WebhookChange,
  WebhookDraft,
  WebhookStore,
} from "../../notify/webhooks/webhooks.ts";
import type { Database, Queryable } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { readPage } from "../database/sql.ts";

type WebhookRow = Omit<Row<"webhooks">, "sealed_secret" | "sealed_old_secret">;
type DeliveryRow = Omit<Row<"webhook_deliveries">, "webhook_id" | "body">;

/** A webhook's secrets as they are kept. The old one is NULL where only one signs. */
export type SealedWebhookSecrets = Row<"webhooks", "sealed_secret" | "sealed_old_secret">;

/** The secrets that sign now; `w` is the webhook. */
export const SIGNING_SECRETS =
  "w.sealed_secret, CASE WHEN w.old_secret_ends_at > now() THEN w.sealed_old_secret END AS sealed_old_secret";

const COLUMNS = `id, account_id, url, may_dial_private, events, description, enabled, disabled_reason, failing_since,
  CASE WHEN old_secret_ends_at > now() THEN old_secret_ends_at END AS old_secret_ends_at, created_at`;

/** Webhooks in PostgreSQL, their secrets sealed. */
export class PostgresWebhooks implements WebhookStore {
  readonly #database: Database;
  readonly #sealer: Sealer;

  constructor(database: Database, sealer: Sealer) {
    this.#database = database;
    this.#sealer = sealer;
  }

  async create(draft: WebhookDraft, secret: Secret, most: number): Promise<Webhook | undefined> {
    return this.#database.transaction(async (connection) => {
      // Locked: two concurrent requests must not both count the same webhooks.
      await connection.query("SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE", [draft.accountId]);
      const rows = await connection.query<WebhookRow>(
        `INSERT INTO webhooks (id, account_id, url, may_dial_private, events, description, sealed_secret)
         SELECT $1, $2, $3, $4, $5, $6, $7 WHERE (SELECT count(*) FROM webhooks WHERE account_id = $2) < $8
         RETURNING ${COLUMNS}`,
        [
          draft.id,
          draft.accountId,
          draft.url,
          draft.mayDialPrivate,
          draft.events ?? null,
          draft.description,
          this.#sealer.seal(secret, draft.id),
          most,
        ],
      );
      return rows[0] && webhookOf(rows[0]);
    });
  }

  async list(accountId: string, limit: number, cursor: string | undefined): Promise<Webhook[]> {
    const select = `SELECT ${COLUMNS} FROM webhooks WHERE account_id = $1`;
    const rows = await readPage<WebhookRow>(this.#database, select, [accountId], { limit, cursor });
    return rows.map(webhookOf);
  }

  async find(accountId: string, id: string): Promise<Webhook | undefined> {
    const rows = await this.#database.query<WebhookRow>(
      `SELECT ${COLUMNS} FROM webhooks WHERE account_id = $1 AND id = $2`,
      [accountId, id],
    );
    return rows[0] && webhookOf(rows[0]);
  }

  async change(id: string, change: WebhookChange): Promise<void> {
    await this.#database.transaction(async (connection) => {
      if (change.enabled === true) await lockBalanceAlerts(connection, id);
      const [before] = await connection.query<Row<"webhooks", "enabled">>(
        "SELECT enabled FROM webhooks WHERE id = $1 FOR NO KEY UPDATE",
        [id],
      );
      await connection.query(
        `UPDATE webhooks SET url = coalesce($2, url), may_dial_private = coalesce($3, may_dial_private),
           events = CASE WHEN $4 THEN $5 ELSE events END, description = coalesce($6, description),
           enabled = coalesce($7, enabled), disabled_reason = CASE WHEN $7 IS NULL THEN disabled_reason END,
           failing_since = CASE WHEN $7 IS NULL THEN failing_since END, sealed_secret = coalesce($8, sealed_secret),
           sealed_old_secret = CASE WHEN $8 IS NULL THEN sealed_old_secret END,
           old_secret_ends_at = CASE WHEN $8 IS NULL THEN old_secret_ends_at END WHERE id = $1`,
        [
          id,
          change.url ?? null,
          change.mayDialPrivate ?? null,
          "events" in change,
          change.events ?? null,
          change.description ?? null,
          change.enabled ?? null,
          change.secret === undefined ? null : this.#sealer.seal(change.secret, id),
        ],
      );
      if (change.enabled === false) await cancelPendingDeliveries(connection, id);
      if (change.enabled === true && before?.enabled === false) await retractLostAlerts(connection, id);
    });
  }

  async rotate(id: string, secret: Secret, oldEndsAt: Date): Promise<void> {
    await this.#database.query(
      "UPDATE webhooks SET sealed_old_secret = sealed_secret, old_secret_ends_at = $3, sealed_secret = $2 WHERE id = $1",
      [id, this.#sealer.seal(secret, id), oldEndsAt],
    );
  }

  async remove(accountId: string, id: string): Promise<boolean> {
    const rows = await this.#database.query("DELETE FROM webhooks WHERE account_id = $1 AND id = $2 RETURNING id", [
      accountId,
      id,
    ]);
    return rows.length > 0;
  }

  async secretsOf(id: string): Promise<Secret[]> {
    const rows = await this.#database.query<SealedWebhookSecrets>(
      `SELECT ${SIGNING_SECRETS} FROM webhooks w WHERE id = $1`,
      [id],
    );
    return rows[0] === undefined ? [] : openSecrets(this.#sealer, rows[0], id);
  }

  async deliveries(id: string, limit: number, cursor: string | undefined): Promise<DeliveryRecord[]> {
    const rows = await readPage<DeliveryRow>(
      this.#database,
      `SELECT id, event_id, type, attempts, last_attempt_at, last_status, last_error, next_attempt_at, delivered_at, created_at
       FROM webhook_deliveries WHERE webhook_id = $1`,
      [id],
      { limit, cursor },
    );
    return rows.map(deliveryOf);
  }

  async recordTest(id: string, event: WebhookEvent, deliveryAttempt: DeliveryAttempt): Promise<void> {
    // A webhook that was deleted meanwhile gets no row.
    await this.#database.query(
      `INSERT INTO webhook_deliveries (id, webhook_id, event_id, type, body, attempts, last_attempt_at, last_status, last_error, delivered_at)
       SELECT $2, w.id, $3, $4, $5, 1, now(), $6, $7, CASE WHEN $8 THEN now() END
       FROM webhooks w WHERE w.id = $1 FOR KEY SHARE`,
      [
        id,
        newId(),
        event.id,
        event.type,
        event.body,
        deliveryAttempt.status ?? null,
        deliveryAttempt.error ?? null,
        deliveryAttempt.delivered,
      ],
    );
  }
}

/** Gives up what is still to be delivered to a webhook that is switched off. */
export async function cancelPendingDeliveries(connection: Queryable, webhookId: string): Promise<void> {
  await connection.query(
    `UPDATE webhook_deliveries SET next_attempt_at = NULL, last_error = coalesce(last_error, 'the webhook was switched off')
     WHERE webhook_id = $1 AND next_attempt_at IS NOT NULL`,
    [webhookId],
  );
}

/** Opens the secrets. Those that were sealed under another secret of the service are left out: the owner can rotate them. */
export function openSecrets(sealer: Sealer, sealed: SealedWebhookSecrets, webhookId: string): Secret[] {
  const boxes = [sealed.sealed_secret, sealed.sealed_old_secret].filter((box) => box !== null);
  return boxes.flatMap((box) => {
    try {
      return [sealer.open(box, webhookId)];
    } catch {
      return [];
    }
  });
}

function webhookOf(row: WebhookRow): Webhook {
  const { events } = row;
  return {
    id: row.id,
    accountId: row.account_id,
    url: row.url,
    mayDialPrivate: row.may_dial_private,
    events: events === null ? undefined : EVENT_TYPES.filter((type) => events.includes(type)),
    description: row.description,
    enabled: row.enabled,
    disabledReason: row.disabled_reason ?? undefined,
    failingSince: row.failing_since ?? undefined,
    oldSecretEndsAt: row.old_secret_ends_at ?? undefined,
    createdAt: row.created_at,
  };
}

function deliveryOf(row: DeliveryRow): DeliveryRecord {
  return {
    id: row.id,
    eventId: row.event_id,
    type: row.type,
    attempts: row.attempts,
    lastAttemptAt: row.last_attempt_at ?? undefined,
    lastStatus: row.last_status ?? undefined,
    lastError: row.last_error ?? undefined,
    nextAttemptAt: row.next_attempt_at ?? undefined,
    deliveredAt: row.delivered_at ?? undefined,
    createdAt: row.created_at,
  };
}

/** Deliveries of the webhook's account; an event is lost where none of its deliveries succeeded or still waits. */
const ACCOUNT_DELIVERIES = `
account_deliveries AS (
  SELECT d.type, d.body::json -> 'data' AS data, d.created_at, d.event_id,
    bool_and(d.delivered_at IS NULL AND d.next_attempt_at IS NULL) OVER (PARTITION BY d.event_id) AS is_lost
  FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
  WHERE w.account_id = (SELECT account_id FROM webhooks WHERE id = $1)
)`;

const newestIsLost = (type: string) =>
  `coalesce((SELECT is_lost FROM account_deliveries WHERE type = '${type}' ORDER BY created_at DESC, event_id DESC LIMIT 1), false)`;

/** Waits for a running check of the account's balance. The check locks the webhook last, so this comes before that lock. */
async function lockBalanceAlerts(connection: Queryable, webhookId: string): Promise<void> {
  await connection.query(
    `SELECT 1 FROM balance_alerts b JOIN webhooks w ON w.account_id = b.account_id WHERE w.id = $1 FOR UPDATE OF b`,
    [webhookId],
  );
}

/** Retracts alerts whose deliveries were all given up, so that those that still hold are sent again. */
async function retractLostAlerts(connection: Queryable, webhookId: string): Promise<void> {
  await connection.query(
    `WITH ${ACCOUNT_DELIVERIES}
     UPDATE balance_alerts SET is_low = is_low AND NOT ${newestIsLost("balance.low")},
       is_exhausted = is_exhausted AND NOT ${newestIsLost("balance.exhausted")}
     WHERE account_id = (SELECT account_id FROM webhooks WHERE id = $1) AND (is_low OR is_exhausted)`,
    [webhookId],
  );
  await connection.query(
    `WITH ${ACCOUNT_DELIVERIES}, marks AS (
       SELECT (data ->> 'key_id')::uuid AS key_id, data ->> 'period' AS period, (data ->> 'threshold')::double precision AS threshold,
         coalesce((data ->> 'period_start')::timestamptz, '-infinity') AS period_start,
         CASE WHEN data ->> 'period' = 'total' THEN ((data ->> 'limit')::numeric * 1000000000)::bigint ELSE 0 END AS total_limit,
         is_lost, created_at
       FROM account_deliveries WHERE type = 'budget.threshold'
     ), newest AS (
       SELECT DISTINCT ON (key_id, period, period_start, threshold, total_limit) *
       FROM marks ORDER BY key_id, period, period_start, threshold, total_limit, created_at DESC
     )
     DELETE FROM budget_alerts b USING newest n
     WHERE n.is_lost AND b.key_id = n.key_id AND b.period = n.period AND b.period_start = n.period_start
       AND b.total_limit = n.total_limit AND b.threshold = n.threshold`,
    [webhookId],
  );
}
