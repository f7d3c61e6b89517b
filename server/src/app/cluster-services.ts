import { balancePool } from "@trunkline/core/funds-pool.ts";
import { HOME } from "../store/clusters/cluster-registry.ts";
import { listenForChanges, type RecallNotice } from "../store/database/changes.ts";
import type { Config } from "./config/config.ts";
import type { CreatedSpending } from "./create-spending.ts";
import { createReaders } from "./create-usage.ts";
import { startClusterMaintenance } from "./maintenance.ts";
import type { Clusters } from "./open-clusters.ts";
import type { Services, UsageServices } from "./services.ts";

/** How long after a change of keys their names are copied to the other clusters. */
const COPY_AFTER_MS = 1_000;

/** Makes `forAccount`: services whose spending and readers are those of the cluster where an account is. */
export function placeServices(
  services: Omit<Services, "forAccount">,
  clusters: Clusters | undefined,
  spending: ReadonlyMap<number, CreatedSpending>,
): Services {
  if (clusters === undefined) return { ...services, forAccount: undefined };
  const placed = new Map<number, Services>();
  const forAccount = (accountId: string) => placed.get(clusters.placements.of(accountId).cluster) ?? home;
  const home: Services = { ...services, forAccount };
  for (const [number, { services: spent }] of spending) {
    if (number === HOME) continue;
    const usage = readersOn(clusters, number, services.usage);
    placed.set(number, { ...home, ledger: { ...services.ledger, ...spent }, usage });
  }
  return home;
}

function readersOn(clusters: Clusters, number: number, { accountOverviews, reconciled }: UsageServices): UsageServices {
  const readers = createReaders(clusters.databaseOf(number), clusters.othersOf(number));
  return {
    ...readers,
    // Those that are about all accounts, or begin at home.
    accountOverviews,
    reconciled,
    readPast: async (work) => ({ result: await work(readers), ageMs: undefined }),
  };
}

/** Where overviews find the requests and the money of accounts that were moved. */
export function movedAccounts(clusters: Clusters, spending: ReadonlyMap<number, CreatedSpending>) {
  return {
    databasesOf(accountId: string) {
      if (!clusters.placements.all().has(accountId)) return undefined;
      const { cluster, past } = clusters.placements.of(accountId);
      return [cluster, ...past].map((number) => clusters.databaseOf(number));
    },
    async balanceOf(accountId: string) {
      const { cluster } = clusters.placements.of(accountId);
      const store = spending.get(cluster)?.services.store;
      return (await store?.readPool(balancePool(accountId)))?.total ?? 0n;
    },
  };
}

interface ClusterWork extends Pick<Services, "clock" | "log" | "warnThrottled"> {
  readonly config: Config;
  readonly clusters: Clusters;
  readonly spending: ReadonlyMap<number, CreatedSpending>;
}

/** Listens to the other clusters and looks after them. */
export async function runClusters({ config, clusters, spending, clock, log, warnThrottled }: ClusterWork): Promise<{
  /** To be called when keys may have changed. */
  onKeys(): void;
  stop(): Promise<void>;
}> {
  const stops: (() => void | Promise<void>)[] = [];
  const onError = (error: unknown) => warnThrottled(error, "Maintenance of a cluster failed.");
  for (const cluster of clusters.all) {
    if (cluster.number === HOME) continue;
    const created = spending.get(cluster.number);
    if (created === undefined) throw new Error(`Nothing can be spent on cluster ${cluster.number}.`);
    const { funds } = created.services;
    const onRecall = ({ kind, id, by }: RecallNotice) => {
      if (by === cluster.instance.id) return;
      funds
        .onRecall({ kind, id, hasPriority: by < cluster.instance.id })
        .catch((error: unknown) => log.warn({ error }, "A lease could not be returned."));
    };
    const changes = await listenForChanges(cluster.database, { ...NOTHING_HEARD, onRecall });
    stops.push(() => changes.stop());
    stops.push(
      startClusterMaintenance({
        cluster,
        clock,
        funds,
        sweep: () => created.sweep(),
        providerFeePpm: config.payouts.feePpm,
        requestRetention: config.requestRetention,
        copyReferences: () => clusters.sweeper.copyReferences(),
        onError,
      }),
    );
  }
  let copying: NodeJS.Timeout | undefined;
  stops.push(() => clearTimeout(copying));
  return {
    onKeys() {
      copying ??= setTimeout(() => {
        copying = undefined;
        clusters.sweeper.copyReferences().catch(onError);
      }, COPY_AFTER_MS).unref();
    },
    async stop() {
      for (const stop of stops.toReversed()) await stop();
    },
  };
}

/** Other clusters announce what is of interest at home alone. */
const NOTHING_HEARD = {
  onKeys: () => undefined,
  onKeyCheck: () => undefined,
  onModels: () => undefined,
  onSettings: () => undefined,
  onCacheDropped: () => undefined,
  onEndpoint: () => undefined,
  onOutcomes: () => undefined,
  onCertificates: () => undefined,
  onPlacements: () => undefined,
};
