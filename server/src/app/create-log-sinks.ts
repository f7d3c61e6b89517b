import { checkEndpoint } from "@trunkline/providers/dialer/address-guard.ts";
import { PostgresLogSinks } from "../store/telemetry/log-sinks.ts";
import { LogSinks } from "../telemetry/log-sinks/log-sinks.ts";
import type { Metrics } from "./metrics.ts";
import type { BaseServices } from "./services.ts";

/** Creates the log sinks of accounts. */
export function createLogSinks(base: BaseServices, metrics: Metrics): LogSinks {
  const { database, sealer, dialer, clock, random, backgroundWork, warnThrottled } = base;
  const logSinks = new LogSinks({
    store: new PostgresLogSinks(database, sealer),
    dialer,
    clock,
    random,
    backgroundWork,
    checkEndpoint,
    onError: (error) => warnThrottled(error, "The log sinks of an account could not be read."),
  });
  metrics.addCounterBy(
    "trunkline_log_sink_records_total",
    "Records for accounts' log sinks by outcome: sent or dropped.",
    "outcome",
    () => logSinks.counts(),
  );
  return logSinks;
}
