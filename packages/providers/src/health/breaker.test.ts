import { describe, expect, it } from "vitest";
import { Breaker, type BreakerTransition } from "./breaker.ts";

/** No random cut, so that the times are whole. */
const steady = () => 0;

function opened(atMs = 0): Breaker {
  const breaker = new Breaker(steady);
  for (let call = 0; call < 5; call++) breaker.failed(atMs);
  return breaker;
}

describe("Breaker", () => {
  it("opens at the fifth failure in a row, not before", () => {
    const breaker = new Breaker(steady);
    for (let call = 0; call < 4; call++) breaker.failed(0);
    expect(breaker.stateAt(0)).toBe("closed");
    breaker.failed(0);
    expect(breaker.stateAt(0)).toBe("open");
    expect(breaker.admit(0)).toBe(false);
  });

  it("starts to count anew after a success", () => {
    const breaker = new Breaker(steady);
    for (let call = 0; call < 4; call++) breaker.failed(0);
    breaker.succeeded(0);
    for (let call = 0; call < 4; call++) breaker.failed(0);
    expect(breaker.stateAt(0)).toBe("closed");
  });

  it("opens when more than half of the last twenty calls failed, though never five in a row", () => {
    const breaker = new Breaker(steady);
    // Two failures to one success: twelve of eighteen, but eighteen calls are too few to judge by.
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

  it("lets one call through when its time is up, and no second one beside it", () => {
    const breaker = opened();
    expect(breaker.admit(4_999)).toBe(false);
    expect(breaker.stateAt(5_000)).toBe("half-open");
    expect(breaker.admit(5_000)).toBe(true);
    expect(breaker.wouldAdmit(5_000)).toBe(false);
    expect(breaker.admit(5_001)).toBe(false);
  });

  it("does not take the slot when it is only asked", () => {
    const breaker = opened();
    expect(breaker.wouldAdmit(5_000)).toBe(true);
    expect(breaker.admit(5_000)).toBe(true);
  });

  it("is wholly back ten seconds after that call succeeds, and forgets the old failures", () => {
    const breaker = opened();
    breaker.admit(5_000);
    breaker.succeeded(5_000);
    expect(breaker.stateAt(14_999)).toBe("ramping");
    expect(breaker.stateAt(15_000)).toBe("closed");
    for (let call = 0; call < 4; call++) breaker.failed(15_000);
    expect(breaker.stateAt(15_000)).toBe("closed");
  });

  it("gets a growing share while it comes back: with time, or with answers", () => {
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

  it("opens again at the first failure while it comes back, and for longer", () => {
    const breaker = opened();
    breaker.succeeded(5_000);
    breaker.failed(6_000);
    expect(breaker.stateAt(15_999)).toBe("open");
    expect(breaker.stateAt(16_000)).toBe("half-open");
  });

  it("lets a call through while it comes back, as whose share it is was drawn before", () => {
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

  it("doubles its time at each failed trial, up to 20 seconds, and starts over once it is back", () => {
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

  it("cuts its time at random, so that not everyone comes back at once", () => {
    const breaker = new Breaker(() => 0.5);
    for (let call = 0; call < 5; call++) breaker.failed(0);
    expect(breaker.stateAt(4_499)).toBe("open");
    expect(breaker.stateAt(4_500)).toBe("half-open");
  });

  it("is not kept open by calls that began before it opened", () => {
    const breaker = opened();
    for (let call = 0; call < 50; call++) breaker.failed(4_000);
    expect(breaker.admit(5_000)).toBe(true);
  });

  it("gives the slot to the next one when it is released", () => {
    const breaker = opened();
    breaker.admit(5_000);
    breaker.release();
    expect(breaker.stateAt(5_000)).toBe("half-open");
    expect(breaker.admit(5_000)).toBe(true);
  });

  it("does not wait for ever for a slot that was never given back", () => {
    const breaker = opened();
    breaker.admit(5_000);
    expect(breaker.admit(300_000)).toBe(false);
    expect(breaker.admit(5_000 + 900_000)).toBe(true);
  });

  it("keeps a pause to the millisecond, whatever happens meanwhile", () => {
    const breaker = new Breaker(steady);
    breaker.pause(1_000, 30);
    breaker.succeeded(2_000);
    expect(breaker.admit(30_999)).toBe(false);
    expect(breaker.stateAt(30_999)).toBe("open");
    expect(breaker.stateAt(31_000)).toBe("closed");
    expect(breaker.admit(31_000)).toBe(true);
  });

  it("pauses ten minutes at most, keeps the longer of two pauses, and ignores senseless ones", () => {
    const breaker = new Breaker(steady);
    breaker.pause(0, 1e9);
    breaker.pause(0, 1);
    expect(breaker.stateAt(599_999)).toBe("open");
    expect(breaker.stateAt(600_000)).toBe("closed");
    breaker.pause(700_000, -5);
    breaker.pause(700_000, Number.NaN);
    expect(breaker.stateAt(700_000)).toBe("closed");
  });

  it("is left alone for being slow, and by no more than one that fails", () => {
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

describe("an endpoint whose provider refuses us", () => {
  function refused(turns: BreakerTransition[] = []): Breaker {
    const breaker = new Breaker(steady, (turn) => turns.push(turn));
    breaker.refused(0, "funds");
    return breaker;
  }

  it("is out at the first refusal, and tried again after five minutes, growing to an hour", () => {
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

  it("is not tried later because it was called as the last resort meanwhile", () => {
    const turns: BreakerTransition[] = [];
    const breaker = refused(turns);
    for (let call = 0; call < 20; call++) breaker.refused(1_000, "funds");
    expect(breaker.admit(5 * MINUTE_MS)).toBe(true);
    expect(turns).toEqual([{ kind: "ejected", why: "funds" }]);
  });

  it("is tried at once when somebody did something about it, and comes back by one answer", () => {
    const turns: BreakerTransition[] = [];
    const breaker = refused(turns);
    breaker.reset(1_000);
    expect(breaker.admit(1_000)).toBe(true);
    breaker.succeeded(1_100);
    expect(breaker.stateAt(1_100)).toBe("ramping");
    expect(breaker.snapshot.outage).toBeUndefined();
    expect(turns.map(({ kind }) => kind)).toEqual(["ejected", "mended", "recovering"]);
  });

  it("stays in the same outage when the trial fails in another way", () => {
    const breaker = refused();
    breaker.admit(5 * MINUTE_MS);
    breaker.failed(5 * MINUTE_MS);
    expect(breaker.stateAt(15 * MINUTE_MS - 1)).toBe("open");
    expect(breaker.snapshot.outage?.sinceMs).toBe(0);
  });

  it("has nothing to be mended where it is not out", () => {
    const breaker = opened();
    breaker.reset(1_000);
    expect(breaker.stateAt(1_000)).toBe("open");
  });
});

describe("two breakers of one endpoint", () => {
  it("agree on what is newer: an ejection, and its end", () => {
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
