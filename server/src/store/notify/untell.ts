import type { Queryable } from "../database/database.ts";

/** Letters of the webhook's account; an event is lost where none of its letters came through or still waits. */
const ACCOUNT_DELIVERIES = `
letters AS (
  SELECT d.type, d.body::json -> 'data' AS data, d.created_at, d.event_id,
    bool_and(d.delivered_at IS NULL AND d.next_attempt_at IS NULL) OVER (PARTITION BY d.event_id) AS is_lost
  FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
  WHERE w.account_id = (SELECT account_id FROM webhooks WHERE id = $1)
)`;

const newestIsLost = (type: string) =>
  `coalesce((SELECT is_lost FROM letters WHERE type = '${type}' ORDER BY created_at DESC, event_id DESC LIMIT 1), false)`;

/** Waits for whoever tells of the account's balance now; to be called before the webhook is locked, as they lock it last. */
export async function lockBalanceAlerts(connection: Queryable, webhookId: string): Promise<void> {
  await connection.query(
    `SELECT 1 FROM balance_alerts b JOIN webhooks w ON w.account_id = b.account_id WHERE w.id = $1 FOR UPDATE OF b`,
    [webhookId],
  );
}

/** Takes alerts whose letters were all given up for untold, so that what still holds of them is told anew. */
export async function retractLostAlerts(connection: Queryable, webhookId: string): Promise<void> {
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
       FROM letters WHERE type = 'budget.threshold'
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
