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
