import { onTestFinished } from "vitest";
import { DEFAULT_CALL_LIMITS } from "../src/domain/model.ts";
import type { Clock } from "../src/kit/clock.ts";
import { openDialer } from "../src/kit/dialer.ts";
import { Secret } from "../src/kit/secret.ts";
import {
  type ConformanceReport,
  type ConformanceTarget,
  checkConformance,
} from "../src/providers/conformance.ts";

/** Time stands still, so that a busy machine is not mistaken for a slow endpoint. */
const stillClock: Clock = { now: () => 0, monotonicMs: () => 0 };

/** Checks an endpoint of a test, whose right key is `right`. */
export async function check(
  endpoint: string,
  changes: Partial<ConformanceTarget> = {},
  signal?: AbortSignal,
  clock: Clock = stillClock,
): Promise<ConformanceReport> {
  const dialer = openDialer();
  onTestFinished(() => dialer.close());
  const target: ConformanceTarget = {
    endpoint,
    authType: "bearer",
    credential: new Secret("right"),
    type: "text",
    streaming: true,
    mayDialPrivate: true,
    limits: DEFAULT_CALL_LIMITS,
    ...changes,
  };
  return await checkConformance(dialer, target, signal, clock);
}

/** What did not pass, as `check: verdict`. */
export function troubles(report: ConformanceReport): string[] {
  return report.findings
    .filter(({ verdict }) => verdict !== "pass")
    .map((finding) => `${finding.check}: ${finding.verdict}`);
}
