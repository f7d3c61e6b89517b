import { ProviderFailure } from "@trunkline/core/attempt.ts";
import { describe, expect, it } from "vitest";
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
    expect(health.of("m")).toMatchObject({ available: true, state: "ramping" });
    expect(health.of("m").errorRate).toBe(0);
    pass(10_000);
    expect(health.of("m").state).toBe("closed");
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

  it("knows what the slowest answers take from the eighth on", () => {
    const { health } = watch();
    for (let call = 1; call <= 7; call++) health.succeeded("m", { ...fine, firstPartMs: call * 10 });
    expect(health.of("m")).toMatchObject({ firstPartP95Ms: undefined, wholeP95Ms: undefined });
    health.succeeded("m", { ...fine, firstPartMs: 80 });
    expect(health.of("m")).toMatchObject({ firstPartP95Ms: 80, wholeP95Ms: 500 });
  });

  it("counts what is in flight, and expects a wait where that has mattered before", () => {
    const { health } = watch();
    for (let round = 0; round < 30; round++) {
      const beside = round % 5;
      health.succeeded("m", { ...fine, firstPartMs: 100 + 50 * beside, concurrentCalls: beside });
    }
    for (let call = 0; call < 6; call++) expect(health.started("m")).toBe(call);
    expect(health.of("m").inFlight).toBe(6);
    expect(health.of("m").waitMs).toBeGreaterThan(150);
    expect(health.of("m").waitMs).toBeLessThan(250);
    for (let call = 0; call < 7; call++) health.ended("m");
    expect(health.of("m")).toMatchObject({ inFlight: 0, waitMs: 0 });
  });

  it("expects no wait where the calls in flight never mattered", () => {
    const { health } = watch();
    for (let round = 0; round < 30; round++) health.succeeded("m", { ...fine, concurrentCalls: round % 5 });
    for (let call = 0; call < 50; call++) health.started("m");
    expect(health.of("m").waitMs).toBe(0);
  });

  it("counts down the room that the provider said it has, until that is reset", () => {
    const { health, pass } = watch();
    expect(health.of("m").room).toBeUndefined();
    health.setRemainingCalls("m", 2, 30);
    health.started("m");
    expect(health.of("m").room).toBe(1);
    health.started("m");
    health.started("m");
    expect(health.of("m").room).toBe(0);
    pass(30_000);
    expect(health.of("m").room).toBeUndefined();
  });

  it("gives an endpoint that comes back to the share of requests that is drawn", () => {
    const draws = [0, 0.14, 0.16, 0.5, 0.56, 0.99];
    let nowMs = 0;
    const health = new EndpointHealth(
      { now: () => nowMs, monotonicMs: () => nowMs },
      () => draws.shift() ?? 0,
    );
    for (let call = 0; call < 5; call++) health.failed("m", new ProviderFailure("broken", "it broke"));
    nowMs = 5_000;
    health.succeeded("m", fine);
    expect([health.of("m").available, health.of("m").available]).toEqual([true, false]);
    nowMs = 10_000;
    expect([health.of("m").available, health.of("m").available]).toEqual([true, false]);
    nowMs = 15_000;
    expect(health.of("m")).toMatchObject({ available: true, state: "closed" });
  });

  it("shows a tenfold slowdown within ten calls", () => {
    const { health } = watch();
    for (let call = 0; call < 50; call++) health.succeeded("m", fine);
    for (let call = 0; call < 10; call++) health.succeeded("m", { ...fine, ms: 5_000, firstPartMs: 1_000 });
    expect(health.of("m").latencyMs).toBeGreaterThan(2_500);
    expect(health.of("m").firstPartMs).toBeGreaterThan(500);
  });

  it("learns from being outrun that it is slower than it was, and never that it is faster", () => {
    const { health } = watch();
    health.lostRace("m", 5_000);
    expect(health.of("m")).toMatchObject({ calls: 0, firstPartMs: undefined, errorRate: 0 });
    for (let call = 0; call < 20; call++) health.succeeded("m", fine);
    health.lostRace("m", 50);
    expect(health.of("m").firstPartMs).toBeCloseTo(100);
    for (let call = 0; call < 10; call++) health.lostRace("m", 2_000);
    expect(health.of("m").firstPartMs).toBeGreaterThan(1_000);
    expect(health.of("m").latencyMs).toBeGreaterThan(1_000);
  });

  it("learns from a probe whether it answers and how soon, and nothing else", () => {
    const { health } = watch();
    health.succeeded("m", { ms: 300, firstPartMs: 200, outputTokens: 16, isProbe: true });
    const { calls, latencyMs, tokensPerSecond, firstPartMs } = health.of("m");
    expect({ calls, latencyMs, tokensPerSecond }).toEqual({
      calls: 1,
      latencyMs: undefined,
      tokensPerSecond: undefined,
    });
    expect(firstPartMs).toBeCloseTo(200);
  });
});
