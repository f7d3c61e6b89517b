import { PRICED_BY_SEGMENTS } from "@trunkline/core/leg.ts";

/**
 * What usage is summed from: each request counted once, for the model that finished it, and what was used of each model
 * for that model. A request of one leg is one piece. One of several is a piece that has no tokens and no cost, and a piece
 * for each leg that counts as no request. `requests` and `legs` are tables, or what looks like them.
 */
export function usageRows(requests: string, legs: string): string {
  const unlessLegs = (column: string) =>
    `CASE WHEN price_version = '${PRICED_BY_SEGMENTS}' THEN 0 ELSE ${column} END AS ${column}`;
  return `SELECT id, created_at, account_id, key_id, coalesce(model, '') AS model, coalesce(provider, '') AS provider, task,
      (status < 400)::int AS requests, (status >= 400 AND status <> 499)::int AS errors,
      ${unlessLegs("input_tokens")}, ${unlessLegs("output_tokens")}, ${unlessLegs("cost")},
      CASE WHEN status < 400 THEN latency_ms ELSE 0 END AS latency_ms
    FROM ${requests}
    UNION ALL
    SELECT r.id, r.created_at, r.account_id, r.key_id, l.model, l.provider, r.task, 0, 0, l.input_tokens, l.output_tokens, l.cost, 0
    FROM ${legs} l JOIN ${requests} r ON r.id = l.request_id`;
}
