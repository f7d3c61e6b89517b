import type { Database } from "../database/database.ts";
import { AT_ONCE } from "../database/pace.ts";

/** The number of an advisory lock: one instance seals at a time. */
const SEALING_LOCK = 7_215_733_003;

/** How many new transfers one seal covers at most, so that neither a seal nor what is booked under it holds up requests. */
const TRANSFERS_PER_SEAL = 2_500;

/**
 * The digest of a transfer `t`. Its text does not depend on a session's settings. Only the last field is free text, so no
 * two rows have the same.
 */
export const TRANSFER_DIGEST = `sha256(convert_to(format('%s %s %s %s %s %s %s %L', t.id, t.kind, t.debit, t.credit, t.amount,
  t.request_id, (extract(epoch FROM t.created_at) * 1000000)::bigint, t.memo), 'UTF8'))`;

/** Seals every transfer that is committed and not yet sealed. Returns their number. */
export async function sealLedger(database: Database, pace = AT_ONCE): Promise<number> {
  let sealed = 0;
  for (;;) {
    const startedAt = performance.now();
    const covered = await database.transaction(async (connection) => {
      // Locked in a statement of its own, so that the next one sees the seal that was made meanwhile.
      await connection.query("SELECT pg_advisory_xact_lock($1)", [SEALING_LOCK]);
      const rows = await connection.query<{ transfers: bigint }>(MAKE_SEAL, [TRANSFERS_PER_SEAL]);
      return Number(rows[0]?.transfers ?? 0n);
    });
    sealed += covered;
    if (covered < TRANSFERS_PER_SEAL || !(await pace(performance.now() - startedAt))) return sealed;
  }
}

/**
 * A transaction that was open when a seal was made may commit transfers with ids below those that the seal covers. So each
 * seal also names an older one, `settled`: all transactions that were open when that one was made are over, and below its
 * last id nothing new can appear. The search begins there, in the gaps between what later seals cover. A transaction that
 * moves money changes a balance before it draws an id, so by then it has its transaction number, which is lower than that
 * of the transaction that seals a higher id.
 */
const MAKE_SEAL = `
WITH newest AS (
  SELECT id, digest, last_id, settled FROM ledger_seals ORDER BY id DESC LIMIT 1
), base AS (
  SELECT id, last_id FROM ledger_seals WHERE id = (SELECT settled FROM newest)
), settled AS (
  SELECT id FROM ledger_seals
  WHERE xid <= pg_snapshot_xmin(pg_current_snapshot())
    -- Sealed on another server, before the tables were restored on this one: no transaction of that server is open.
    OR xid > pg_snapshot_xmax(pg_current_snapshot())
  ORDER BY id DESC LIMIT 1
), reach AS (
  SELECT greatest(max(id), (SELECT last_id FROM newest)) AS last_id
  FROM (SELECT id FROM ledger_transfers WHERE id > coalesce((SELECT last_id FROM newest), 0) ORDER BY id LIMIT $1) AS next
), since AS (
  SELECT coalesce(range_agg(range), '{}') AS ids
  FROM ledger_seals s CROSS JOIN LATERAL unnest(s.ids) AS range
  WHERE s.id > coalesce((SELECT id FROM base), 0) AND s.id <= (SELECT id FROM newest)
), gaps AS (
  SELECT lower(gap) AS low, upper(gap) AS high
  FROM reach, since,
    unnest(int8multirange(int8range(coalesce((SELECT last_id FROM base), 0), reach.last_id, '(]')) - since.ids) AS gap
)
INSERT INTO ledger_seals (id, ids, transfers, digest, last_id, xid, settled)
SELECT coalesce((SELECT id FROM newest), 0) + 1, range_agg(int8range(t.id, t.id, '[]')), count(*),
  sha256(coalesce((SELECT digest FROM newest), '') || string_agg(${TRANSFER_DIGEST}, ''::bytea ORDER BY t.id)),
  (SELECT last_id FROM reach), pg_current_xact_id(), coalesce((SELECT id FROM settled), 0)
FROM gaps CROSS JOIN LATERAL (
  -- OFFSET 0 makes the planner look each gap up in the index instead of reading the whole table.
  SELECT * FROM ledger_transfers WHERE id >= gaps.low AND id < gaps.high OFFSET 0
) t
HAVING count(*) > 0
RETURNING transfers`;
