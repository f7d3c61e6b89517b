import type { Logger } from "@trunkline/core/log.ts";
import { type AccountsElsewhere, accountsElsewhere, otherDatabasesOf } from "../store/clusters/accounts-elsewhere.ts";
import { type Cluster, HOME } from "../store/clusters/cluster-registry.ts";
import { ClusterTransfers } from "../store/clusters/cluster-transfers.ts";
import type { OtherDatabases } from "../store/clusters/other-databases.ts";
import { Placements } from "../store/clusters/placements.ts";
import { ClusterSweeper } from "../store/clusters/sweep-clusters.ts";
import type { Database } from "../store/database/database.ts";
import type { Instance } from "../store/instances.ts";

/** A cluster that this instance is connected to and registered on. */
export interface OpenCluster extends Cluster {
  /** Has no statement timeout. */
  readonly maintenanceDatabase: Database;
  readonly instance: Instance;
}

/** The clusters that accounts are placed on, where there are several. */
export interface Clusters {
  /** Home first. */
  readonly all: readonly OpenCluster[];
  readonly home: OpenCluster;
  readonly placements: Placements;
  readonly transfers: ClusterTransfers;
  readonly sweeper: ClusterSweeper;
  /** What accounts have elsewhere, as seen from home. */
  readonly elsewhere: AccountsElsewhere;
  databaseOf(number: number): Database;
  /** The other databases, as seen from one cluster. */
  othersOf(number: number): OtherDatabases;
  /** Calls `listener` for every account that was moved, with the cluster that it has left. */
  onMoved(listener: (accountId: string, from: number) => void): void;
}

/** Puts together what several clusters need, and reads where the accounts are. */
export async function connectClusters(all: readonly OpenCluster[], log: Logger): Promise<Clusters> {
  const home = all.find(({ number }) => number === HOME);
  if (home === undefined) throw new Error("There is no home cluster.");
  const databases = new Map(all.map(({ number, database }) => [number, database]));
  let listener: (accountId: string, from: number) => void = () => undefined;
  const placements = new Placements(home.database, (accountId, from) => listener(accountId, from));
  await placements.reload();
  const transfers = new ClusterTransfers(all);
  const maintained = all.map(({ number, maintenanceDatabase: database }) => ({ number, database }));
  const sweeper = new ClusterSweeper(maintained, placements, new ClusterTransfers(maintained), (error) =>
    log.warn({ error }, "A cluster could not be swept."),
  );
  return {
    all,
    home,
    placements,
    transfers,
    sweeper,
    elsewhere: accountsElsewhere(all, placements, transfers),
    databaseOf(number) {
      const database = databases.get(number);
      if (database === undefined) throw new Error(`There is no cluster ${number}.`);
      return database;
    },
    othersOf: (number) => otherDatabasesOf(number, all, placements),
    onMoved(heard) {
      listener = heard;
    },
  };
}
