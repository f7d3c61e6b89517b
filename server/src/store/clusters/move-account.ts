import { StartupError } from "@trunkline/core/fault.ts";
import type { Database } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { type Cluster, HOME } from "./cluster-registry.ts";
import { copyReferenceRows } from "./reference-rows.ts";

/** The number of an advisory lock at home: one account is moved at a time, and what was broken off is mended under it. */
const MOVING_LOCK = 7_215_733_012;

/** Steps between which a process may end. Tests end it there. */
export type MoveStep = "copied" | "closed" | "opened" | "recorded";

/** Why an account can't be moved. */
export class MoveRefused extends Error {}

/**
 * Moves an account to another cluster while it runs. Its records and charges stay where they are. From then on it may begin
 * to spend on the new cluster alone; its credits are fetched there when they are needed, or by the next sweep. A move that
 * is broken off has taken place or not: `mendPlacements` opens the cluster that the directory names.
 */
export async function moveAccount(
  clusters: readonly Cluster[],
  accountId: string,
  to: number,
  onStep: (step: MoveStep) => void = () => undefined,
): Promise<{ readonly from: number }> {
  const databaseOf = (number: number) => findDatabase(clusters, number);
  const home = databaseOf(HOME);
  const target = clusters.find(({ number }) => number === to)?.database;
  if (target === undefined) throw new MoveRefused(`There is no cluster ${to}.`);
  // The directory is changed by the connection that has the lock: without the lock it can't be.
  const connection = await home.connect("move");
  try {
    await connection.query("SELECT pg_advisory_lock($1)", [MOVING_LOCK]);
    await requireMovable(home, accountId);
    const { rows } = await connection.query<Row<"placements", "cluster" | "past">>(
      "SELECT cluster, past FROM placements WHERE account_id = $1",
      [accountId],
    );
    const { cluster: from, past } = rows[0] ?? { cluster: HOME, past: [] };
    if (from === to) throw new MoveRefused(`The account is on cluster ${to} already.`);
    if (to !== HOME) await copyReferenceRows(home, target, [accountId]);
    onStep("copied");
    await setOpen(databaseOf(from), accountId, false);
    onStep("closed");
    await setOpen(target, accountId, true);
    onStep("opened");
    await connection.query(
      `INSERT INTO placements (account_id, cluster, past) VALUES ($1, $2, $3)
       ON CONFLICT (account_id) DO UPDATE SET cluster = $2, past = $3, moved_at = now()`,
      [accountId, to, [...past.filter((number) => number !== to), from]],
    );
    onStep("recorded");
    return { from };
  } finally {
    // The lock goes with its connection.
    await connection.end();
  }
}

/**
 * Opens each account where the directory says it is, and closes it elsewhere, where a move was broken off. Does nothing
 * while an account is being moved.
 */
export async function mendPlacements(clusters: readonly Cluster[]): Promise<void> {
  // A connection of its own, so that the pool's are free for the work.
  const connection = await findDatabase(clusters, HOME).connect("mend");
  try {
    const locks = await connection.query<{ taken: boolean }>("SELECT pg_try_advisory_lock($1) AS taken", [MOVING_LOCK]);
    if (locks.rows[0]?.taken !== true) return;
    const { rows } = await connection.query<Row<"placements", "account_id" | "cluster">>(
      "SELECT account_id, cluster FROM placements",
    );
    for (const { number, database } of clusters) {
      const isHome = number === HOME;
      // Accounts without a row in the directory are at home.
      const ids = rows.filter(({ cluster }) => (cluster === number) !== isHome).map(({ account_id: id }) => id);
      await setAllOpen(database, true, isHome ? "NOT (id = ANY ($1::uuid[]))" : "id = ANY ($1::uuid[])", ids);
      await setAllOpen(database, false, isHome ? "id = ANY ($1::uuid[])" : "NOT (id = ANY ($1::uuid[]))", ids);
    }
  } finally {
    // The lock goes with its connection.
    await connection.end();
  }
}

/** Some things are decided by the balance at home, in one transaction with it. */
async function requireMovable(home: Database, accountId: string): Promise<void> {
  const [account] = await home.query<{ operator: boolean; pays_by_x402: boolean }>(
    `SELECT operator, EXISTS (SELECT 1 FROM x402_payers p WHERE p.account_id = a.id) AS pays_by_x402
     FROM accounts a WHERE id = $1`,
    [accountId],
  );
  if (account === undefined) throw new MoveRefused("There is no such account.");
  if (account.operator) throw new MoveRefused("The operator's own account stays on the home cluster.");
  if (account.pays_by_x402)
    throw new MoveRefused("An account of a wallet that pays request by request (x402) stays on the home cluster.");
}

async function setOpen(database: Database, accountId: string, isOpen: boolean): Promise<void> {
  await database.query(`UPDATE accounts SET left_at = ${isOpen ? "NULL" : "now()"} WHERE id = $1`, [accountId]);
}

/** Asked first: an update announces a change of keys, also where it finds nothing. */
async function setAllOpen(
  database: Database,
  isOpen: boolean,
  condition: string,
  ids: readonly string[],
): Promise<void> {
  const rows = await database.query<Row<"accounts", "id">>(
    `SELECT id FROM accounts WHERE left_at IS ${isOpen ? "NOT NULL" : "NULL"} AND ${condition}`,
    [ids],
  );
  for (const { id } of rows) await setOpen(database, id, isOpen);
}

function findDatabase(clusters: readonly Cluster[], number: number): Database {
  const cluster = clusters.find((known) => known.number === number);
  if (cluster === undefined) throw new StartupError(`DATABASE_URLS lacks cluster ${number}.`);
  return cluster.database;
}
