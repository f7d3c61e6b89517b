import type { Queryable } from "../database/database.ts";

/** Adds an instance's own sums of usage, up to a moment or all of them, to those that all have in common. */
export async function mergeInstanceUsage(
  connection: Queryable,
  instanceId: string,
  before?: Date,
): Promise<void> {
  await connection.query(
    `WITH own AS (
       DELETE FROM usage_quarters WHERE instance_id = $1 AND ($2::timestamptz IS NULL OR quarter < $2) RETURNING *
     )
     INSERT INTO usage_quarters AS u (account_id, quarter, key_id, model, provider, task, requests, errors, input_tokens, output_tokens, cost, latency_ms)
     SELECT account_id, quarter, key_id, model, provider, task, requests, errors, input_tokens, output_tokens, cost, latency_ms FROM own
     -- In one order everywhere: two that fold into the same rows must not wait for each other in a ring.
     ORDER BY account_id, quarter, key_id, model, provider, task
     ON CONFLICT (account_id, quarter, key_id, model, provider, task, instance_id) DO UPDATE SET
       requests = u.requests + EXCLUDED.requests, errors = u.errors + EXCLUDED.errors,
       input_tokens = u.input_tokens + EXCLUDED.input_tokens, output_tokens = u.output_tokens + EXCLUDED.output_tokens,
       cost = u.cost + EXCLUDED.cost, latency_ms = u.latency_ms + EXCLUDED.latency_ms`,
    [instanceId, before ?? null],
  );
}
