import { AccountFunds } from "../ledger/billing/account-funds.ts";
import type { Settlement } from "../ledger/billing/settlement.ts";
import { SettlementWriter } from "../ledger/billing/settlement-writer.ts";
import { ClusterIdempotentRuns, ClusterLedger } from "../store/clusters/cluster-ledger.ts";
import { HOME } from "../store/clusters/cluster-registry.ts";
import { requireAccountHere } from "../store/ledger/account-gate.ts";
import { PostgresIdempotentRuns } from "../store/ledger/idempotent-runs.ts";
import { PostgresLedger } from "../store/ledger/ledger.ts";
import type { OpenCluster } from "./open-clusters.ts";
import type { BaseServices, LedgerServices, Spending } from "./services.ts";

type SpendingOptions = Pick<BaseServices, "clock" | "warnThrottled" | "clusters">;

/** What spends the credits of the accounts on one database. */
export interface CreatedSpending {
  readonly services: Spending;
  sweep(): Promise<void>;
}

/** Creates what spends on each cluster, by their numbers; on the one database where there are no others. */
export async function createSpending(
  options: SpendingOptions & Pick<BaseServices, "database" | "instance">,
  onWritten: (settlements: readonly Settlement[]) => void,
): Promise<ReadonlyMap<number, CreatedSpending>> {
  const { clusters } = options;
  const created = new Map<number, CreatedSpending>();
  if (clusters === undefined) {
    const { database, instance } = options;
    const reclaim = () => instance.reclaimDeadInstances();
    const runs = new PostgresIdempotentRuns(database, instance.id, reclaim);
    const store = await PostgresLedger.open(database, instance.id, reclaim);
    created.set(HOME, { services: spend(options, store, runs, onWritten), sweep: () => runs.sweep() });
    return created;
  }
  const runs = new Map(clusters.all.map((cluster) => [cluster.number, openRuns(cluster)]));
  const runsOn = (number: number) => {
    const found = runs.get(number);
    if (found === undefined) throw new Error(`There is no cluster ${number}.`);
    return found;
  };
  const { placements, transfers } = clusters;
  for (const { number, database, instance } of clusters.all) {
    const reclaim = () => instance.reclaimDeadInstances();
    const context = {
      number,
      instanceId: instance.id,
      home: clusters.home.database,
      databaseOf: (other: number) => clusters.databaseOf(other),
      placements,
      transfers,
    };
    const own = await PostgresLedger.open(database, instance.id, reclaim, requireAccountHere);
    const services = spend(
      options,
      new ClusterLedger(own, context),
      new ClusterIdempotentRuns(runsOn(number), runsOn, context),
      onWritten,
    );
    created.set(number, { services, sweep: () => runsOn(number).sweep() });
  }
  clusters.onMoved((accountId, from) => {
    // What this instance has leased there can be spent where the account is now.
    created
      .get(from)
      ?.services.funds.onRecall({ kind: "balance", id: accountId, hasPriority: true })
      .catch((error: unknown) => options.warnThrottled(error, "A lease could not be returned."));
  });
  return created;
}

function openRuns({ database, instance }: OpenCluster): PostgresIdempotentRuns {
  return new PostgresIdempotentRuns(database, instance.id, () => instance.reclaimDeadInstances(), true);
}

function spend(
  { clock, warnThrottled }: SpendingOptions,
  store: Spending["store"],
  idempotentRuns: Spending["idempotentRuns"],
  onWritten: (settlements: readonly Settlement[]) => void,
): Spending {
  const settlementWriter = new SettlementWriter(store, onWritten);
  return {
    store,
    funds: new AccountFunds(store, clock),
    settlementWriter,
    idempotentRuns,
    recordRefusal: (settlement) => {
      settlementWriter
        .write(settlement)
        .catch((error: unknown) => warnThrottled(error, "A refusal could not be recorded.", settlement.requestId));
    },
  };
}

/** Where the figures about money come from: all clusters together. */
export function moneyCounts(settledTotals: LedgerServices["settledTotals"], spendings: readonly Spending[]) {
  const sum = (read: (spending: Spending) => number) =>
    spendings.reduce((total, spending) => total + read(spending), 0);
  return {
    settledTotals,
    settlementWriter: {
      get waiting() {
        return sum(({ settlementWriter }) => settlementWriter.waiting);
      },
      get openCount() {
        return sum(({ settlementWriter }) => settlementWriter.openCount);
      },
      get waitMs() {
        return Math.max(...spendings.map(({ settlementWriter }) => settlementWriter.waitMs));
      },
    },
    funds: {
      totals() {
        let [leased, held] = [0n, 0n];
        for (const { funds } of spendings) {
          const totals = funds.totals();
          leased += totals.leased;
          held += totals.held;
        }
        return { leased, held };
      },
    },
  };
}
