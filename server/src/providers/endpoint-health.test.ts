import { describe, expect, it } from "vitest";
import { ProviderFailure } from "../domain/attempt.ts";
import { EndpointHealth } from "./endpoint-health.ts";

function watch() {
  let nowMs = 1_000;
  const health = new EndpointHealth({ now: () => nowMs, monotonicMs: () => nowMs }, () => 0);
  return {
    health,
    pass: (ms: number) => {
      nowMs += ms;
    },
    fail: (times: number, failure = new ProviderFailure("broken", "it broke")) => {
      for (let call = 0; call < times; call++) health.failed("m", failure);
    },
  };
}

const fine = { ms: 500, firstPartMs: 100, outputTokens: 200 };

describe("EndpointHealth", () => {
  it("takes an endpoint that was never called for a good one", () => {
    const { health } = watch();
    expect(health.of("m")).toMatchObject({ available: true, calls: 0, errorRate: 0, state: "closed" });
    expect(health.admit("m")).toBe(true);
  });

  it("learns times and throughput from successes", () => {
    const { health } = watch();
    health.succeeded("m", fine);
    const seen = health.of("m");
    expect(seen.calls).toBe(1);
    expect(seen.latencyMs).toBeCloseTo(500);
    expect(seen.firstPartMs).toBeCloseTo(100);
    expect(seen.tokensPerSecond).toBeCloseTo(500);
  });

  it("reads no throughput from an answer that came in one piece or without a count", () => {
    const { health } = watch();
    health.succeeded("m", { ms: 101, firstPartMs: 100, outputTokens: 10_000 });
    health.succeeded("m", { ms: 500, firstPartMs: 100, outputTokens: undefined });
    expect(health.of("m").tokensPerSecond).toBeUndefined();
  });

  it("keeps endpoints apart", () => {
    const { health, fail } = watch();
    fail(5);
    expect(health.admit("m")).toBe(false);
    expect(health.admit("other")).toBe(true);
  });

  it("stops calling after five failures, tries once after five seconds, and recovers", () => {
    const { health, pass, fail } = watch();
    fail(5);
    expect(health.of("m")).toMatchObject({ available: false, state: "open", calls: 5 });
    pass(5_000);
    expect(health.of("m")).toMatchObject({ available: true, state: "half-open" });
    expect(health.admit("m")).toBe(true);
    expect(health.of("m").available).toBe(false);
    expect(health.admit("m")).toBe(false);
    health.succeeded("m", fine);
    expect(health.of("m")).toMatchObject({ available: true, state: "closed" });
    expect(health.of("m").errorRate).toBeGreaterThan(0);
  });

  it("does not blame the endpoint for a request that it rightly rejects", () => {
    const { health, fail } = watch();
    fail(50, new ProviderFailure("rejected", "too long", { blamesEndpoint: false }));
    expect(health.of("m")).toMatchObject({ available: true, errorRate: 0, calls: 50 });
  });

  it("waits exactly as long as the endpoint asks, and counts no failure", () => {
    const { health, pass, fail } = watch();
    fail(4);
    const before = health.of("m").errorRate;
    fail(1, new ProviderFailure("rate-limited", "slow down", { retryAfterSeconds: 7 }));
    expect(health.of("m")).toMatchObject({ available: false, errorRate: before });
    pass(6_999);
    expect(health.admit("m")).toBe(false);
    pass(1);
    expect(health.of("m")).toMatchObject({ available: true, state: "closed" });
  });

  it("takes a rate limit without a time for a failure like any other", () => {
    const { health, fail } = watch();
    fail(5, new ProviderFailure("rate-limited", "slow down"));
    expect(health.of("m").available).toBe(false);
  });

  it("gives the one slot on when the client that had it hung up", () => {
    const { health, pass, fail } = watch();
    fail(5);
    pass(5_000);
    expect(health.admit("m")).toBe(true);
    health.abandoned("m");
    expect(health.of("m").state).toBe("half-open");
    expect(health.admit("m")).toBe(true);
  });

  it("gives the slot on when the trial call ended in a rejection or a pause", () => {
    const { health, pass, fail } = watch();
    fail(5);
    pass(5_000);
    expect(health.admit("m")).toBe(true);
    fail(1, new ProviderFailure("rejected", "too long", { blamesEndpoint: false }));
    expect(health.admit("m")).toBe(true);
    fail(1, new ProviderFailure("rate-limited", "slow down", { retryAfterSeconds: 1 }));
    expect(health.admit("m")).toBe(false);
    pass(1_000);
    expect(health.admit("m")).toBe(true);
  });

  it("remembers nothing of a call that was abandoned", () => {
    const { health } = watch();
    health.abandoned("m");
    expect(health.of("m").calls).toBe(0);
  });
});
