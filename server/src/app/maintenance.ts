import { join } from "node:path";
import type { Clock } from "@trunkline/core/clock.ts";
import type { AccountsElsewhere } from "../store/clusters/accounts-elsewhere.ts";
import type { ClusterSweeper } from "../store/clusters/sweep-clusters.ts";
import type { Database } from "../store/database/database.ts";
import type { Instance } from "../store/instances.ts";
import { recallForDebts } from "../store/ledger/debts.ts";
import { sweepBudgetLeases } from "../store/ledger/leases.ts";
import { PostgresLiabilityProofs } from "../store/ledger/liability-proofs.ts";
import { PostgresProviderEarnings } from "../store/ledger/provider-earnings.ts";
import { sealLedger } from "../store/ledger/seal-ledger.ts";
import { sweepEndpointStats } from "../store/models/endpoint-health.ts";
import { RequestArchiver, type RequestRetention } from "../store/usage/request-archive.ts";
import { RequestPartitions } from "../store/usage/request-partitions.ts";
import { closeUsageDays, mergeInstanceUsage, mergeLeftUsage } from "../store/usage/usage-rollups.ts";
import type { OpenCluster } from "./open-clusters.ts";
import { Repeater } from "./repeat.ts";
import type { LedgerServices, ProviderServices, UsageServices } from "./services.ts";

/** How often expired rows are deleted, complete days are summed up, new transfers are sealed, and providers' earnings are booked. */
const MAINTENANCE_MS = 30_000;
/** How often unused leases are returned, dead instances reclaimed, and leases recalled from accounts that owe credits. */
const LEASE_SWEEP_MS = 5_000;
/** An instance's own usage sums are merged into the common ones at this age, when it adds nothing more to them. */
const MERGE_AFTER_MS = 3_600_000;

/** What maintenance works on. */
export interface MaintenanceJobs {
  readonly database: Database;
  readonly elsewhere: AccountsElsewhere;
  /** undefined: there is one database. */
  readonly clusterSweeper: ClusterSweeper | undefined;
  readonly instance: Instance;
  readonly clock: Clock;
  readonly funds: LedgerServices["funds"];
  readonly models: ProviderServices["models"];
  readonly usageReader: UsageServices["reader"];
  /** The service's usual part of what clients pay for other accounts' models. */
  readonly providerFeePpm: number;
  /** For how long records of requests stay in the database; undefined: for good. */
  readonly requestRetention: RequestRetention | undefined;
  /** Parts with rows that expire, such as sessions and attempt counts. */
  readonly sweepers: readonly { sweep(): Promise<unknown> }[];
  /** Called for every job that failed. The job runs again the next time. */
  readonly onError: (error: unknown) => void;
}

/** Starts the jobs that every instance repeats while it runs. Returns the function that stops them. */
export function startMaintenance(options: MaintenanceJobs): () => void {
  const { database, instance, clock, funds, models, usageReader, providerFeePpm, sweepers, onError } = options;
  const { requestRetention, clusterSweeper, elsewhere } = options;
  const archiver = requestRetention === undefined ? undefined : new RequestArchiver(database, requestRetention);
  const partitions = new RequestPartitions(database);
  const liabilityProofs = new PostgresLiabilityProofs(database, elsewhere);
  const earnings = new PostgresProviderEarnings(database);
  const repeater = new Repeater(onError);
  repeater.every(LEASE_SWEEP_MS, [
    () => funds.returnIdleLeases(),
    () => instance.reclaimLongDeadInstances(),
    () => recallForDebts(database),
  ]);
  if (clusterSweeper !== undefined) repeater.every(LEASE_SWEEP_MS, [() => clusterSweeper.moveMoneyIfDue()]);
  repeater.every(MAINTENANCE_MS, [
    () => instance.returnOrphanedLeases(),
    () => sweepBudgetLeases(database),
    () => mergeInstanceUsage(database, instance.id, new Date(clock.now() - MERGE_AFTER_MS)),
    () => mergeLeftUsage(database),
    () => sweepEndpointStats(database),
    () => closeUsageDays(database),
    () => partitions.run(clock.now()),
    () => models.promoteProven((model) => usageReader.countsOf(model)),
    ...sweepers.map((part) => () => part.sweep()),
  ]);
  repeater.every(MAINTENANCE_MS, [
    async () => {
      // Earnings are read from charges under a seal.
      await sealLedger(database, repeater.pace);
      await earnings.collect(providerFeePpm, repeater.pace);
    },
  ]);
  repeater.every(MAINTENANCE_MS, [() => liabilityProofs.makeNightly()]);
  if (archiver !== undefined) repeater.every(MAINTENANCE_MS, [() => archiver.run(clock.now())]);
  if (clusterSweeper !== undefined) repeater.every(MAINTENANCE_MS, [() => clusterSweeper.mendIfDue()]);
  return () => repeater.stop();
}

/** What maintenance of a cluster beside home works on. */
interface ClusterJobs
  extends Pick<MaintenanceJobs, "clock" | "funds" | "providerFeePpm" | "requestRetention" | "onError"> {
  readonly cluster: OpenCluster;
  /** Deletes its expired idempotency keys. */
  sweep(): Promise<unknown>;
  /** Brings what the earnings are computed from up to date. */
  copyReferences(): Promise<void>;
}

/** The same for what other clusters than home have: leases, charges, records and sums. */
export function startClusterMaintenance(options: ClusterJobs): () => void {
  const { cluster, clock, funds, providerFeePpm, requestRetention, onError } = options;
  const { number, maintenanceDatabase: database, instance } = cluster;
  const archiver =
    requestRetention === undefined
      ? undefined
      : new RequestArchiver(database, {
          ...requestRetention,
          // Each cluster numbers its files itself.
          folder: requestRetention.folder && join(requestRetention.folder, `cluster-${number}`),
        });
  const partitions = new RequestPartitions(database);
  const earnings = new PostgresProviderEarnings(database);
  const repeater = new Repeater(onError);
  repeater.every(LEASE_SWEEP_MS, [() => funds.returnIdleLeases(), () => instance.reclaimLongDeadInstances()]);
  repeater.every(MAINTENANCE_MS, [
    () => instance.returnOrphanedLeases(),
    () => sweepBudgetLeases(database),
    () => mergeInstanceUsage(database, instance.id, new Date(clock.now() - MERGE_AFTER_MS)),
    () => mergeLeftUsage(database),
    () => closeUsageDays(database),
    () => partitions.run(clock.now()),
    () => options.sweep(),
  ]);
  repeater.every(MAINTENANCE_MS, [
    async () => {
      await sealLedger(database, repeater.pace);
      // Prices and owners are copied after the seal: those of every charge under it are there then.
      await options.copyReferences();
      await earnings.collect(providerFeePpm, repeater.pace);
    },
  ]);
  if (archiver !== undefined) repeater.every(MAINTENANCE_MS, [() => archiver.run(clock.now())]);
  return () => repeater.stop();
}
