// @ts-check
/** A history of requests as the service would have left it, written in a few statements instead of one by one. */
import { RECOMPUTED_QUARTERS } from "../server/src/store/ledger/audit-checks.ts";
import { closeUsageDays } from "../server/src/store/usage/usage-rollups.ts";
import { BenchFailure } from "./bench-failure.mjs";

/** @typedef {import("../server/src/store/database/database.ts").Database} Database */
/** @typedef {{ id: string, keys: readonly string[] }} Owner An account, and the ids of its keys. */

export const DAYS = 90;
const CHUNK = 250_000;
/** What a record of an answer holds besides its columns, about as long as it is in life. */
const DETAIL = JSON.stringify({
  attempts: [{ model: "large/m-1", outcome: "answered", reason: "ok", ms: 812.402, first_part_ms: 203.114 }],
  routing: {
    strategy: "cost-optimized",
    task: "chat",
    candidates: ["large/m-1", "large/m-2", "small/m-5", "other-1/m-6"].map((model) => ({
      model,
      predicted_quality: 0.8,
      expected_latency_ms: 811.2,
      estimated_cost: 0.000123,
      worst_case_cost: 0.004,
      reasons: ["cheapest that meets the requirements"],
    })),
    left_out: [],
  },
  safety: { input: { action: "allow", categories: {} }, output: { action: "allow", categories: {} } },
  timings: {
    admit: 0.041,
    validate: 0.022,
    route: 0.093,
    screen: 0.31,
    hold: 0.018,
    provider: 812.4,
    settle: 2.2,
  },
});

/**
 * Spread evenly over time. One request in a fixed number is the small account's, and another such part went to the small
 * provider; the large ones have four fifths of everything. Which key, model, task and end a request has is drawn by the
 * hash of its number: every run is alike.
 */
const WRITE = `
INSERT INTO requests (id, account_id, key_id, path, task, model, provider, status, error_type, input_tokens, output_tokens, images,
  usage_source, price_version, held, cost, latency_ms, detail, created_at)
SELECT (lpad(to_hex(floor(extract(epoch FROM moment) * 1000)::bigint), 12, '0') || '7' || substr(md5(at::text), 1, 3) || '8'
    || substr(md5(at::text), 4, 15))::uuid,
  account.id::uuid, (account.keys->>(drawn % jsonb_array_length(account.keys))::int)::uuid, '/v1/ai/request',
  (ARRAY['chat', 'text', 'code', 'analysis'])[1 + drawn / 7 % 4],
  CASE provider WHEN 'large' THEN 'm-' || 1 + drawn / 31 % 4 WHEN 'small' THEN 'm-5' ELSE 'm-6' END, provider, status, CASE status WHEN 502 THEN 'provider_error' END,
  CASE status WHEN 200 THEN 50 + drawn % 400 ELSE 0 END, CASE status WHEN 200 THEN 20 + drawn / 3 % 900 ELSE 0 END, 0,
  CASE status WHEN 200 THEN 'provider' ELSE 'none' END, '1', 1000000, CASE status WHEN 200 THEN drawn % 1000000 ELSE 0 END,
  800, $1::json, moment
FROM (
  SELECT at, abs(hashint8extended(at, 1)) AS drawn, date_trunc('milliseconds', $2::timestamptz + interval '${DAYS} days' * (at::float8 / $3)) AS moment
  FROM generate_series($4::bigint, $5::bigint) AS at
) AS request
CROSS JOIN LATERAL (SELECT CASE WHEN drawn / 11 % 100 < 95 THEN 200 WHEN drawn / 11 % 100 < 98 THEN 502 ELSE 499 END AS status,
  CASE WHEN at % $7 = 1 THEN 'small' WHEN drawn / 19 % 1000 < $8 THEN 'large' ELSE 'other-1' END AS provider)
JOIN jsonb_to_recordset($6::jsonb) AS account(place int, id text, keys jsonb) ON account.place = CASE
  WHEN at % $7 = 0 THEN 1 WHEN drawn / 13 % 1000 < $8 THEN 0 ELSE 2 + drawn / 17 % $9 END`;

/**
 * Fills an empty store. The first owner is the large account, the second the small one, the others share the rest.
 * @param {Database} database @param {{ owners: readonly Owner[], requests: number, small: number, from: Date, onProgress: (written: number) => void }} order
 */
export async function writeHistory(database, { owners, requests, small, from, onProgress }) {
  // Nothing of this must survive the run, and its log would be most of the writing.
  await database.query("ALTER TABLE requests SET UNLOGGED");
  const accounts = JSON.stringify(owners.map(({ id, keys }, place) => ({ place, id, keys })));
  const largeShare = Math.round((800 * requests) / (requests - small));
  for (let first = 1; first <= requests; first += CHUNK) {
    const last = Math.min(first + CHUNK - 1, requests);
    await database.query(WRITE, [
      DETAIL,
      from,
      requests,
      first,
      last,
      accounts,
      Math.floor(requests / small),
      largeShare,
      owners.length - 2,
    ]);
    onProgress(last);
  }
  await database.transaction(async (connection) => {
    // In life hardly any of them comes late, and none by the million. What the service closed meanwhile is open again.
    await connection.query("SET LOCAL session_replication_role = replica");
    await connection.query("UPDATE usage_closed SET until = '-infinity'");
    await connection.query(`INSERT INTO usage_quarters ${RECOMPUTED_QUARTERS} ORDER BY 2, 1`);
  });
  await closeUsageDays(database);
  // What autovacuum does over the weeks that this history stands for.
  await database.query("VACUUM (ANALYZE)");
  const [written] = await database.query("SELECT count(*) AS count FROM requests");
  if (Number(written?.count) !== requests) throw new BenchFailure(`${written?.count} requests were written.`);
}
