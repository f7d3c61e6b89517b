import type { Database } from "../database/database.ts";

/** One sealer at a time, whatever the instance: the lock's number is ours alone. */
const SEALING_LOCK = 7_215_733_003;

/** How many new transfers one seal covers at most: the first seals of a long history must not fill the memory. */
const TRANSFERS_PER_SEAL = 10_000;

/**
 * What a transfer `t` looks like to a seal. The text is the same under every setting of a session, and its last field
 * is the only one that may hold anything, so that no two rows have the same.
 */
export const TRANSFER_DIGEST = `sha256(convert_to(format('%s %s %s %s %s %s %s %L', t.id, t.kind, t.debit, t.credit, t.amount,
  t.request_id, (extract(epoch FROM t.created_at) * 1000000)::bigint, t.memo), 'UTF8'))`;

/** Seals every transfer that is committed and not yet sealed. Returns how many there were. */
export async function sealLedger(database: Database): Promise<number> {
  let sealed = 0;
  for (;;) {
    const covered = await database.transaction(async (connection) => {
      // Locked in a statement of its own, so that the next one sees the seal that was made meanwhile.
      await connection.query("SELECT pg_advisory_xact_lock($1)", [SEALING_LOCK]);
      const rows = await connection.query<{ transfers: bigint }>(MAKE_SEAL, [TRANSFERS_PER_SEAL]);
      return Number(rows[0]?.transfers ?? 0n);
    });
    sealed += covered;
    if (covered < TRANSFERS_PER_SEAL) return sealed;
  }
}

/**
 * A transaction that was open when a seal was made may leave transfers with ids below those that the seal covers. So
 * each seal also names an older one, `settled`: everything that was open when that one was made was over when this one
 * was, and below its last id nothing can come any more. The search begins there, and looks into the gaps between what the seals
 * since then cover. A transaction that moves money changes a balance before it draws an id, and so has its transaction's
 * number by then: lower than the number of the transaction that seals a higher id.
 */
const MAKE_SEAL = `
WITH newest AS (
  SELECT id, digest, last_id, settled FROM ledger_seals ORDER BY id DESC LIMIT 1
), base AS (
  SELECT id, last_id FROM ledger_seals WHERE id = (SELECT settled FROM newest)
), settled AS (
  SELECT id FROM ledger_seals
  WHERE xid <= pg_snapshot_xmin(pg_current_snapshot())
    -- From another server, before the tables were restored on this one: nothing of then is open.
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
  -- Kept apart, so that the planner looks each gap up in the index instead of reading all of history.
  SELECT * FROM ledger_transfers WHERE id >= gaps.low AND id < gaps.high OFFSET 0
) t
HAVING count(*) > 0
RETURNING transfers`;
