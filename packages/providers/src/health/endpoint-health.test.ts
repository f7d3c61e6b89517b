import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { describe, expect, it } from "vitest";
import { EndpointHealth } from "./endpoint-health.ts";

describe("endpoint-health", () => {
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
      const health = new EndpointHealth({ now: () => nowMs, monotonicMs: () => nowMs }, () => draws.shift() ?? 0);
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
});

describe("endpoint-health.turns", () => {
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

  describe("an endpoint that becomes slow", () => {
    const answer = (firstPartMs: number) => ({ ms: firstPartMs + 400, firstPartMs, outputTokens: 200 });

    it("is left alone after five answers in a row that are far from its own usual time", () => {
      const { health, pass } = watch();
      for (let call = 0; call < 30; call++) health.succeeded("m", answer(200));
      for (let call = 0; call < 4; call++) health.succeeded("m", answer(8_000));
      expect(health.of("m").state).toBe("closed");
      health.succeeded("m", answer(8_000));
      expect(health.of("m")).toMatchObject({ state: "open", available: false });
      expect(health.ejections()).toEqual(new Map([["slow", 1]]));
      pass(5_000);
      health.admit("m");
      health.succeeded("m", answer(8_000));
      expect(health.of("m").state).toBe("open");
      pass(10_000);
      health.admit("m");
      health.succeeded("m", answer(200));
      expect(health.of("m").state).toBe("ramping");
    });

    it("is not, where that is what it always takes, or took now and then", () => {
      const { health } = watch();
      for (let call = 0; call < 60; call++) health.succeeded("m", answer(20_000));
      for (let call = 0; call < 60; call++) health.succeeded("n", answer(call % 10 === 0 ? 20_000 : 500));
      for (let call = 0; call < 10; call++) health.succeeded("n", answer(22_000));
      expect([health.of("m").state, health.of("n").state]).toEqual(["closed", "closed"]);
    });

    it("is not for four slow answers and a quick one, nor for slow ones below three seconds", () => {
      const { health } = watch();
      for (let call = 0; call < 30; call++) health.succeeded("m", answer(100));
      for (let call = 0; call < 30; call++) health.succeeded("m", answer(call % 5 === 4 ? 100 : 9_000));
      for (let call = 0; call < 30; call++) health.succeeded("n", answer(100));
      for (let call = 0; call < 30; call++) health.succeeded("n", answer(2_900));
      expect([health.of("m").state, health.of("n").state]).toEqual(["closed", "closed"]);
    });

    it("is not for long answers that came in one piece, as nobody knows how long their first token took", () => {
      const { health } = watch();
      const whole = (ms: number, outputTokens: number) => ({ ms, firstPartMs: ms, outputTokens });
      for (let call = 0; call < 30; call++) health.succeeded("m", whole(300, 20));
      for (let call = 0; call < 10; call++) health.succeeded("m", whole(30_000, 2_000));
      expect(health.of("m").state).toBe("closed");
      for (let call = 0; call < 5; call++) health.succeeded("m", whole(60_000, 20));
      expect(health.of("m").state).toBe("open");
    });
  });

  describe("an endpoint whose provider refuses us", () => {
    const refusal = new ProviderFailure("refused", "refused our credential", { outage: "credential" });

    it("is out since a moment on the wall, with the next try", () => {
      const { health, pass, fail } = watch();
      pass(500);
      fail(1, refusal);
      expect(health.of("m")).toMatchObject({
        available: false,
        state: "open",
        outage: { why: "credential", sinceMs: 1_500, nextTryMs: 301_500 },
      });
      health.reset("m");
      expect(health.of("m")).toMatchObject({ available: true, state: "half-open" });
      health.confirmed("m");
      expect(health.of("m")).toMatchObject({ state: "ramping", outage: undefined });
    });
  });

  describe("what one instance knows of an endpoint", () => {
    /** Two instances with the same wall clock; the other's own clock began elsewhere. */
    function pair() {
      let wallMs = 1_000_000;
      const one = new EndpointHealth({ now: () => wallMs, monotonicMs: () => wallMs - 900_000 }, () => 0);
      const other = new EndpointHealth({ now: () => wallMs, monotonicMs: () => wallMs + 5_000_000 }, () => 0);
      const pass = (ms: number) => {
        wallMs += ms;
      };
      const tell = (from: EndpointHealth, to: EndpointHealth) => {
        const snapshot = from.snapshotOf("m");
        if (snapshot === undefined) throw new Error("There is nothing to tell.");
        to.mergeSnapshot(snapshot);
      };
      return { one, other, pass, tell };
    }
    const broken = new ProviderFailure("broken", "it broke");

    it("is known to another that never called it", () => {
      const { one, other, tell } = pair();
      for (let call = 0; call < 10; call++) one.succeeded("m", fine);
      one.failed("m", broken);
      tell(one, other);
      expect(other.of("m")).toEqual(one.of("m"));
    });

    it("does not replace what another has just seen itself", () => {
      const { one, other, pass, tell } = pair();
      other.succeeded("m", { ...fine, ms: 9_000 });
      pass(59_000);
      one.succeeded("m", fine);
      tell(one, other);
      expect(other.of("m").latencyMs).toBeCloseTo(9_000);
      pass(2_000);
      one.succeeded("m", fine);
      tell(one, other);
      expect(other.of("m").latencyMs).toBeCloseTo(500);
    });

    it("lets another leave an endpoint alone, and come back, without calls of its own", () => {
      const { one, other, pass, tell } = pair();
      for (let call = 0; call < 5; call++) one.failed("m", broken);
      tell(one, other);
      expect(other.admit("m")).toBe(false);
      pass(5_000);
      one.admit("m");
      one.succeeded("m", fine);
      tell(one, other);
      expect(other.of("m").state).toBe("ramping");
      pass(10_000);
      expect(other.of("m").state).toBe("closed");
    });

    describe("on a clock that is an hour ahead", () => {
      const HOUR_MS = 3_600_000;
      function skewed() {
        let wallMs = 1_000_000;
        const clock = { now: () => wallMs, monotonicMs: () => wallMs };
        const ahead = new EndpointHealth({ ...clock, now: () => wallMs + HOUR_MS }, () => 0);
        const right = new EndpointHealth(clock, () => 0);
        const pass = (ms: number) => {
          wallMs += ms;
        };
        const tell = () => {
          const snapshot = ahead.snapshotOf("m");
          if (snapshot !== undefined) right.mergeSnapshot(snapshot);
        };
        return { ahead, right, pass, tell };
      }

      it("takes an endpoint out for others no longer than for itself, however often it is told", () => {
        const { ahead, right, pass, tell } = skewed();
        for (let call = 0; call < 5; call++) ahead.failed("m", broken);
        tell();
        expect(right.of("m").state).toBe("open");
        pass(3_000);
        tell();
        expect(right.of("m").state).toBe("open");
        pass(2_000);
        tell();
        expect(right.admit("m")).toBe(true);
        right.succeeded("m", fine);
        for (const laterMs of [1_000, HOUR_MS]) {
          tell();
          expect(right.of("m").available).toBe(true);
          pass(laterMs);
        }
        tell();
        expect(right.of("m").state).toBe("closed");
      });

      it("has it left alone for a pause of ten minutes at most", () => {
        const { ahead, right, pass, tell } = skewed();
        ahead.pause("m", 30);
        tell();
        expect(right.of("m").available).toBe(false);
        pass(600_000);
        tell();
        expect(right.of("m").available).toBe(true);
      });

      it("is not taken for the last to have called it for an hour", () => {
        const { ahead, right, tell } = skewed();
        ahead.succeeded("m", fine);
        tell();
        expect(right.idleMs("m")).toBe(0);
      });
    });
  });
});
