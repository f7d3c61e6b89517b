import { newId } from "@trunkline/core/id.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { Database, Queryable } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { settleDebts } from "../ledger/debts.ts";
import { type Cluster, HOME } from "./cluster-registry.ts";

/** The number of an advisory lock of each cluster: shared by those that send money, taken alone by those that count it. */
const TRANSIT_LOCK = 7_215_733_011;

/** What can be moved: a customer's balance, or what a provider has earned. */
export type MovableKind = "customer" | "payable";

type UnderWay = Row<"cluster_transfers", "id" | "kind" | "account_id" | "amount" | "other">;

/** Steps between which a process may end. Tests end it there. */
export type TransferStep = "sent" | "received";

/**
 * Moves money between clusters. It leaves one and enters the other under the same id, each in one transaction: what was
 * broken off in between is on its way, and enters later, once.
 */
export class ClusterTransfers {
  readonly #clusters: ReadonlyMap<number, Database>;
  readonly #onStep: (step: TransferStep) => void;

  constructor(clusters: readonly Cluster[], onStep: (step: TransferStep) => void = () => undefined) {
    this.#clusters = new Map(clusters.map(({ number, database }) => [number, database]));
    this.#onStep = onStep;
  }

  /** Moves what no instance has leased, or at most `most` of it. Returns what was moved. */
  async move(kind: MovableKind, accountId: string, from: number, to: number, most?: NanoCredits): Promise<NanoCredits> {
    const source = this.#databaseOf(from);
    // Most accounts have nothing to move.
    const rows = await source.query(
      "SELECT 1 FROM ledger_accounts WHERE account_id = $1 AND kind = $2 AND balance > 0",
      [accountId, kind],
    );
    if (rows.length === 0) return 0n;
    const sent = await source.transaction((connection) => send(connection, kind, accountId, to, most));
    if (sent === undefined) return 0n;
    this.#onStep("sent");
    await this.#deliver(from, sent);
    return sent.amount;
  }

  /** Ends what was broken off, of one account or of all. Returns how many transfers a cluster that is away still waits for. */
  async resume(accountId?: string): Promise<number> {
    let waiting = 0;
    for (const [number, database] of this.#clusters) {
      const transfers = await database.query<UnderWay>(
        `SELECT id, kind, account_id, amount, other FROM cluster_transfers
         WHERE side = 'out' AND arrived_at IS NULL AND ($1::uuid IS NULL OR account_id = $1) ORDER BY id`,
        [accountId ?? null],
      );
      for (const transfer of transfers) {
        await this.#deliver(number, transfer).catch(() => {
          waiting++;
        });
      }
    }
    return waiting;
  }

  /** Runs `work` while no money is on its way: all of it is in a balance, once. `home` is a transaction at home. */
  async whileNoneUnderWay<Result>(home: Queryable, work: () => Promise<Result>): Promise<Result> {
    await home.query("SELECT pg_advisory_xact_lock($1)", [TRANSIT_LOCK]);
    const lockRest = ([next, ...rest]: readonly Database[]): Promise<Result> =>
      next === undefined
        ? this.#afterLast(work)
        : next.transaction(async (connection) => {
            await connection.query("SELECT pg_advisory_xact_lock($1)", [TRANSIT_LOCK]);
            return lockRest(rest);
          });
    return lockRest([...this.#clusters].filter(([number]) => number !== HOME).map(([, database]) => database));
  }

  /** Nothing more is sent. What was sent before arrives now. */
  async #afterLast<Result>(work: () => Promise<Result>): Promise<Result> {
    if ((await this.resume()) > 0) throw new Error("Credits are on their way to a cluster that is away.");
    return work();
  }

  async #deliver(from: number, transfer: UnderWay): Promise<void> {
    await this.#databaseOf(transfer.other).transaction((connection) => receive(connection, from, transfer));
    this.#onStep("received");
    await this.#databaseOf(from).query(
      "UPDATE cluster_transfers SET arrived_at = now() WHERE id = $1 AND arrived_at IS NULL",
      [transfer.id],
    );
  }

  #databaseOf(number: number): Database {
    const database = this.#clusters.get(number);
    if (database === undefined) throw new Error(`There is no cluster ${number}.`);
    return database;
  }
}

async function send(
  connection: Queryable,
  kind: MovableKind,
  accountId: string,
  to: number,
  most: NanoCredits | undefined,
): Promise<UnderWay | undefined> {
  await connection.query("SELECT pg_advisory_xact_lock_shared($1)", [TRANSIT_LOCK]);
  // Locked in a statement of its own, so that what follows sees what earlier transactions have left.
  const [source] = await connection.query<Row<"ledger_accounts", "id" | "balance">>(
    "SELECT id, balance FROM ledger_accounts WHERE account_id = $1 AND kind = $2 FOR UPDATE",
    [accountId, kind],
  );
  const balance = source?.balance ?? 0n;
  const amount = most !== undefined && most < balance ? most : balance;
  if (source === undefined || amount <= 0n) return undefined;
  const id = newId();
  await connection.query(
    `WITH taken AS (
       UPDATE ledger_accounts SET balance = balance - $2::bigint WHERE id = $1
     ), transit AS (
       UPDATE ledger_accounts SET balance = balance + $2::bigint WHERE kind = 'transit' RETURNING id
     ), moved AS (
       INSERT INTO ledger_transfers (kind, debit, credit, amount, memo)
       SELECT 'cluster_out', $1, transit.id, $2::bigint, $3 FROM transit RETURNING id
     )
     INSERT INTO cluster_transfers (id, side, kind, account_id, amount, other, transfer_id)
     SELECT $4, 'out', $5, $6, $2::bigint, $7, moved.id FROM moved`,
    [source.id, amount, `To cluster ${to}`, id, kind, accountId, to],
  );
  return { id, kind, account_id: accountId, amount, other: to };
}

async function receive(connection: Queryable, from: number, { id, kind, account_id, amount }: UnderWay): Promise<void> {
  // Of two that deliver at once, the second one finds what the first has written.
  await connection.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`cluster transfer ${id}`]);
  const known = await connection.query("SELECT 1 FROM cluster_transfers WHERE id = $1", [id]);
  if (known.length > 0) return;
  await connection.query(
    `WITH transit AS (
       UPDATE ledger_accounts SET balance = balance - $2::bigint WHERE kind = 'transit' RETURNING id
     ), target AS (
       INSERT INTO ledger_accounts (kind, account_id, balance) VALUES ('${kind === "payable" ? "payable" : "customer"}', $1, $2::bigint)
       ON CONFLICT (account_id) WHERE kind = '${kind === "payable" ? "payable" : "customer"}'
       DO UPDATE SET balance = ledger_accounts.balance + EXCLUDED.balance RETURNING id
     ), moved AS (
       INSERT INTO ledger_transfers (kind, debit, credit, amount, memo)
       SELECT 'cluster_in', transit.id, target.id, $2::bigint, $3 FROM transit, target RETURNING id
     )
     INSERT INTO cluster_transfers (id, side, kind, account_id, amount, other, transfer_id)
     SELECT $4, 'in', $5, $1, $2::bigint, $6, moved.id FROM moved`,
    [account_id, amount, `From cluster ${from}`, id, kind, from],
  );
  if (kind === "customer") await settleDebts(connection, [account_id]);
}
