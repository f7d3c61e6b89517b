import { describe, expect, it } from "vitest";
import { Breaker, type BreakerTransition } from "./breaker.ts";

/** No jitter, so that the times are whole. */
const steady = () => 0;

function opened(atMs = 0): Breaker {
  const breaker = new Breaker(steady);
  for (let call = 0; call < 5; call++) breaker.failed(atMs);
  return breaker;
}

describe("Breaker", () => {
  it("opens at the fifth failure in a row", () => {
    const breaker = new Breaker(steady);
    for (let call = 0; call < 4; call++) breaker.failed(0);
    expect(breaker.stateAt(0)).toBe("closed");
    breaker.failed(0);
    expect(breaker.stateAt(0)).toBe("open");
    expect(breaker.admit(0)).toBe(false);
  });

  it("starts to count again after a success", () => {
    const breaker = new Breaker(steady);
    for (let call = 0; call < 4; call++) breaker.failed(0);
    breaker.succeeded(0);
    for (let call = 0; call < 4; call++) breaker.failed(0);
    expect(breaker.stateAt(0)).toBe("closed");
  });

  it("opens when more than half of the last twenty calls failed, although never five in a row", () => {
    const breaker = new Breaker(steady);
    // Two failures to one success: twelve of eighteen, but eighteen calls are too few to count.
    for (let round = 0; round < 6; round++) {
      breaker.failed(0);
      breaker.failed(0);
      breaker.succeeded(0);
    }
    expect(breaker.stateAt(0)).toBe("closed");
    breaker.failed(0);
    expect(breaker.stateAt(0)).toBe("closed");
    breaker.failed(0);
    expect(breaker.stateAt(0)).toBe("open");
  });

  it("stays closed when just half of the calls fail", () => {
    const breaker = new Breaker(steady);
    for (let round = 0; round < 50; round++) {
      breaker.succeeded(0);
      breaker.failed(0);
    }
    expect(breaker.stateAt(0)).toBe("closed");
  });

  it("admits one call when its time is up, and no second one at the same time", () => {
    const breaker = opened();
    expect(breaker.admit(4_999)).toBe(false);
    expect(breaker.stateAt(5_000)).toBe("half-open");
    expect(breaker.admit(5_000)).toBe(true);
    expect(breaker.wouldAdmit(5_000)).toBe(false);
    expect(breaker.admit(5_001)).toBe(false);
  });

  it("does not take the slot in wouldAdmit", () => {
    const breaker = opened();
    expect(breaker.wouldAdmit(5_000)).toBe(true);
    expect(breaker.admit(5_000)).toBe(true);
  });

  it("closes ten seconds after that call succeeds, and forgets the old failures", () => {
    const breaker = opened();
    breaker.admit(5_000);
    breaker.succeeded(5_000);
    expect(breaker.stateAt(14_999)).toBe("ramping");
    expect(breaker.stateAt(15_000)).toBe("closed");
    for (let call = 0; call < 4; call++) breaker.failed(15_000);
    expect(breaker.stateAt(15_000)).toBe("closed");
  });

  it("gives a ramping endpoint a share that grows with time, or with answers", () => {
    const slowly = opened();
    slowly.succeeded(5_000);
    expect(slowly.trafficShareAt(5_000)).toBeCloseTo(0.1 + 0.9 / 20);
    expect(slowly.trafficShareAt(10_000)).toBeCloseTo(0.55);
    const quickly = opened();
    for (let call = 0; call < 10; call++) quickly.succeeded(5_000);
    expect(quickly.trafficShareAt(5_000)).toBeCloseTo(0.55);
    for (let call = 0; call < 10; call++) quickly.succeeded(5_000);
    expect(quickly.stateAt(5_000)).toBe("closed");
  });

  it("opens again, and for longer, at the first failure while ramping", () => {
    const breaker = opened();
    breaker.succeeded(5_000);
    breaker.failed(6_000);
    expect(breaker.stateAt(15_999)).toBe("open");
    expect(breaker.stateAt(16_000)).toBe("half-open");
  });

  it("admits every call while ramping, as its share is drawn before", () => {
    const breaker = opened();
    breaker.succeeded(5_000);
    expect([breaker.admit(5_001), breaker.admit(5_001)]).toEqual([true, true]);
  });

  it("does not open again at one failure because of those from before it closed", () => {
    const breaker = new Breaker(steady);
    for (let round = 0; round < 7; round++) {
      breaker.succeeded(0);
      breaker.failed(0);
      breaker.failed(0);
    }
    expect(breaker.stateAt(0)).toBe("open");
    breaker.admit(5_000);
    breaker.succeeded(5_000);
    breaker.failed(15_000);
    expect(breaker.stateAt(15_000)).toBe("closed");
  });

  it("doubles its time at each failed trial, up to 20 seconds, and starts over once it has closed", () => {
    const breaker = opened();
    let nowMs = 0;
    for (const openMs of [5_000, 10_000, 20_000, 20_000, 20_000]) {
      expect(breaker.admit(nowMs + openMs - 1)).toBe(false);
      nowMs += openMs;
      expect(breaker.admit(nowMs)).toBe(true);
      breaker.failed(nowMs);
    }
    breaker.succeeded(nowMs);
    nowMs += 10_000;
    for (let call = 0; call < 5; call++) breaker.failed(nowMs);
    expect(breaker.stateAt(nowMs + 4_999)).toBe("open");
    expect(breaker.stateAt(nowMs + 5_000)).toBe("half-open");
  });

  it("shortens its time at random, so that not all instances come back at once", () => {
    const breaker = new Breaker(() => 0.5);
    for (let call = 0; call < 5; call++) breaker.failed(0);
    expect(breaker.stateAt(4_499)).toBe("open");
    expect(breaker.stateAt(4_500)).toBe("half-open");
  });

  it("is not kept open by failures of calls that started before it opened", () => {
    const breaker = opened();
    for (let call = 0; call < 50; call++) breaker.failed(4_000);
    expect(breaker.admit(5_000)).toBe(true);
  });

  it("gives a released slot to the next call", () => {
    const breaker = opened();
    breaker.admit(5_000);
    breaker.release();
    expect(breaker.stateAt(5_000)).toBe("half-open");
    expect(breaker.admit(5_000)).toBe(true);
  });

  it("frees a slot that was never released after fifteen minutes", () => {
    const breaker = opened();
    breaker.admit(5_000);
    expect(breaker.admit(300_000)).toBe(false);
    expect(breaker.admit(5_000 + 900_000)).toBe(true);
  });

  it("keeps a pause to the millisecond, also after a success", () => {
    const breaker = new Breaker(steady);
    breaker.pause(1_000, 30);
    breaker.succeeded(2_000);
    expect(breaker.admit(30_999)).toBe(false);
    expect(breaker.stateAt(30_999)).toBe("open");
    expect(breaker.stateAt(31_000)).toBe("closed");
    expect(breaker.admit(31_000)).toBe(true);
  });

  it("pauses ten minutes at most, keeps the longer of two pauses, and ignores invalid ones", () => {
    const breaker = new Breaker(steady);
    breaker.pause(0, 1e9);
    breaker.pause(0, 1);
    expect(breaker.stateAt(599_999)).toBe("open");
    expect(breaker.stateAt(600_000)).toBe("closed");
    breaker.pause(700_000, -5);
    breaker.pause(700_000, Number.NaN);
    expect(breaker.stateAt(700_000)).toBe("closed");
  });

  it("opens for slowness as long as for failures", () => {
    const breaker = new Breaker(steady);
    breaker.slowed(0);
    expect(breaker.stateAt(4_999)).toBe("open");
    expect(breaker.admit(5_000)).toBe(true);
    breaker.slowed(5_000);
    expect(breaker.stateAt(14_999)).toBe("open");
    expect(breaker.stateAt(15_000)).toBe("half-open");
  });
});

const MINUTE_MS = 60_000;

describe("a breaker of an endpoint whose provider refuses us", () => {
  function refused(transitions: BreakerTransition[] = []): Breaker {
    const breaker = new Breaker(steady, (transition) => transitions.push(transition));
    breaker.refused(0, "funds");
    return breaker;
  }

  it("opens at the first refusal for five minutes, growing to an hour", () => {
    const breaker = refused();
    let nowMs = 0;
    for (const minutes of [5, 10, 20, 40, 60, 60]) {
      expect(breaker.admit(nowMs + minutes * MINUTE_MS - 1)).toBe(false);
      nowMs += minutes * MINUTE_MS;
      expect(breaker.admit(nowMs)).toBe(true);
      breaker.refused(nowMs, "funds");
    }
    expect(breaker.snapshot.outage).toEqual({ why: "funds", sinceMs: 0 });
  });

  it("does not stay open longer because of last-resort calls", () => {
    const transitions: BreakerTransition[] = [];
    const breaker = refused(transitions);
    for (let call = 0; call < 20; call++) breaker.refused(1_000, "funds");
    expect(breaker.admit(5 * MINUTE_MS)).toBe(true);
    expect(transitions).toEqual([{ kind: "ejected", why: "funds" }]);
  });

  it("is half-open at once after a reset, and ramps after one answer", () => {
    const transitions: BreakerTransition[] = [];
    const breaker = refused(transitions);
    breaker.reset(1_000);
    expect(breaker.admit(1_000)).toBe(true);
    breaker.succeeded(1_100);
    expect(breaker.stateAt(1_100)).toBe("ramping");
    expect(breaker.snapshot.outage).toBeUndefined();
    expect(transitions.map(({ kind }) => kind)).toEqual(["ejected", "reset", "recovering"]);
  });

  it("stays in the same outage when the trial fails in another way", () => {
    const breaker = refused();
    breaker.admit(5 * MINUTE_MS);
    breaker.failed(5 * MINUTE_MS);
    expect(breaker.stateAt(15 * MINUTE_MS - 1)).toBe("open");
    expect(breaker.snapshot.outage?.sinceMs).toBe(0);
  });

  it("ignores a reset without an outage", () => {
    const breaker = opened();
    breaker.reset(1_000);
    expect(breaker.stateAt(1_000)).toBe("open");
  });
});

describe("two breakers of one endpoint", () => {
  it("agree on the newer state: an ejection, and its end", () => {
    const one = opened(100);
    const other = new Breaker(steady);
    expect(other.mergePeer(one.snapshot)).toBe(true);
    expect(other.stateAt(200)).toBe("open");
    other.succeeded(6_000);
    expect(one.mergePeer(other.snapshot)).toBe(true);
    expect(one.stateAt(6_000)).toBe("ramping");
    expect(other.mergePeer(opened(5_000).snapshot)).toBe(false);
    expect(other.stateAt(6_000)).toBe("ramping");
  });

  it("both keep the longer pause", () => {
    const one = new Breaker(steady);
    one.pause(0, 30);
    const other = opened(1_000);
    other.pause(1_000, 10);
    expect(other.mergePeer(one.snapshot)).toBe(true);
    expect(other.snapshot).toMatchObject({ pausedUntilMs: 30_000, openings: 1 });
  });
});
