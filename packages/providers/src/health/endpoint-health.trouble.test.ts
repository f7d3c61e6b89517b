import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { describe, expect, it } from "vitest";
import { EndpointHealth } from "./endpoint-health.ts";

const FIRST_PART_MS = 100;
const WHOLE_MS = 600;

function watch() {
  let nowMs = 1_000;
  const health = new EndpointHealth({ now: () => nowMs, monotonicMs: () => nowMs }, () => 0);
  const pass = (ms: number) => {
    nowMs += ms;
  };
  /** A call that is answered, so many times slower than usual. */
  const answer = (slowness = 1) => {
    health.started("m");
    pass(FIRST_PART_MS * slowness);
    health.firstPart("m", FIRST_PART_MS * slowness, 0);
    pass((WHOLE_MS - FIRST_PART_MS) * slowness);
    health.succeeded("m", {
      ms: WHOLE_MS * slowness,
      firstPartMs: FIRST_PART_MS * slowness,
      outputTokens: 100,
      concurrentCalls: 0,
      isFirstPartReported: true,
    });
    health.ended("m");
  };
  const fail = (afterMs = 10) => {
    health.started("m");
    pass(afterMs);
    health.failed("m", new ProviderFailure("broken", "it broke"), afterMs);
    health.ended("m");
  };
  const settle = () => {
    for (let call = 0; call < 30; call++) answer();
  };
  return { health, pass, answer, fail, settle, now: () => nowMs };
}

describe("an answer to a call from before the trouble began", () => {
  const late = { ms: 20_000, firstPartMs: FIRST_PART_MS, outputTokens: 100, wasHeard: true };

  it("does not make the failures since fewer", () => {
    const { health, pass, fail } = watch();
    pass(30_000);
    for (let call = 0; call < 4; call++) {
      fail();
      health.succeeded("m", late);
    }
    expect(health.of("m").state).toBe("closed");
    fail();
    expect(health.of("m").state).toBe("open");
  });

  it("does not bring back what was taken out after it", () => {
    const { health, pass, fail } = watch();
    pass(30_000);
    for (let call = 0; call < 5; call++) fail();
    health.succeeded("m", late);
    expect(health.of("m").state).toBe("open");
  });

  it("and one to a call that began later does both", () => {
    const { health, pass, fail, answer } = watch();
    for (let call = 0; call < 4; call++) fail();
    answer();
    for (let call = 0; call < 4; call++) fail();
    expect(health.of("m").state).toBe("closed");
    fail();
    pass(5_000);
    answer();
    expect(health.of("m").state).toBe("ramping");
  });

  it("nor do quick failures condemn an endpoint whose answers are long and begin in between", () => {
    const { health, pass, fail } = watch();
    fail();
    for (let call = 0; call < 8; call++) {
      pass(1_000);
      health.firstPart("m", 500, 3);
      fail();
    }
    expect(health.of("m").state).toBe("closed");
    fail();
    expect(health.of("m").state).toBe("open");
  });
});

describe("the time to a first part", () => {
  it("is known as soon as it comes, long before the answer's end", () => {
    const { health, settle } = watch();
    settle();
    const before = health.of("m").firstPartMs ?? 0;
    for (let call = 0; call < 3; call++) health.firstPart("m", 10 * FIRST_PART_MS, 3);
    expect(health.of("m").firstPartMs).toBeGreaterThan(2 * before);
  });

  it("makes whole answers longer, too, before any of these has ended", () => {
    const { health, settle } = watch();
    settle();
    const { latencyMs: before = 0 } = health.of("m");
    for (let call = 0; call < 6; call++) health.firstPart("m", 10 * FIRST_PART_MS, 3);
    const { latencyMs = 0, firstPartMs = 0 } = health.of("m");
    expect(latencyMs - before).toBeCloseTo(firstPartMs - FIRST_PART_MS, -2);
  });

  it("is at least what several calls have waited for it, where that is longer than it ever took", () => {
    const { health, pass, settle, now } = watch();
    settle();
    const begunMs = now();
    for (let call = 0; call < 3; call++) health.awaitsFirstPart("m", begunMs);
    pass(90);
    health.started("m");
    expect(health.of("m").firstPartMs).toBeCloseTo(FIRST_PART_MS);
    pass(410);
    health.started("m");
    expect(health.of("m").firstPartMs).toBeCloseTo(500);
    health.stopsAwaiting("m", begunMs);
    health.started("m");
    expect(health.of("m").firstPartMs).toBeCloseTo(FIRST_PART_MS);
  });

  it("is counted once", () => {
    const { health, answer } = watch();
    answer();
    expect(health.of("m")).toMatchObject({ calls: 1, inFlight: 0 });
    expect(health.of("m").firstPartMs).toBeCloseTo(FIRST_PART_MS);
  });
});

describe("calls that say nothing", () => {
  it("take the endpoint out when five of them are far overdue, whatever its limit is", () => {
    const { health, pass, settle, now } = watch();
    settle();
    for (let call = 0; call < 5; call++) health.awaitsFirstPart("m", now() + call);
    pass(2_900);
    expect(health.of("m").available).toBe(true);
    pass(600);
    expect(health.of("m")).toMatchObject({ available: false, state: "open" });
  });

  it("do not where one of them has spoken, or where they are fewer", () => {
    const { health, pass, settle, now } = watch();
    settle();
    const begunMs = now();
    for (let call = 0; call < 5; call++) health.awaitsFirstPart("m", begunMs + call);
    health.stopsAwaiting("m", begunMs + 2);
    pass(60_000);
    expect(health.of("m").available).toBe(true);
  });

  it("do not where all are one account's and others call it, too", () => {
    const { health, pass, settle, now } = watch();
    settle();
    health.awaitsFirstPart("m", now(), "other");
    health.stopsAwaiting("m", now(), "other");
    for (let call = 0; call < 6; call++) health.awaitsFirstPart("m", now() + call, "one");
    pass(60_000);
    expect(health.of("m")).toMatchObject({ available: true });
    expect(health.of("m").firstPartMs).toBeGreaterThan(50_000);
    pass(240_000);
    expect(health.of("m").state).toBe("open");
  });

  it("do where another account waits as long", () => {
    const { health, pass, settle, now } = watch();
    settle();
    for (let call = 0; call < 4; call++) health.awaitsFirstPart("m", now() + call, "one");
    health.awaitsFirstPart("m", now() + 4, "other");
    pass(60_000);
    expect(health.of("m").state).toBe("open");
  });

  it("do not where all are one account's and another instance was called meanwhile", () => {
    const { health, pass, settle, now } = watch();
    settle();
    const snapshot = health.snapshotOf("m");
    for (let call = 0; call < 5; call++) health.awaitsFirstPart("m", now() + call, "one");
    pass(2_000);
    if (snapshot !== undefined) health.mergeSnapshot({ ...snapshot, calledMs: now() });
    pass(58_000);
    expect(health.of("m").state).toBe("closed");
  });
});

describe("an endpoint that nobody calls because it does worse than it used to", () => {
  it("looks as before to one call after a while, and to no second one beside it", () => {
    const { health, pass, answer, settle } = watch();
    settle();
    for (let call = 0; call < 6; call++) answer(10);
    const slow = health.of("m").firstPartMs ?? 0;
    expect(slow).toBeGreaterThan(3 * FIRST_PART_MS);
    pass(10_000);
    expect(health.of("m").firstPartMs).toBeLessThan(2 * FIRST_PART_MS);
    health.started("m");
    expect(health.of("m").firstPartMs).toBeCloseTo(slow);
  });

  it("is back with the first call that speaks as soon as usual", () => {
    const { health, pass, answer, settle } = watch();
    settle();
    for (let call = 0; call < 6; call++) answer(10);
    pass(10_000);
    health.started("m");
    health.firstPart("m", FIRST_PART_MS, 0);
    const { firstPartMs, tokensPerSecond } = health.of("m");
    expect(firstPartMs).toBeLessThan(2 * FIRST_PART_MS);
    expect(tokensPerSecond).toBeGreaterThan(100);
  });

  it("waits for longer after a trial that was slow again, but never for more than twenty seconds", () => {
    const { health, pass, answer, settle } = watch();
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

  it("is forgiven its failures in the same way, and for good once it answers", () => {
    const { health, pass, answer, fail, settle } = watch();
    settle();
    for (let call = 0; call < 4; call++) fail();
    expect(health.of("m").errorRate).toBeGreaterThan(0.1);
    pass(10_000);
    expect(health.of("m").errorRate).toBe(0);
    answer();
    expect(health.of("m").errorRate).toBeLessThan(0.01);
  });

  it("is forgiven them, too, when it comes back from having been taken out", () => {
    const { health, pass, answer, fail, settle } = watch();
    settle();
    for (let call = 0; call < 5; call++) fail();
    pass(5_000);
    expect(health.of("m")).toMatchObject({ state: "half-open", errorRate: 0 });
    answer();
    expect(health.of("m")).toMatchObject({ state: "ramping", errorRate: 0 });
  });
});
