import type { NanoCredits } from "@trunkline/core/money.ts";
import type { Database } from "../database/database.ts";
import { type Cluster, HOME } from "./cluster-registry.ts";
import type { ClusterTransfers } from "./cluster-transfers.ts";
import { NO_OTHERS, type OtherDatabases } from "./other-databases.ts";
import type { Placements } from "./placements.ts";

/** What accounts have on other clusters than home, for statements that run at home. */
export interface AccountsElsewhere extends OtherDatabases {
  /** What accounts have there, leased or not. Accounts that were never moved are missing. */
  balancesOf(accountIds: Iterable<string>): Promise<ReadonlyMap<string, NanoCredits>>;
  /** Makes sure that all money is in a balance, once, for as long as a transaction lasts; undefined: it always is. */
  readonly transfers: ClusterTransfers | undefined;
}

/** A service with one database. */
export const NOTHING_ELSEWHERE: AccountsElsewhere = {
  ...NO_OTHERS,
  balancesOf: async () => new Map(),
  transfers: undefined,
};

/** The other databases as seen from one of several clusters. */
export function otherDatabasesOf(number: number, clusters: readonly Cluster[], placements: Placements): OtherDatabases {
  const databases = new Map(clusters.map((cluster) => [cluster.number, cluster.database]));
  const others = clusters.filter((cluster) => cluster.number !== number).map(({ database }) => database);
  return {
    ofAccount(accountId) {
      const { cluster, past } = placements.of(accountId);
      const found: Database[] = [];
      for (const other of [cluster, ...past]) {
        const database = databases.get(other);
        if (other !== number && database !== undefined) found.push(database);
      }
      return found;
    },
    all: () => others,
  };
}

/** What accounts have elsewhere, as seen from home. */
export function accountsElsewhere(
  clusters: readonly Cluster[],
  placements: Placements,
  transfers: ClusterTransfers,
): AccountsElsewhere {
  const others = otherDatabasesOf(HOME, clusters, placements);
  return {
    ...others,
    transfers,
    async balancesOf(accountIds) {
      const ids = placements.awayFromHome(accountIds);
      const balances = new Map(ids.map((id) => [id, 0n]));
      if (ids.length === 0) return balances;
      for (const database of others.all()) {
        const rows = await database.query<{ account_id: string; balance: bigint }>(
          `SELECT account_id, sum(balance)::bigint AS balance FROM ledger_accounts
           WHERE account_id = ANY ($1::uuid[]) AND kind IN ('customer', 'lease') GROUP BY 1`,
          [ids],
        );
        for (const { account_id: id, balance } of rows) balances.set(id, (balances.get(id) ?? 0n) + balance);
      }
      return balances;
    },
  };
}
