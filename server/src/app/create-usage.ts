import type { OtherDatabases } from "../store/clusters/other-databases.ts";
import type { Database } from "../store/database/database.ts";
import { AccountOverviews } from "../store/usage/account-overview.ts";
import { ReconciledUsage } from "../store/usage/reconciliation.ts";
import { RequestLog } from "../store/usage/request-log.ts";
import { LatencySeries, UsageSeries } from "../store/usage/time-series.ts";
import { UsageReader } from "../store/usage/usage-reader.ts";
import type { Store } from "./open-store.ts";
import type { BaseServices, UsageReaders, UsageServices } from "./services.ts";

/** Creates the readers of past requests. */
export function createUsage(
  { database, elsewhere }: Pick<BaseServices, "database" | "elsewhere">,
  replica: Store["replica"],
  moved: ConstructorParameters<typeof AccountOverviews>[2],
): UsageServices {
  const readers = createReaders(database, elsewhere);
  const onReplica = replica === undefined ? undefined : createReaders(replica.database);
  return {
    ...readers,
    accountOverviews: new AccountOverviews(database, readers.reader, moved),
    reconciled: new ReconciledUsage(database, elsewhere),
    readPast: async (work) =>
      replica === undefined || onReplica === undefined
        ? { result: await work(readers), ageMs: undefined }
        : replica.position.read(
            () => work(onReplica),
            () => work(readers),
          ),
  };
}

export function createReaders(database: Database, others?: OtherDatabases): UsageReaders {
  return {
    reader: new UsageReader(database, others),
    requestLog: new RequestLog(database, undefined, others),
    usageSeries: new UsageSeries(database, others),
    latencySeries: new LatencySeries(database, undefined, others),
  };
}
