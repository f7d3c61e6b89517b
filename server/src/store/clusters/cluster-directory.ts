import type { NanoCredits } from "@trunkline/core/money.ts";
import type { Row } from "../database/rows.ts";
import { type Cluster, HOME } from "./cluster-registry.ts";
import { ClusterTransfers } from "./cluster-transfers.ts";
import { moveAccount } from "./move-account.ts";
import { Placements } from "./placements.ts";

/** A cluster at a glance. */
export interface ClusterSummary {
  readonly number: number;
  readonly isHome: boolean;
  /** undefined: the cluster is away. */
  readonly figures: ClusterFigures | undefined;
}

export interface ClusterFigures {
  readonly bytes: bigint;
  /** How many accounts spend there. */
  readonly accounts: bigint;
  readonly balances: NanoCredits;
  /** What has left it for another cluster and has not arrived there. */
  readonly underWay: NanoCredits;
}

/** Where an account is. */
export interface AccountPlace {
  readonly cluster: number;
  /** Where it was before: its records of then are still there. */
  readonly past: readonly number[];
  /** When it was moved last; undefined: never. */
  readonly movedAt: Date | undefined;
  /** Its credits on other clusters, leased or not, and on their way: they follow. */
  readonly elsewhere: NanoCredits;
}

const FIGURES = `
SELECT pg_database_size(current_database()) AS bytes,
  (SELECT count(*) FROM accounts WHERE left_at IS NULL) AS accounts,
  (SELECT coalesce(sum(balance), 0)::bigint FROM ledger_accounts WHERE kind IN ('customer', 'lease')) AS balances,
  (SELECT coalesce(sum(amount), 0)::bigint FROM cluster_transfers WHERE side = 'out' AND arrived_at IS NULL) AS under_way`;

/** The clusters and the accounts on them, for the operator. */
export class ClusterDirectory {
  readonly #clusters: readonly Cluster[];
  readonly #home: Cluster;

  constructor(clusters: readonly Cluster[]) {
    const home = clusters.find(({ number }) => number === HOME);
    if (home === undefined) throw new Error("There is no home cluster.");
    this.#clusters = clusters;
    this.#home = home;
  }

  has(number: number): boolean {
    return this.#clusters.some((cluster) => cluster.number === number);
  }

  /** A cluster that is away is listed without figures. */
  list(): Promise<ClusterSummary[]> {
    return Promise.all(
      this.#clusters.map(async ({ number, database }) => {
        const rows = await database
          .query<{ bytes: bigint; accounts: bigint; balances: bigint; under_way: bigint }>(FIGURES)
          .catch((error: unknown) => {
            // Without home nothing is known.
            if (number === HOME) throw error;
            return [];
          });
        const figures = rows[0] && { ...rows[0], underWay: rows[0].under_way };
        return { number, isHome: number === HOME, figures };
      }),
    );
  }

  async placeOf(accountId: string): Promise<AccountPlace> {
    const [row] = await this.#home.database.query<Row<"placements", "cluster" | "past" | "moved_at">>(
      "SELECT cluster, past, moved_at FROM placements WHERE account_id = $1",
      [accountId],
    );
    if (row === undefined) return { cluster: HOME, past: [], movedAt: undefined, elsewhere: 0n };
    const { cluster, past, moved_at: movedAt } = row;
    let elsewhere = 0n;
    for (const { number, database } of this.#clusters) {
      const [found] = await database.query<{ credits: bigint }>(
        `SELECT (CASE WHEN $2 THEN 0 ELSE (SELECT coalesce(sum(balance), 0) FROM ledger_accounts
             WHERE account_id = $1 AND kind IN ('customer', 'lease')) END
           + (SELECT coalesce(sum(amount), 0) FROM cluster_transfers
             WHERE account_id = $1 AND side = 'out' AND arrived_at IS NULL AND kind = 'customer'))::bigint AS credits`,
        [accountId, number === cluster],
      );
      elsewhere += found?.credits ?? 0n;
    }
    return { cluster, past, movedAt, elsewhere };
  }

  /** Moves an account with its credits, but for those that are leased: they follow. Throws MoveRefused. */
  async move(accountId: string, to: number): Promise<{ readonly from: number; readonly moved: NanoCredits }> {
    const { from } = await moveAccount(this.#clusters, accountId, to);
    const placements = new Placements(this.#home.database);
    await placements.reload();
    const transfers = new ClusterTransfers(this.#clusters);
    let moved = 0n;
    for (const other of placements.othersOf(accountId)) moved += await transfers.move("customer", accountId, other, to);
    return { from, moved };
  }
}
