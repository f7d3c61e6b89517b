import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { recordAnswer } from "@trunkline/testing/recorded-calls.ts";
import { describe, expect, it } from "vitest";
import { EndpointHealth } from "./endpoint-health.ts";

const FIRST_PART_MS = 100;
const WHOLE_MS = 600;

function setUp() {
  let nowMs = 1_000;
  const health = new EndpointHealth({ now: () => nowMs, monotonicMs: () => nowMs }, () => 0);
  const pass = (ms: number) => {
    nowMs += ms;
  };
  /** A call that is answered, slower than usual by this factor. */
  const answer = (slowness = 1, accountId?: string) => {
    const observation = health.observe("m", accountId === undefined ? {} : { accountId });
    pass(FIRST_PART_MS * slowness);
    observation.firstPart();
    pass((WHOLE_MS - FIRST_PART_MS) * slowness);
    observation.succeeded({ outputTokens: 100 });
  };
  const fail = (afterMs = 10) => {
    const observation = health.observe("m");
    pass(afterMs);
    observation.failed(new ProviderFailure("broken", "it broke"));
  };
  /** A call that has begun to answer after this time and goes on. */
  const begin = (firstPartMs: number) => {
    const observation = health.observe("m");
    pass(firstPartMs);
    observation.firstPart();
  };
  /** Calls that wait for their first part. */
  const startCalls = (count: number, accountId = "") =>
    Array.from({ length: count }, () => health.observe("m", { accountId }));
  const settle = (accountId?: string) => {
    for (let call = 0; call < 30; call++) answer(1, accountId);
  };
  return { health, pass, answer, fail, begin, startCalls, settle, now: () => nowMs };
}

describe("an answer to a call from before the failures began", () => {
  const late = { ms: 20_000, firstPartMs: FIRST_PART_MS, outputTokens: 100 };

  it("does not reset the count of failures", () => {
    const { health, pass, fail } = setUp();
    pass(30_000);
    for (let call = 0; call < 4; call++) {
      fail();
      recordAnswer(health, pass, "m", late);
    }
    expect(health.of("m").state).toBe("closed");
    fail();
    expect(health.of("m").state).toBe("open");
  });

  it("does not bring back an endpoint that was ejected after it started", () => {
    const { health, pass, fail } = setUp();
    pass(30_000);
    for (let call = 0; call < 5; call++) fail();
    recordAnswer(health, pass, "m", late);
    expect(health.of("m").state).toBe("open");
  });

  it("does neither, while an answer to a later call does both", () => {
    const { health, pass, fail, answer } = setUp();
    for (let call = 0; call < 4; call++) fail();
    answer();
    for (let call = 0; call < 4; call++) fail();
    expect(health.of("m").state).toBe("closed");
    fail();
    pass(5_000);
    answer();
    expect(health.of("m").state).toBe("ramping");
  });
});

describe("failures between long answers", () => {
  it("eject an endpoint only after ten, if other calls begin to answer in between", () => {
    const { health, pass, fail, begin } = setUp();
    fail();
    for (let call = 0; call < 8; call++) {
      pass(500);
      begin(500);
      fail();
    }
    expect(health.of("m").state).toBe("closed");
    fail();
    expect(health.of("m").state).toBe("open");
  });
});

describe("the time to a first part", () => {
  it("counts as soon as the part comes, long before the answer's end", () => {
    const { health, settle, begin } = setUp();
    settle();
    const before = health.of("m").firstPartMs ?? 0;
    for (let call = 0; call < 3; call++) begin(10 * FIRST_PART_MS);
    expect(health.of("m").firstPartMs).toBeGreaterThan(2 * before);
  });

  it("raises the expected time of whole answers before any of them has ended", () => {
    const { health, settle, begin } = setUp();
    settle();
    const { latencyMs: before = 0 } = health.of("m");
    for (let call = 0; call < 6; call++) begin(10 * FIRST_PART_MS);
    const { latencyMs = 0, firstPartMs = 0 } = health.of("m");
    expect(latencyMs - before).toBeCloseTo(firstPartMs - FIRST_PART_MS, -2);
  });

  it("is at least as long as several calls have waited for it, if that is longer than the p95", () => {
    const { health, pass, settle, startCalls } = setUp();
    settle();
    const [first] = startCalls(3);
    pass(90);
    expect(health.of("m").firstPartMs).toBeCloseTo(FIRST_PART_MS);
    pass(410);
    // Drops the cached health.
    health.admit("m");
    expect(health.of("m").firstPartMs).toBeCloseTo(500);
    first?.dispose();
    expect(health.of("m").firstPartMs).toBeCloseTo(FIRST_PART_MS);
  });

  it("counts once", () => {
    const { health, answer } = setUp();
    answer();
    expect(health.of("m")).toMatchObject({ calls: 1, inFlight: 0 });
    expect(health.of("m").firstPartMs).toBeCloseTo(FIRST_PART_MS);
  });
});

describe("calls without a first part", () => {
  it("eject the endpoint when five of them are far overdue, whatever its time limit", () => {
    const { health, pass, settle, startCalls } = setUp();
    settle();
    startCalls(5);
    pass(2_900);
    expect(health.of("m").available).toBe(true);
    pass(600);
    expect(health.of("m")).toMatchObject({ available: false, state: "open" });
  });

  it("do not if one of the five has begun to answer", () => {
    const { health, pass, settle, startCalls } = setUp();
    settle();
    startCalls(5)[2]?.firstPart();
    pass(60_000);
    expect(health.of("m").available).toBe(true);
  });

  it("do not if all are of one account and other accounts use the endpoint, too", () => {
    const { health, pass, settle, startCalls } = setUp();
    settle();
    startCalls(1, "other")[0]?.dispose();
    startCalls(6, "one");
    pass(60_000);
    expect(health.of("m")).toMatchObject({ available: true });
    expect(health.of("m").firstPartMs).toBeGreaterThan(50_000);
    pass(240_000);
    expect(health.of("m").state).toBe("open");
  });

  it("do if another account waits as long", () => {
    const { health, pass, settle, startCalls } = setUp();
    settle();
    startCalls(4, "one");
    startCalls(1, "other");
    pass(60_000);
    expect(health.of("m").state).toBe("open");
  });

  it("do not if all are of one account and the endpoint was used through another instance meanwhile", () => {
    const { health, pass, settle, startCalls, now } = setUp();
    settle("one");
    const snapshot = health.snapshotOf("m");
    startCalls(5, "one");
    pass(2_000);
    if (snapshot !== undefined) health.mergeSnapshot({ ...snapshot, calledMs: now() });
    pass(58_000);
    expect(health.of("m").state).toBe("closed");
  });
});

describe("an endpoint that routing avoids because it got slower or less reliable", () => {
  it("shows its usual figures to one trial call after a while, and to no second one at the same time", () => {
    const { health, pass, answer, settle } = setUp();
    settle();
    for (let call = 0; call < 6; call++) answer(10);
    const slow = health.of("m").firstPartMs ?? 0;
    expect(slow).toBeGreaterThan(3 * FIRST_PART_MS);
    pass(10_000);
    expect(health.of("m").firstPartMs).toBeLessThan(2 * FIRST_PART_MS);
    health.observe("m");
    expect(health.of("m").firstPartMs).toBeCloseTo(slow);
  });

  it("is back with the first call that begins to answer as soon as usual", () => {
    const { health, pass, answer, settle, begin } = setUp();
    settle();
    for (let call = 0; call < 6; call++) answer(10);
    pass(10_000);
    begin(FIRST_PART_MS);
    const { firstPartMs, tokensPerSecond } = health.of("m");
    expect(firstPartMs).toBeLessThan(2 * FIRST_PART_MS);
    expect(tokensPerSecond).toBeGreaterThan(100);
  });

  it("waits longer after a trial that was slow again, but never more than twenty seconds", () => {
    const { health, pass, answer, settle } = setUp();
    settle();
    for (let call = 0; call < 6; call++) answer(10);
    for (let trial = 0; trial < 3; trial++) {
      pass(20_000);
      expect(health.of("m").firstPartMs).toBeLessThan(2 * FIRST_PART_MS);
      answer(10);
      pass(10_000);
      expect(health.of("m").firstPartMs).toBeGreaterThan(3 * FIRST_PART_MS);
      pass(-10_000);
    }
  });

  it("shows no failures to a trial call either, and none at all once that is answered", () => {
    const { health, pass, answer, fail, settle } = setUp();
    settle();
    for (let call = 0; call < 4; call++) fail();
    expect(health.of("m").errorRate).toBeGreaterThan(0.1);
    pass(10_000);
    expect(health.of("m").errorRate).toBe(0);
    answer();
    expect(health.of("m").errorRate).toBeLessThan(0.01);
  });

  it("shows no failures when it comes back from an ejection", () => {
    const { health, pass, answer, fail, settle } = setUp();
    settle();
    for (let call = 0; call < 5; call++) fail();
    pass(5_000);
    expect(health.of("m")).toMatchObject({ state: "half-open", errorRate: 0 });
    answer();
    expect(health.of("m")).toMatchObject({ state: "ramping", errorRate: 0 });
  });
});
