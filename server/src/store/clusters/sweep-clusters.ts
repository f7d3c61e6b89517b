import { announceRecall } from "../database/changes.ts";
import type { Database } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { type Cluster, HOME } from "./cluster-registry.ts";
import type { ClusterTransfers } from "./cluster-transfers.ts";
import { mendPlacements } from "./move-account.ts";
import type { Placements } from "./placements.ts";
import { copyReferenceRows } from "./reference-rows.ts";

/** Each instance wants to sweep this often; the first one does. */
const SWEEP_MS = 4_500;
const MEND_MS = 25_000;

/** What has to be done again and again where accounts are on several clusters. */
export class ClusterSweeper {
  readonly #clusters: readonly Cluster[];
  readonly #placements: Placements;
  readonly #transfers: ClusterTransfers;
  readonly #onError: (error: unknown) => void;

  /** `onError`: a cluster may be away; the others are swept all the same. */
  constructor(
    clusters: readonly Cluster[],
    placements: Placements,
    transfers: ClusterTransfers,
    onError: (error: unknown) => void,
  ) {
    this.#clusters = clusters;
    this.#placements = placements;
    this.#transfers = transfers;
    this.#onError = onError;
  }

  get #home(): Database {
    const home = this.#clusters.find(({ number }) => number === HOME)?.database;
    if (home === undefined) throw new Error("There is no home cluster.");
    return home;
  }

  /** Brings credits to the clusters where they can be spent, and what is owed and earned home. */
  async moveMoney(): Promise<void> {
    await this.#tolerate(() => this.#transfers.resume());
    await this.#moveToCustomers();
    await this.#collectDebts();
    for (const { number, database } of this.#clusters)
      if (number !== HOME) await this.#tolerate(() => this.#bringEarningsHome(number, database));
  }

  /** The same where no other instance did so in the last seconds. */
  async moveMoneyIfDue(): Promise<void> {
    if (await this.#isDue("swept_at", SWEEP_MS)) await this.moveMoney();
  }

  /** Mends moves that were broken off, and copies what other clusters must know from home. */
  async mend(): Promise<void> {
    await mendPlacements(this.#clusters);
    await this.copyReferences();
  }

  /** The same where no other instance did so in the last half minute. */
  async mendIfDue(): Promise<void> {
    if (await this.#isDue("mended_at", MEND_MS)) await this.mend();
  }

  /** Copies keys, prices and fees to the other clusters. */
  async copyReferences(): Promise<void> {
    for (const { number, database } of this.#clusters) {
      if (number === HOME) continue;
      const ids = [...this.#placements.all()]
        .filter(([, { cluster, past }]) => cluster === number || past.includes(number))
        .map(([id]) => id);
      await this.#tolerate(() => copyReferenceRows(this.#home, database, ids));
    }
  }

  /** Payments of accounts elsewhere arrive at home, and leases of accounts that have left are returned where they were taken. */
  async #moveToCustomers(): Promise<void> {
    for (const { number, database } of this.#clusters) {
      await this.#tolerate(async () => {
        const rows = await database.query<Row<"ledger_accounts", "account_id">>(
          `SELECT l.account_id FROM accounts a JOIN ledger_accounts l ON l.account_id = a.id
           WHERE a.left_at IS NOT NULL AND l.kind = 'customer' AND l.balance > 0`,
        );
        for (const { account_id: id } of rows) {
          if (id === null) continue;
          const { cluster } = this.#placements.of(id);
          if (cluster !== number) await this.#tolerate(() => this.#transfers.move("customer", id, number, cluster));
        }
      });
    }
  }

  /** Refunds and disputes are booked at home: what an account owes there is taken from where it spends. */
  async #collectDebts(): Promise<void> {
    const rows = await this.#home.query<{ account_id: string; owed: bigint }>(
      `SELECT d.account_id, -d.balance AS owed FROM ledger_accounts d JOIN accounts a ON a.id = d.account_id
       WHERE d.kind = 'debt' AND d.balance < 0 AND a.left_at IS NOT NULL`,
    );
    for (const { account_id: id, owed } of rows) {
      const { cluster } = this.#placements.of(id);
      const database = this.#clusters.find(({ number }) => number === cluster)?.database;
      if (cluster === HOME || database === undefined) continue;
      await this.#tolerate(async () => {
        const moved = await this.#transfers.move("customer", id, cluster, HOME, owed);
        if (moved < owed) await announceRecall(database, { kind: "balance", id, by: "debt" });
      });
    }
  }

  async #bringEarningsHome(number: number, database: Database): Promise<void> {
    const rows = await database.query<Row<"ledger_accounts", "account_id">>(
      "SELECT account_id FROM ledger_accounts WHERE kind = 'payable' AND balance > 0",
    );
    for (const { account_id: id } of rows) if (id !== null) await this.#transfers.move("payable", id, number, HOME);
  }

  /** Whether this has not been done for so long, by any instance. It is taken for done then. */
  async #isDue(column: "swept_at" | "mended_at", everyMs: number): Promise<boolean> {
    const rows = await this.#home.query(
      `UPDATE cluster_identity SET ${column} = now() WHERE ${column} < now() - $1 * interval '1 millisecond' RETURNING 1`,
      [everyMs],
    );
    return rows.length > 0;
  }

  async #tolerate(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#onError(error);
    }
  }
}
