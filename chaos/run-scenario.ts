import type { ScenarioName, ScenarioOptions } from "./options.ts";
import type { Report } from "./report.ts";
import { changes } from "./scenarios/changes.ts";
import { crashes } from "./scenarios/crashes.ts";
import { failover } from "./scenarios/failover.ts";
import { fullDisk } from "./scenarios/full-disk.ts";
import { hostileProvider } from "./scenarios/hostile-provider.ts";
import { lastCredit } from "./scenarios/last-credit.ts";
import { neighbour } from "./scenarios/neighbour.ts";
import { outage } from "./scenarios/outage.ts";
import { overload } from "./scenarios/overload.ts";
import { rateLimits } from "./scenarios/rate-limits.ts";
import { stalledReaders } from "./scenarios/stalled-readers.ts";
import { unknownCommit } from "./scenarios/unknown-commit.ts";

const RUNS: Readonly<Record<ScenarioName, (options: ScenarioOptions) => Promise<Report>>> = {
  crashes,
  "last-credit": lastCredit,
  outage,
  failover,
  "full-disk": fullDisk,
  changes,
  "rate-limits": rateLimits,
  overload,
  neighbour,
  "stalled-readers": stalledReaders,
  "hostile-provider": hostileProvider,
  "unknown-commit": unknownCommit,
};

/** Runs one scenario to its end and returns what it found. */
export function runScenario(name: ScenarioName, options: ScenarioOptions): Promise<Report> {
  return RUNS[name](options);
}
