import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { type RecordedAnswer, recordAnswer } from "@trunkline/testing/recorded-calls.ts";
import { describe, expect, it } from "vitest";
import { EndpointHealth } from "./endpoint-health.ts";

const broken = new ProviderFailure("broken", "it broke");
const fine: RecordedAnswer = { ms: 500, firstPartMs: 100, outputTokens: 200 };

function setUp() {
  let nowMs = 1_000;
  const health = new EndpointHealth({ now: () => nowMs, monotonicMs: () => nowMs }, () => 0);
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return {
    health,
    pass,
    answer: (figures: RecordedAnswer = fine, modelId = "m") => recordAnswer(health, pass, modelId, figures),
    fail: (times: number, failure = broken) => {
      for (let call = 0; call < times; call++) health.observe("m").failed(failure);
    },
    /** A call that is cancelled after this time, as another one was faster. */
    loseRace: (ms: number) => {
      pass(-ms);
      const observation = health.observe("m");
      pass(ms);
      observation.lostRace();
    },
  };
}

describe("EndpointHealth", () => {
  it("assumes that an endpoint without calls works", () => {
    const { health } = setUp();
    expect(health.of("m")).toMatchObject({ available: true, calls: 0, errorRate: 0, state: "closed" });
    expect(health.admit("m")).toBe(true);
  });

  it("learns times and throughput from successes", () => {
    const { health, answer } = setUp();
    answer();
    const seen = health.of("m");
    expect(seen.calls).toBe(1);
    expect(seen.latencyMs).toBeCloseTo(500);
    expect(seen.firstPartMs).toBeCloseTo(100);
    expect(seen.tokensPerSecond).toBeCloseTo(500);
  });

  it("computes no throughput from an answer in one piece or without a token count", () => {
    const { health, answer } = setUp();
    answer({ ms: 101, firstPartMs: 100, outputTokens: 10_000 });
    answer({ ms: 500, firstPartMs: 100, outputTokens: undefined });
    expect(health.of("m").tokensPerSecond).toBeUndefined();
  });

  it("keeps endpoints apart", () => {
    const { health, fail } = setUp();
    fail(5);
    expect(health.admit("m")).toBe(false);
    expect(health.admit("other")).toBe(true);
  });

  it("stops calling after five failures, tries once after five seconds, and recovers", () => {
    const { health, pass, fail, answer } = setUp();
    fail(5);
    expect(health.of("m")).toMatchObject({ available: false, state: "open", calls: 5 });
    pass(5_000);
    expect(health.of("m")).toMatchObject({ available: true, state: "half-open" });
    expect(health.admit("m")).toBe(true);
    expect(health.of("m").available).toBe(false);
    expect(health.admit("m")).toBe(false);
    answer();
    expect(health.of("m")).toMatchObject({ available: true, state: "ramping" });
    expect(health.of("m").errorRate).toBe(0);
    pass(10_000);
    expect(health.of("m").state).toBe("closed");
  });

  it("does not blame the endpoint for a request that it rightly rejects", () => {
    const { health, fail } = setUp();
    fail(50, new ProviderFailure("rejected", "too long", { blamesEndpoint: false }));
    expect(health.of("m")).toMatchObject({ available: true, errorRate: 0, calls: 50 });
  });

  it("waits exactly as long as the endpoint asks, and counts no failure", () => {
    const { health, pass, fail } = setUp();
    fail(4);
    const before = health.of("m").errorRate;
    fail(1, new ProviderFailure("rate-limited", "slow down", { retryAfterSeconds: 7 }));
    expect(health.of("m")).toMatchObject({ available: false, errorRate: before });
    pass(6_999);
    expect(health.admit("m")).toBe(false);
    pass(1);
    expect(health.of("m")).toMatchObject({ available: true, state: "closed" });
  });

  it("counts a rate limit without a time as a failure", () => {
    const { health, fail } = setUp();
    fail(5, new ProviderFailure("rate-limited", "slow down"));
    expect(health.of("m").available).toBe(false);
  });

  it("frees the slot of a call that ends without an outcome", () => {
    const { health, pass, fail } = setUp();
    fail(5);
    pass(5_000);
    expect(health.admit("m")).toBe(true);
    health.observe("m").dispose();
    expect(health.of("m").state).toBe("half-open");
    expect(health.admit("m")).toBe(true);
  });

  it("frees the slot of an admitted call that is not made", () => {
    const { health, pass, fail } = setUp();
    fail(5);
    pass(5_000);
    expect(health.admit("m")).toBe(true);
    health.release("m");
    expect(health.admit("m")).toBe(true);
  });

  it("leaves the slot to its call where a last-resort call ends without an outcome", () => {
    const { health, pass, fail } = setUp();
    fail(5);
    pass(5_000);
    expect(health.admit("m")).toBe(true);
    health.observe("m", { hasSlot: false }).dispose();
    expect(health.admit("m")).toBe(false);
  });

  it("frees the slot when the trial call ended in a rejection or a pause", () => {
    const { health, pass, fail } = setUp();
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

  it("does not count a call without an outcome", () => {
    const { health } = setUp();
    health.observe("m").dispose();
    expect(health.of("m").calls).toBe(0);
  });

  it("counts the first outcome of a call and ignores the rest", () => {
    const { health } = setUp();
    const observation = health.observe("m");
    observation.succeeded({ outputTokens: 1 });
    observation.firstPart();
    observation.failed(broken);
    observation.lostRace();
    observation.succeeded({ outputTokens: 1 });
    observation.dispose();
    observation.dispose();
    expect(health.of("m")).toMatchObject({ calls: 1, errorRate: 0, inFlight: 0, firstPartMs: undefined });
  });

  it("knows the p95 times from the eighth answer on", () => {
    const { health, answer } = setUp();
    for (let call = 1; call <= 7; call++) answer({ ...fine, firstPartMs: call * 10 });
    expect(health.of("m")).toMatchObject({ firstPartP95Ms: undefined, wholeP95Ms: undefined });
    answer({ ...fine, firstPartMs: 80 });
    expect(health.of("m")).toMatchObject({ firstPartP95Ms: 80, wholeP95Ms: 500 });
  });

  it("counts the calls in flight, and expects a wait if they delayed first parts before", () => {
    const { health, answer } = setUp();
    for (let round = 0; round < 30; round++) {
      const others = Array.from({ length: round % 5 }, () => health.observe("m"));
      answer({ ...fine, firstPartMs: 100 + 50 * others.length });
      for (const other of others) other.dispose();
    }
    const calls = Array.from({ length: 6 }, (_, index) => {
      expect(health.of("m").inFlight).toBe(index);
      return health.observe("m");
    });
    expect(health.of("m").inFlight).toBe(6);
    expect(health.of("m").waitMs).toBeGreaterThan(150);
    expect(health.of("m").waitMs).toBeLessThan(250);
    for (const call of calls) call.dispose();
    expect(health.of("m")).toMatchObject({ inFlight: 0, waitMs: 0 });
  });

  it("expects no wait if the calls in flight never delayed first parts", () => {
    const { health, answer } = setUp();
    for (let round = 0; round < 30; round++) {
      const others = Array.from({ length: round % 5 }, () => health.observe("m"));
      answer();
      for (const other of others) other.dispose();
    }
    for (let call = 0; call < 50; call++) health.observe("m");
    expect(health.of("m").waitMs).toBe(0);
  });

  it("counts down the remaining calls that the provider reported, until they are reset", () => {
    const { health, pass } = setUp();
    expect(health.of("m").room).toBeUndefined();
    health.observe("m").setRemainingCalls(2, 30);
    health.observe("m");
    expect(health.of("m").room).toBe(1);
    health.observe("m");
    health.observe("m");
    expect(health.of("m").room).toBe(0);
    pass(30_000);
    expect(health.of("m").room).toBeUndefined();
  });

  it("makes a ramping endpoint available to a random share of requests", () => {
    const draws = [0, 0.14, 0.16, 0.5, 0.56, 0.99];
    let nowMs = 0;
    const health = new EndpointHealth({ now: () => nowMs, monotonicMs: () => nowMs }, () => draws.shift() ?? 0);
    for (let call = 0; call < 5; call++) health.observe("m").failed(broken);
    nowMs = 5_000;
    const advance = (ms: number) => {
      nowMs += ms;
    };
    recordAnswer(health, advance, "m", fine);
    expect([health.of("m").available, health.of("m").available]).toEqual([true, false]);
    nowMs = 10_000;
    expect([health.of("m").available, health.of("m").available]).toEqual([true, false]);
    nowMs = 15_000;
    expect(health.of("m")).toMatchObject({ available: true, state: "closed" });
  });

  it("shows a tenfold slowdown within ten calls", () => {
    const { health, answer } = setUp();
    for (let call = 0; call < 50; call++) answer();
    for (let call = 0; call < 10; call++) answer({ ...fine, ms: 5_000, firstPartMs: 1_000 });
    expect(health.of("m").latencyMs).toBeGreaterThan(2_500);
    expect(health.of("m").firstPartMs).toBeGreaterThan(500);
  });

  it("learns from a lost race that an endpoint got slower, and never that it got faster", () => {
    const { health, answer, loseRace } = setUp();
    loseRace(5_000);
    expect(health.of("m")).toMatchObject({ calls: 0, firstPartMs: undefined, errorRate: 0 });
    for (let call = 0; call < 20; call++) answer();
    loseRace(50);
    expect(health.of("m").firstPartMs).toBeCloseTo(100);
    for (let call = 0; call < 10; call++) loseRace(2_000);
    expect(health.of("m").firstPartMs).toBeGreaterThan(1_000);
    expect(health.of("m").latencyMs).toBeGreaterThan(1_000);
  });

  it("learns from a probe whether the endpoint answers and how soon, and nothing else", () => {
    const { health, pass } = setUp();
    recordAnswer(health, pass, "m", { ms: 300, firstPartMs: 200, outputTokens: 16 }, { isProbe: true });
    const { calls, latencyMs, tokensPerSecond, firstPartMs } = health.of("m");
    expect({ calls, latencyMs, tokensPerSecond }).toEqual({
      calls: 1,
      latencyMs: undefined,
      tokensPerSecond: undefined,
    });
    expect(firstPartMs).toBeCloseTo(200);
  });
});

describe("an endpoint that becomes slow", () => {
  const streamed = (firstPartMs: number) => ({ ms: firstPartMs + 400, firstPartMs, outputTokens: 200 });

  it("is ejected after five answers in a row that are far slower than its usual time", () => {
    const { health, pass, answer } = setUp();
    for (let call = 0; call < 30; call++) answer(streamed(200));
    for (let call = 0; call < 4; call++) answer(streamed(8_000));
    expect(health.of("m").state).toBe("closed");
    answer(streamed(8_000));
    expect(health.of("m")).toMatchObject({ state: "open", available: false });
    expect(health.ejections()).toEqual(new Map([["slow", 1]]));
    pass(5_000);
    health.admit("m");
    answer(streamed(8_000));
    expect(health.of("m").state).toBe("open");
    pass(10_000);
    health.admit("m");
    answer(streamed(200));
    expect(health.of("m").state).toBe("ramping");
  });

  it("is not ejected if it always takes that long, or did so now and then", () => {
    const { health, answer } = setUp();
    for (let call = 0; call < 60; call++) answer(streamed(20_000));
    for (let call = 0; call < 60; call++) answer(streamed(call % 10 === 0 ? 20_000 : 500), "n");
    for (let call = 0; call < 10; call++) answer(streamed(22_000), "n");
    expect([health.of("m").state, health.of("n").state]).toEqual(["closed", "closed"]);
  });

  it("is not ejected for four slow answers before a quick one, nor for slow answers below three seconds", () => {
    const { health, answer } = setUp();
    for (let call = 0; call < 30; call++) answer(streamed(100));
    for (let call = 0; call < 30; call++) answer(streamed(call % 5 === 4 ? 100 : 9_000));
    for (let call = 0; call < 30; call++) answer(streamed(100), "n");
    for (let call = 0; call < 30; call++) answer(streamed(2_900), "n");
    expect([health.of("m").state, health.of("n").state]).toEqual(["closed", "closed"]);
  });

  it("is not ejected for long answers in one piece, as the time of their first token is unknown", () => {
    const { health, answer } = setUp();
    const whole = (ms: number, outputTokens: number) => ({ ms, firstPartMs: ms, outputTokens });
    for (let call = 0; call < 30; call++) answer(whole(300, 20));
    for (let call = 0; call < 10; call++) answer(whole(30_000, 2_000));
    expect(health.of("m").state).toBe("closed");
    for (let call = 0; call < 5; call++) answer(whole(60_000, 20));
    expect(health.of("m").state).toBe("open");
  });
});

describe("an endpoint whose provider refuses to serve us", () => {
  const refusal = new ProviderFailure("refused", "refused our credential", { outage: "credential" });

  it("reports its outage and its next try in wall time", () => {
    const { health, pass, fail } = setUp();
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

describe("a snapshot of another instance", () => {
  /** Two instances with the same wall clock and different monotonic clocks. */
  function pair() {
    let wallMs = 1_000_000;
    const one = new EndpointHealth({ now: () => wallMs, monotonicMs: () => wallMs - 900_000 }, () => 0);
    const other = new EndpointHealth({ now: () => wallMs, monotonicMs: () => wallMs + 5_000_000 }, () => 0);
    const pass = (ms: number) => {
      wallMs += ms;
    };
    const share = (from: EndpointHealth, to: EndpointHealth) => {
      const snapshot = from.snapshotOf("m");
      if (snapshot === undefined) throw new Error("There is nothing to share.");
      to.mergeSnapshot(snapshot);
    };
    const answer = (health: EndpointHealth, figures = fine) => recordAnswer(health, pass, "m", figures);
    return { one, other, pass, share, answer };
  }

  it("is taken over by an instance that never called the endpoint", () => {
    const { one, other, share, answer } = pair();
    for (let call = 0; call < 10; call++) answer(one);
    one.observe("m").failed(broken);
    share(one, other);
    expect(other.of("m")).toEqual(one.of("m"));
  });

  it("does not replace what this instance has just measured itself", () => {
    const { one, other, pass, share, answer } = pair();
    answer(other, { ...fine, ms: 9_000 });
    pass(59_000);
    answer(one);
    share(one, other);
    expect(other.of("m").latencyMs).toBeCloseTo(9_000);
    pass(2_000);
    answer(one);
    share(one, other);
    expect(other.of("m").latencyMs).toBeCloseTo(500);
  });

  it("ejects an endpoint here, and brings it back, without calls of this instance", () => {
    const { one, other, pass, share, answer } = pair();
    for (let call = 0; call < 5; call++) one.observe("m").failed(broken);
    share(one, other);
    expect(other.admit("m")).toBe(false);
    pass(5_000);
    one.admit("m");
    answer(one);
    share(one, other);
    expect(other.of("m").state).toBe("ramping");
    pass(10_000);
    expect(other.of("m").state).toBe("closed");
  });

  describe("whose clock is an hour ahead", () => {
    const HOUR_MS = 3_600_000;
    function skewed() {
      let wallMs = 1_000_000;
      const clock = { now: () => wallMs, monotonicMs: () => wallMs };
      const ahead = new EndpointHealth({ ...clock, now: () => wallMs + HOUR_MS }, () => 0);
      const right = new EndpointHealth(clock, () => 0);
      const pass = (ms: number) => {
        wallMs += ms;
      };
      const share = () => {
        const snapshot = ahead.snapshotOf("m");
        if (snapshot !== undefined) right.mergeSnapshot(snapshot);
      };
      const answer = (health: EndpointHealth) => recordAnswer(health, pass, "m", fine);
      return { ahead, right, pass, share, answer };
    }

    it("ejects an endpoint here no longer than there, however often it is shared", () => {
      const { ahead, right, pass, share, answer } = skewed();
      for (let call = 0; call < 5; call++) ahead.observe("m").failed(broken);
      share();
      expect(right.of("m").state).toBe("open");
      pass(3_000);
      share();
      expect(right.of("m").state).toBe("open");
      pass(2_000);
      share();
      expect(right.admit("m")).toBe(true);
      answer(right);
      for (const laterMs of [1_000, HOUR_MS]) {
        share();
        expect(right.of("m").available).toBe(true);
        pass(laterMs);
      }
      share();
      expect(right.of("m").state).toBe("closed");
    });

    it("pauses an endpoint for ten minutes at most", () => {
      const { ahead, right, pass, share } = skewed();
      ahead.observe("m").pause(30);
      share();
      expect(right.of("m").available).toBe(false);
      pass(600_000);
      share();
      expect(right.of("m").available).toBe(true);
    });

    it("does not count as the latest call for an hour", () => {
      const { ahead, right, share, answer } = skewed();
      answer(ahead);
      share();
      expect(right.idleMs("m")).toBe(0);
    });
  });
});
