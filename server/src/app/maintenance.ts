import type { Clock } from "@trunkline/core/clock.ts";
import type { ModelRegistry } from "@trunkline/providers/catalogue/model-registry.ts";
import type { AccountFunds } from "../ledger/billing/account-funds.ts";
import type { Database } from "../store/database/database.ts";
import type { Instance } from "../store/database/instances.ts";
import type { PostgresIdempotentRuns } from "../store/ledger/idempotent-runs.ts";
import { sweepBudgetLeases } from "../store/ledger/leases.ts";
import { sealLedger } from "../store/ledger/seal-ledger.ts";
import { sweepEndpointStats } from "../store/models/endpoint-health.ts";
import type { PostgresAlerts } from "../store/notify/alerts.ts";
import type { PostgresOutbox } from "../store/notify/outbox.ts";
import type { PostgresRateWindows } from "../store/rate-limits.ts";
import type { UsageReader } from "../store/usage/usage-reader.ts";
import { closeUsageDays, mergeInstanceUsage } from "../store/usage/usage-rollups.ts";

/** How often old things are forgotten, what is complete is summed up, and new transfers are sealed. */
const MAINTENANCE_MS = 30_000;
/** How often unused leases are returned and dead instances are reclaimed. */
const LEASE_SWEEP_MS = 5_000;
/** An instance's own sums of usage are folded into the common ones once nothing is added to them any more. */
const FOLDED_AFTER_MS = 3_600_000;

/** What has to be looked after. */
export interface MaintenanceJobs {
  readonly database: Database;
  readonly instance: Instance;
  readonly clock: Clock;
  readonly accountFunds: AccountFunds;
  readonly runs: PostgresIdempotentRuns;
  readonly rateWindows: PostgresRateWindows;
  readonly outbox: PostgresOutbox;
  readonly alerts: PostgresAlerts;
  readonly models: ModelRegistry;
  readonly usageReader: UsageReader;
  /** Services with rows that expire: sessions, links, attempt counts. */
  readonly sweepers: readonly { sweep(): Promise<void> }[];
  /** Called for every job that failed: it runs again the next time. */
  readonly onError: (error: unknown) => void;
}

/** Does what has to be done again and again while the service runs, on every instance. Returns what ends it. */
export function startMaintenance(maintenanceJobs: MaintenanceJobs): () => void {
  const { database, instance, clock, accountFunds, runs, rateWindows, outbox, alerts, models, usageReader } =
    maintenanceJobs;
  const discoverySchedule = [
    repeat(maintenanceJobs, LEASE_SWEEP_MS, () => [
      accountFunds.returnIdleLeases(),
      instance.reclaimLongDeadInstances(),
    ]),
    repeat(maintenanceJobs, MAINTENANCE_MS, () => [
      instance.returnOrphanedLeases(),
      runs.sweep(),
      sweepBudgetLeases(database),
      mergeInstanceUsage(database, instance.id, new Date(clock.now() - FOLDED_AFTER_MS)),
      rateWindows.sweep(),
      sweepEndpointStats(database),
      sealLedger(database),
      outbox.sweep(),
      alerts.sweep(),
      closeUsageDays(database),
      models.promoteProven((model) => usageReader.countsOf(model)),
      ...maintenanceJobs.sweepers.map((stateSync) => stateSync.sweep()),
    ]),
  ];
  return () => {
    for (const round of discoverySchedule) clearInterval(round);
  };
}

function repeat({ onError: onTrouble }: MaintenanceJobs, ms: number, chores: () => Promise<unknown>[]): NodeJS.Timeout {
  const round = setInterval(() => {
    for (const chore of chores()) chore.catch(onTrouble);
  }, ms);
  round.unref();
  return round;
}
