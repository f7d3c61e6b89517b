import { Fault } from "@trunkline/core/fault.ts";
import { newGate } from "@trunkline/testing/gate.ts";
import { describe, expect, it } from "vitest";
import { LimitedDoor } from "../../../test/support/limited-door.ts";

const away = () => new Fault("unavailable", "The store is away.", { retryAfterSeconds: 2 });

/** Lets everything run that waits for nothing but its turn. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A door with tokens in hand. */
async function openDoor(limit?: number): Promise<LimitedDoor> {
  const door = new LimitedDoor(limit);
  await door.knock();
  return door;
}

describe("a lease", () => {
  it("lets most requests in without a word to the store", async () => {
    const door = new LimitedDoor(6_000);
    for (let i = 0; i < 1_000; i++) {
      await door.knock();
      door.clock.advance(10);
    }
    expect(door.windows.asked).toBeLessThan(50);
  });

  it("of a large limit is large: the operator's key asks every few seconds at most", async () => {
    const door = new LimitedDoor(1_000_000);
    for (let second = 0; second < 60; second++) {
      await door.rush(1_000);
      door.clock.advance(1_000);
    }
    expect(door.windows.asked).toBeLessThanOrEqual(14);
  });

  it("is waited for together: those who come at once ask once", async () => {
    const door = new LimitedDoor();
    const gate = newGate();
    door.windows.answersAfter = () => gate.opened;
    const first = Array.from({ length: 50 }, () => door.knock());
    expect(door.windows.asked).toBe(1);
    gate.open();
    expect(await Promise.all(first)).toEqual(first.map(() => undefined));
    // One question more was for all whom the first lease did not do for, and one for those who come next.
    expect(door.windows.asked).toBe(3);
  });

  it("turns away those for whom nothing is left, all of them after one question", async () => {
    const door = await openDoor();
    const asked = door.windows.asked;
    const waits = await Promise.all(Array.from({ length: 500 }, () => door.knock()));
    expect(waits.filter((wait) => wait === undefined)).toHaveLength(99);
    expect(waits.filter((wait) => wait === 1)).toHaveLength(401);
    expect(door.windows.asked - asked).toBeLessThanOrEqual(3);
  });

  it("is renewed ahead of need: nobody waits for it at a pace that the limit allows", async () => {
    const door = await openDoor();
    for (let i = 0; i < 200; i++) {
      const gate = newGate();
      door.windows.answersAfter = () => gate.opened;
      expect(await door.knock(), `request ${i}`).toBeUndefined();
      door.clock.advance(150);
      gate.open();
      await settle();
    }
  });

  it("that is hardly used is renewed before it lapses", async () => {
    const door = await openDoor();
    for (let i = 0; i < 20; i++) {
      door.clock.advance(20_000);
      const gate = newGate();
      door.windows.answersAfter = () => gate.opened;
      expect(await door.knock()).toBeUndefined();
      gate.open();
      await settle();
    }
  });

  it("of one is never taken ahead: what nobody asked for is there for other instances", async () => {
    const door = await openDoor(99);
    await settle();
    expect(door.windows.asked).toBe(1);
    await door.rush(10);
    await settle();
    expect(door.windows.asked).toBe(11);
  });

  it("lapses after a minute without use", async () => {
    const door = await openDoor();
    door.windows.trouble = away();
    door.clock.advance(59_999);
    expect(await door.knock()).toBeUndefined();
    door.clock.advance(1);
    await expect(door.knock()).rejects.toMatchObject({ type: "unavailable" });
  });

  it("is dropped when the limit changes: the next request is decided under the new one", async () => {
    const door = await openDoor();
    const asked = door.windows.asked;
    door.requestsPerMinute = 1_200;
    await door.knock();
    expect(door.windows.asked).toBe(asked + 1);
    expect(door.state?.limit).toBe(1_200);
  });
});

describe("where there is nothing", () => {
  it("refusals ask nothing of the store until there may be something", async () => {
    const door = new LimitedDoor(6);
    await door.rush(7);
    const asked = door.windows.asked;
    for (let i = 0; i < 59; i++) {
      door.clock.advance(1_000);
      await door.rush(10);
    }
    expect(door.windows.asked).toBe(asked);
  });

  it("the store is asked hardly twice a second, however many come", async () => {
    const door = new LimitedDoor();
    await door.drain();
    const asked = door.windows.asked;
    for (let i = 0; i < 1_000; i++) {
      await door.rush(10);
      door.clock.advance(10);
    }
    expect(door.windows.asked - asked).toBeLessThanOrEqual(25);
  });
});

describe("a store that is away", () => {
  it("is told as it is, to all who need it, and never as a refusal", async () => {
    const door = new LimitedDoor();
    door.windows.trouble = away();
    const answers = await Promise.allSettled([door.knock(), door.knock(), door.knock()]);
    for (const answer of answers)
      expect(answer).toMatchObject({ status: "rejected", reason: { type: "unavailable", status: 503 } });
    expect(door.windows.asked).toBe(1);
    expect(door.state).toBeUndefined();
    door.windows.trouble = undefined;
    expect(await door.rush(150)).toBe(100);
  });

  it("is not missed while there are tokens in hand, nor asked again and again", async () => {
    const door = await openDoor(6_000);
    const asked = door.windows.asked;
    door.windows.trouble = away();
    expect(await door.rush(59)).toBe(59);
    expect(door.windows.asked).toBe(asked + 1);
    await expect(door.knock()).rejects.toMatchObject({ type: "unavailable" });
    door.windows.trouble = undefined;
    expect(await door.knock()).toBeUndefined();
  });

  it("does not make those welcome who were told when to come back", async () => {
    const door = new LimitedDoor(6);
    await door.rush(7);
    door.windows.trouble = away();
    door.clock.advance(10_000);
    expect(await door.knock()).toBe(50);
  });
});

describe("the memory for keys", () => {
  it("is bounded, and a busy key keeps its place however many others come by", async () => {
    const door = new LimitedDoor(6);
    await door.rush(7);
    const asked = door.windows.asked;
    for (let i = 0; i < 110_000; i++) {
      await door.knock(`other-${i}`);
      if (i % 1_000 === 0) expect(await door.knock("key"), `after ${i} others`).toBe(60);
    }
    expect(door.windows.asked - asked).toBe(110_000);
    await door.knock("other-0");
    expect(door.windows.asked - asked).toBe(110_001);
  });
});
