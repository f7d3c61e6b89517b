import { describe, expect, it } from "vitest";
import { Breaker } from "./breaker.ts";

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
    breaker.succeeded();
    for (let call = 0; call < 4; call++) breaker.failed(0);
    expect(breaker.stateAt(0)).toBe("closed");
  });

  it("opens when more than half of the last twenty calls failed, though never five in a row", () => {
    const breaker = new Breaker(steady);
    // Two failures to one success: twelve of eighteen, but eighteen calls are too few to judge by.
    for (let round = 0; round < 6; round++) {
      breaker.failed(0);
      breaker.failed(0);
      breaker.succeeded();
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
      breaker.succeeded();
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

  it("closes when that call succeeds, and forgets the old failures", () => {
    const breaker = opened();
    breaker.admit(5_000);
    breaker.succeeded();
    expect(breaker.stateAt(5_000)).toBe("closed");
    for (let call = 0; call < 4; call++) breaker.failed(5_000);
    expect(breaker.stateAt(5_000)).toBe("closed");
  });

  it("does not open again at one failure because of those from before it closed", () => {
    const breaker = new Breaker(steady);
    for (let round = 0; round < 7; round++) {
      breaker.succeeded();
      breaker.failed(0);
      breaker.failed(0);
    }
    expect(breaker.stateAt(0)).toBe("open");
    breaker.admit(5_000);
    breaker.succeeded();
    breaker.failed(5_000);
    expect(breaker.stateAt(5_000)).toBe("closed");
  });

  it("doubles its time at each failed trial, up to a minute, and starts over after a success", () => {
    const breaker = opened();
    let nowMs = 0;
    for (const openMs of [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
      expect(breaker.admit(nowMs + openMs - 1)).toBe(false);
      nowMs += openMs;
      expect(breaker.admit(nowMs)).toBe(true);
      breaker.failed(nowMs);
    }
    breaker.succeeded();
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
    breaker.succeeded();
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
});
