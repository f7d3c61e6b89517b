import type { KeyUsage } from "../../identity/keys/api-key.ts";
import type { Database } from "../database/database.ts";

interface UseRow {
  requests: bigint;
  spent: bigint;
  spent_since: bigint;
}

/**
 * Whole closed days from their sums, what came later by quarter of an hour. A key's own moment may lie within a closed
 * day, as days are closed by UTC: the rest of that day is read by quarter too.
 */
const KEY_USES = `
SELECT (days.requests + late.requests)::bigint AS requests, (days.cost + late.cost)::bigint AS spent,
  (days.cost_since + late.cost_since + coalesce(first.cost, 0))::bigint AS spent_since
FROM unnest($1::uuid[], $2::timestamptz[]) WITH ORDINALITY AS k(id, since, place)
CROSS JOIN usage_closed c
CROSS JOIN LATERAL (
  SELECT coalesce(sum(requests), 0) AS requests, coalesce(sum(cost), 0) AS cost,
    coalesce(sum(cost) FILTER (WHERE day >= (k.since AT TIME ZONE 'UTC')), 0) AS cost_since
  FROM usage_days WHERE key_id = k.id AND day < (c.until AT TIME ZONE 'UTC')::date
) days
CROSS JOIN LATERAL (
  SELECT coalesce(sum(requests), 0) AS requests, coalesce(sum(cost), 0) AS cost,
    coalesce(sum(cost) FILTER (WHERE quarter >= k.since), 0) AS cost_since
  FROM usage_quarters WHERE key_id = k.id AND quarter >= c.until
) late
LEFT JOIN LATERAL (
  SELECT sum(cost) AS cost FROM usage_quarters WHERE key_id = k.id AND quarter >= k.since AND quarter < c.until
    AND quarter < date_trunc('day', k.since, 'UTC') + interval '24 hours'
) first ON isfinite(k.since) AND date_trunc('day', k.since, 'UTC') < k.since
ORDER BY k.place`;

/** What was done with each of these keys, in their order. */
export async function readKeyUses(
  database: Database,
  keys: readonly { readonly id: string; readonly since: Date | undefined }[],
): Promise<KeyUsage[]> {
  if (keys.length === 0) return [];
  const rows = await database.query<UseRow>(KEY_USES, [
    keys.map(({ id }) => id),
    keys.map(({ since }) => since?.toISOString() ?? "-infinity"),
  ]);
  return rows.map((row) => ({ requests: row.requests, spent: row.spent, spentSince: row.spent_since }));
}
