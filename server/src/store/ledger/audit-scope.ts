import { firstIdAt, timeOfId } from "@trunkline/core/id.ts";
import type { Queryable } from "../database/database.ts";
import type { Row } from "../database/rows.ts";

/** What an audit reads: everything that is in the database, or what came after a checkpoint. */
export interface AuditScope {
  /** undefined: all of the ledger. */
  readonly checkpoint: Row<"ledger_checkpoints", "id" | "seal" | "last_transfer" | "audited_at"> | undefined;
  /** Requests with lower ids are archived, or were audited before the checkpoint. */
  readonly requestsFrom: string;
}

/** No request runs for longer than this between its arrival and its charge. */
const DAY_MS = 86_400_000;
/** Rollups are compared from the quarter of an hour on in which no request is archived: ids may be off by some minutes. */
const QUARTER_MS = 900_000;
const FIRST_ID = firstIdAt(0);

/** Reads where an audit begins. */
export async function readAuditScope(connection: Queryable, sinceCheckpoint: boolean): Promise<AuditScope> {
  const horizons = await connection.query<Row<"request_horizon", "first_kept">>(
    "SELECT first_kept FROM request_horizon",
  );
  const firstKept = horizons[0]?.first_kept ?? FIRST_ID;
  if (!sinceCheckpoint) return { checkpoint: undefined, requestsFrom: firstKept };
  const [checkpoint] = await connection.query<
    Row<"ledger_checkpoints", "id" | "seal" | "last_transfer" | "audited_at">
  >("SELECT id, seal, last_transfer, audited_at FROM ledger_checkpoints ORDER BY id DESC LIMIT 1");
  if (checkpoint === undefined) return { checkpoint, requestsFrom: firstKept };
  // In whole quarters of an hour, as the rollups are.
  const from = Math.floor((checkpoint.audited_at.getTime() - DAY_MS) / QUARTER_MS) * QUARTER_MS;
  const audited = firstIdAt(from);
  return { checkpoint, requestsFrom: audited > firstKept ? audited : firstKept };
}

/**
 * What comes before the statement of a check: the relations that it reads instead of the tables. `requests` and
 * `request_legs` stand for the tables of these names.
 */
export function auditRelations({ checkpoint, requestsFrom }: AuditScope): string {
  const [after, seal] = [checkpoint?.last_transfer ?? 0n, checkpoint?.seal ?? 0n];
  const isWhole = requestsFrom === FIRST_ID;
  const from = (column: string) => (isWhole ? "" : ` WHERE ${column} >= '${requestsFrom}'`);
  const time = (ms: number) => (isWhole ? "'-infinity'" : `'${new Date(ms).toISOString()}'`);
  const begin = timeOfId(requestsFrom);
  // Sums of days stay when their requests leave, so that all of them are compared, or those of whole days since the checkpoint.
  const days =
    checkpoint === undefined ? "'-infinity'" : `'${new Date(Math.ceil(begin / DAY_MS) * DAY_MS).toISOString()}'`;
  return `WITH scope AS (SELECT ${checkpoint === undefined} AS is_whole, ${after}::bigint AS last_transfer, ${seal}::bigint AS last_seal,
    '${requestsFrom}'::uuid AS requests_from, ${time(begin + QUARTER_MS)}::timestamptz AS quarters_from, ${time(begin - DAY_MS)}::timestamptz AS sealed_from,
    ${days}::timestamptz AS days_from
  ), new_transfers AS NOT MATERIALIZED (SELECT * FROM ledger_transfers${after === 0n ? "" : ` WHERE id > ${after}`}
  ), opening_balances AS NOT MATERIALIZED (SELECT account, balance FROM ledger_checkpoint_balances WHERE checkpoint = ${checkpoint?.id ?? 0n}
  ), audited_charges AS NOT MATERIALIZED (SELECT id, debit, amount, request_id FROM ledger_transfers WHERE kind = 'charge'${isWhole ? "" : ` AND request_id >= '${requestsFrom}'`}
  ), audited_earnings AS NOT MATERIALIZED (SELECT * FROM provider_earnings${from("request_id")}
  ), requests AS NOT MATERIALIZED (SELECT * FROM public.requests${from("id")}
  ), request_legs AS NOT MATERIALIZED (SELECT * FROM public.request_legs${from("request_id")})`;
}

/** What a sound audit can be continued from: the newest seal, and the last transfer below which nothing new can appear. */
export interface CheckpointMark {
  readonly seal: bigint;
  readonly digest: Buffer;
  readonly lastTransfer: bigint;
}

/** undefined: there is no seal whose transactions are all over. */
export async function readCheckpointMark(connection: Queryable): Promise<CheckpointMark | undefined> {
  const [row] = await connection.query<{ id: bigint; digest: Buffer; last_id: bigint }>(
    `SELECT newest.id, newest.digest, settled.last_id
     FROM (SELECT * FROM ledger_seals ORDER BY id DESC LIMIT 1) newest JOIN ledger_seals settled ON settled.id = newest.settled`,
  );
  return row === undefined ? undefined : { seal: row.id, digest: row.digest, lastTransfer: row.last_id };
}

/** Notes that everything up to a mark is sound, with the balances there. Older balances are deleted. */
export async function setCheckpoint(connection: Queryable, mark: CheckpointMark): Promise<void> {
  const [previous] = await connection.query<{ id: bigint; last_transfer: bigint }>(
    "SELECT id, last_transfer FROM ledger_checkpoints ORDER BY id DESC LIMIT 1",
  );
  if (previous !== undefined && previous.last_transfer >= mark.lastTransfer) return;
  await connection.query(
    `WITH made AS (
       INSERT INTO ledger_checkpoints (seal, seal_digest, last_transfer) VALUES ($1, $2, $3) RETURNING id
     ), moved AS (
       SELECT credit AS account, amount FROM ledger_transfers WHERE id > $4 AND id <= $3
       UNION ALL SELECT debit, -amount FROM ledger_transfers WHERE id > $4 AND id <= $3
       UNION ALL SELECT account, balance FROM ledger_checkpoint_balances WHERE checkpoint = $5
     ), gone AS (
       DELETE FROM ledger_checkpoint_balances WHERE checkpoint < $5
     )
     INSERT INTO ledger_checkpoint_balances SELECT made.id, account, sum(amount) FROM made, moved GROUP BY 1, 2`,
    [mark.seal, mark.digest, mark.lastTransfer, previous?.last_transfer ?? 0n, previous?.id ?? 0n],
  );
}
