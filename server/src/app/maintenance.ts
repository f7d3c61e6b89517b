import type { Clock } from "@trunkline/core/clock.ts";
import type { ModelDesk } from "@trunkline/providers/catalogue/model-registry.ts";
import type { Funds } from "../ledger/billing/funds.ts";
import type { Database } from "../store/database/database.ts";
import type { Instance } from "../store/database/instances.ts";
import { sweepBudgetLeases } from "../store/ledger/budget-leases.ts";
import type { PostgresRuns } from "../store/ledger/idempotent-runs.ts";
import { sealLedger } from "../store/ledger/seal-ledger.ts";
import { sweepModelQuarters } from "../store/models/model-quarters.ts";
import type { PostgresAlerts } from "../store/notify/alerts.ts";
import type { PostgresOutbox } from "../store/notify/outbox.ts";
import type { PostgresRateWindows } from "../store/rate-windows.ts";
import { closeUsage } from "../store/usage/close-usage.ts";
import { foldQuarters } from "../store/usage/fold-quarters.ts";
import type { Records } from "../store/usage/records.ts";

/** How often old things are forgotten, what is complete is summed up, and new transfers are sealed. */
const HOUSEKEEPING_MS = 30_000;
/** How often unused leases go back, and the dead are looked for. */
const LEASE_ROUND_MS = 5_000;
/** An instance's own sums of usage are folded into the common ones once nothing is added to them any more. */
const FOLDED_AFTER_MS = 3_600_000;

/** What has to be looked after. */
export interface Household {
  readonly database: Database;
  readonly instance: Instance;
  readonly clock: Clock;
  readonly funds: Funds;
  readonly runs: PostgresRuns;
  readonly rateWindows: PostgresRateWindows;
  readonly outbox: PostgresOutbox;
  readonly alerts: PostgresAlerts;
  readonly models: ModelDesk;
  readonly records: Records;
  /** Whatever keeps what ends by itself: sessions, links, strangers' tries. */
  readonly doorkeepers: readonly { sweep(): Promise<void> }[];
  /** Told of every chore that failed: it is tried again the next time. */
  readonly onTrouble: (error: unknown) => void;
}

/** Does what has to be done again and again while the service runs, on every instance. Returns what ends it. */
export function keepHouse(household: Household): () => void {
  const { database, instance, clock, funds, runs, rateWindows, outbox, alerts, models, records } = household;
  const rounds = [
    repeat(household, LEASE_ROUND_MS, () => [funds.tidy(), instance.buryTheLongDead()]),
    repeat(household, HOUSEKEEPING_MS, () => [
      instance.returnOrphans(),
      runs.sweep(),
      sweepBudgetLeases(database),
      foldQuarters(database, instance.id, new Date(clock.now() - FOLDED_AFTER_MS)),
      rateWindows.sweep(),
      sweepModelQuarters(database),
      sealLedger(database),
      outbox.sweep(),
      alerts.sweep(),
      closeUsage(database),
      models.promoteProven((model) => records.countsOf(model)),
      ...household.doorkeepers.map((keeper) => keeper.sweep()),
    ]),
  ];
  return () => {
    for (const round of rounds) clearInterval(round);
  };
}

function repeat({ onTrouble }: Household, ms: number, chores: () => Promise<unknown>[]): NodeJS.Timeout {
  const round = setInterval(() => {
    for (const chore of chores()) chore.catch(onTrouble);
  }, ms);
  round.unref();
  return round;
}
