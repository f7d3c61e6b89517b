import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import { describe, expect, it } from "vitest";
import { MemoryRateWindows } from "../../../test/support/memory-rate-windows.ts";
import { TryLimiter } from "./try-limiter.ts";

describe("TryLimiter", () => {
  it("counts tries for each subject, and refills them over time", async () => {
    const clock = new ManualClock();
    const limiter = new TryLimiter(new MemoryRateWindows(clock));
    const take = (name: string) => limiter.take("redeem", [{ name, limit: 3 }]);
    for (let i = 0; i < 3; i++) await take("one");
    await expect(take("one")).rejects.toMatchObject({
      type: "rate_limited",
      details: { retryAfterSeconds: 60 },
    });
    await take("other");
    await limiter.take("something else", [{ name: "one", limit: 3 }]);
    clock.advance(60_000);
    await take("one");
  });

  it("refuses when any subject has no try left", async () => {
    const limiter = new TryLimiter(new MemoryRateWindows(new ManualClock()));
    const from = (address: string) =>
      limiter.take("redeem", [
        { name: "account", limit: 2 },
        { name: address, limit: 1 },
      ]);
    await from("a");
    await expect(from("a")).rejects.toMatchObject({ type: "rate_limited" });
    await expect(from("b")).rejects.toMatchObject({ type: "rate_limited" });
  });
});
