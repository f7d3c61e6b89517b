import type { Clock } from "@trunkline/core/clock.ts";
import { DEFAULT_CALL_LIMITS } from "@trunkline/core/model.ts";
import { Secret } from "@trunkline/core/secret.ts";
import {
  type ConformanceReport,
  type ConformanceTarget,
  checkNativeEndpoint,
} from "@trunkline/providers/conformance/check-model.ts";
import { createDialer } from "@trunkline/providers/dialer/dialer.ts";
import { onTestFinished } from "vitest";

/** Time stands still, so that a busy machine is not mistaken for a slow endpoint. */
const stillClock: Clock = { now: () => 0, monotonicMs: () => 0 };

/** Checks an endpoint of a test, whose right key is `right`. */
export async function check(
  endpoint: string,
  changes: Partial<ConformanceTarget> = {},
  signal?: AbortSignal,
  clock: Clock = stillClock,
): Promise<ConformanceReport> {
  const dialer = createDialer();
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
  return await checkNativeEndpoint(dialer, target, signal, clock);
}

/** What did not pass, as `check: verdict`. */
export function troubles(report: ConformanceReport): string[] {
  return report.findings
    .filter(({ verdict }) => verdict !== "pass")
    .map((finding) => `${finding.check}: ${finding.verdict}`);
}
