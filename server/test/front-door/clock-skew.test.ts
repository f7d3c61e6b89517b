import { systemClock } from "@trunkline/core/clock.ts";
import { expect, it } from "vitest";
import { StoreClock } from "../../src/store/store-clock.ts";
import { startService } from "../support/started-service.ts";

const HOUR_MS = 3_600_000;
/** Far more than a test takes, far less than the skew. */
const CLOSE_MS = 10 * 60_000;

it.each([
  ["ahead of", 30 * HOUR_MS],
  ["behind", -30 * HOUR_MS],
])("follows the database's clock where the machine's is %s it, and says so", async (way, skewMs) => {
  const wrong = new StoreClock({ now: () => Date.now() + skewMs, monotonicMs: () => systemClock.monotonicMs() });
  const service = await startService((config) => config, undefined, wrong);
  try {
    const body = { task: "chat", input: "What is a key?", model: "builtin/guide" };
    const answer = await service.call("POST", "/v1/ai/request", body);
    expect(answer.status, answer.text).toBe(200);
    const id = answer.headers.get("x-request-id") ?? "";
    const record = await service.call("GET", `/v1/requests/${id}`);
    expect(Math.abs(Date.parse(record.json.created_at) - Date.now())).toBeLessThan(CLOSE_MS);
    const health = await service.call("GET", "/v1/admin/health");
    expect(health.json.process.clock_skew_seconds).toBeCloseTo(skewMs / 1000, 0);
    const metrics = await service.call("GET", "/metrics");
    const shown = /^trunkline_clock_skew_seconds (\S+)$/m.exec(metrics.text)?.[1];
    expect(Number(shown)).toBeCloseTo(skewMs / 1000, 0);
    expect(service.logged()).toMatch(
      new RegExp(`This machine's clock is 10(?:7999|8000)\\.\\d s ${way} the database's, whose time is used\\.`),
    );
  } finally {
    await service.stop();
  }
});
