import type { Clock } from "@trunkline/core/clock.ts";
import { EndpointStats } from "@trunkline/providers/health/endpoint-board.ts";
import { EndpointStatsWriter } from "@trunkline/providers/health/endpoint-diary.ts";
import type { Database } from "../store/database/database.ts";
import { PostgresEndpointStats } from "../store/models/model-quarters.ts";
import type { Services } from "./services.ts";

/** The part of the house that remembers how endpoints do: the endpointStatsWriter writes, the endpointStats shows. `build-house.ts` alone calls it. */
export function createEndpointStats(
  database: Database,
  clock: Clock,
  warnThrottled: Services["warnThrottled"],
) {
  const onError = (error: unknown) => warnThrottled(error, "How the endpoints do could not be kept or read.");
  const store = new PostgresEndpointStats(database);
  const endpointStatsWriter = new EndpointStatsWriter({
    store,
    clock,
    onWritten: () => endpointStats.invalidate(),
    onError,
  });
  const endpointStats: EndpointStats = new EndpointStats({
    store,
    pending: () => endpointStatsWriter.pending(),
    clock,
    onError,
  });
  endpointStatsWriter.start();
  return { endpointStatsWriter, endpointStats };
}
