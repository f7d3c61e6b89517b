import { onLogLines, writeLogLines } from "@trunkline/core/log.ts";
import type { LogSinks } from "../telemetry/log-sinks/log-sinks.ts";
import type { Metrics } from "./metrics.ts";
import type { BaseServices, Services } from "./services.ts";

/** The parts of the services that watch requests. */
export interface ObservingServices extends Pick<Services, "tracer" | "observeRequest"> {
  stop(): Promise<void>;
}

/** Opens what telemetry is asked for. Its code is loaded only then. */
export async function createTelemetry(
  base: BaseServices,
  metrics: Metrics,
  logSinks: Pick<LogSinks, "observe">,
): Promise<ObservingServices> {
  const telemetry = await openTelemetry(base, metrics);
  const counts = () => telemetry?.counts() ?? [];
  metrics.addCounterBy(
    "trunkline_telemetry_sent_total",
    "What the receiver of telemetry took, by signal; traces are counted by request.",
    "signal",
    () => counts().map(({ signal, sent }) => [signal, sent]),
  );
  metrics.addCounterBy(
    "trunkline_telemetry_dropped_total",
    "What was dropped of it, as the queue was full or the receiver did not take it.",
    "signal",
    () => counts().map(({ signal, dropped }) => [signal, dropped]),
  );
  return {
    tracer: telemetry?.tracer,
    observeRequest: (trace, status, client) => {
      metrics.observe(trace, status);
      try {
        telemetry?.observe(trace, status, client);
        if (trace.caller?.hasLogSinks === true) logSinks.observe(trace, status);
      } catch (error) {
        // The client has its answer: what is only told of it must not end its connection.
        base.warnThrottled(error, "A request could not be logged.", trace.requestId);
      }
    },
    stop: async () => telemetry?.stop(),
  };
}

async function openTelemetry(base: BaseServices, metrics: Metrics) {
  const { clock, random, dialer, instance, log, warnThrottled } = base;
  const settings = base.config.telemetry;
  if (settings === undefined) return undefined;
  const { Telemetry } = await import("../telemetry/telemetry.ts");
  return new Telemetry({
    settings,
    instanceId: instance.id,
    dialer,
    clock,
    random,
    readMetrics: () => metrics.values(),
    onLogLines: (listener) => onLogLines(log, listener),
    writeLog: (lines) => writeLogLines(log, lines),
    warn: (words, error, requestId) => warnThrottled(error, words, requestId),
  });
}
