import { Fault } from "@trunkline/core/fault.ts";
import { newGate } from "@trunkline/testing/gate.ts";
import { sampleCaller } from "@trunkline/testing/samples.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS, LimitedDoor } from "../../../test/support/limited-door.ts";
import { countMinutes, type Overload, playOverload } from "../../../test/support/rate-overload.ts";

describe("rate-limiter", () => {
  describe("the default limit", () => {
    it("admits a burst of 100, and then ten a second", async () => {
      const door = new LimitedDoor();
      expect(await door.rush(150)).toBe(100);
      door.clock.advance(1_000);
      expect(await door.rush(150)).toBe(10);
      door.clock.advance(1_000);
      expect(await door.rush(10)).toBe(10);
      door.clock.advance(100);
      expect(await door.rush(1)).toBe(1);
      door.clock.advance(99);
      expect(await door.rush(1)).toBe(0);
    });

    it("admits 600 in the first minute and in each that follows, however many come", async () => {
      const door = new LimitedDoor();
      for (let minute = 0; minute < 3; minute++) {
        let admitted = 0;
        for (let i = 0; i < 600; i++) {
          admitted += await door.rush(3);
          door.clock.advance(100);
        }
        expect(admitted, `minute ${minute}`).toBe(600);
      }
    });

    it("fills up again to the burst and no further", async () => {
      const door = new LimitedDoor();
      await door.rush(100);
      door.clock.advance(3_600_000);
      expect(await door.rush(200)).toBe(100);
      door.clock.advance(15_000);
      expect(await door.rush(200)).toBe(100);
    });

    it("admits everything at the steady rate, for ever", async () => {
      const door = new LimitedDoor();
      for (let i = 0; i < 10_000; i++) {
        expect(await door.knock(), `request ${i}`).toBeUndefined();
        door.clock.advance(100);
      }
    });

    it("is each key's own", async () => {
      const door = new LimitedDoor();
      await door.rush(101);
      expect(await door.knock("key")).toBeDefined();
      expect(await door.knock("another")).toBeUndefined();
    });
  });

  describe("a refusal", () => {
    it("says what the limit is, in words and in seconds", async () => {
      const door = new LimitedDoor(6);
      await door.rush(7);
      const refused = async () => door.limiter.admit(sampleCaller({ requestsPerMinute: 6 }), () => undefined);
      await expect(refused()).rejects.toMatchObject({
        status: 429,
        message: expect.stringContaining("6 requests a minute"),
        details: { retryAfterSeconds: 60 },
      });
    });

    it("takes nothing: knocking in vain does not put the next admission off", async () => {
      const door = new LimitedDoor(6);
      await door.rush(6);
      for (let i = 0; i < 59; i++) {
        door.clock.advance(1_000);
        expect(await door.knock()).toBe(59 - i);
      }
      door.clock.advance(1_000);
      expect(await door.knock()).toBeUndefined();
    });

    it("names a time after which the next request is admitted, exactly then", async () => {
      const limit = fc.integer({ min: 1, max: 1_000 });
      const pauseMs = fc.oneof(fc.integer({ min: 0, max: 20_000 }), fc.double({ min: 0, max: 20_000, noNaN: true }));
      const start = fc.double({ min: 0, max: 1e9, noNaN: true });
      await fc.assert(
        fc.asyncProperty(limit, start, fc.array(pauseMs, { maxLength: 8 }), async (own, startMs, pauses) => {
          const door = new LimitedDoor(own, DEFAULT_LIMITS, startMs);
          await door.drain();
          for (const pause of pauses) {
            door.clock.advance(pause);
            await door.knock();
          }
          const wait = await door.drain();
          door.clock.advance(wait * 1_000);
          expect(await door.knock()).toBeUndefined();
        }),
        { numRuns: 200 },
      );
    });

    it("never sends away for longer than a token takes to come, or the minute for what was used at once", async () => {
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 10_000 }), async (requestsPerMinute) => {
          const door = new LimitedDoor(requestsPerMinute);
          // A limit that may be used up at once is used up for a minute.
          const wait = requestsPerMinute <= 100 ? 60 : 1;
          expect(await door.drain()).toBe(wait);
        }),
        { numRuns: 30 },
      );
    });
  });

  describe("a key's own limit", () => {
    it.each([1, 2, 10, 99, 100])("of %d may be used up at once, once a minute", async (limit) => {
      const door = new LimitedDoor(limit);
      expect(await door.rush(limit + 5)).toBe(limit);
      door.clock.advance(59_999);
      expect(await door.rush(1)).toBe(0);
      door.clock.advance(1);
      expect(await door.rush(limit + 5)).toBe(limit);
    });

    it.each([
      [600, 100],
      [1_200, 200],
      [1_000_000, 166_667],
    ])("of %d keeps the default's proportion: a burst of %d", async (limit, burst) => {
      const door = new LimitedDoor(limit);
      expect(await door.rush(burst + 5)).toBe(burst);
    });

    it("holds from the next request on when it is changed", async () => {
      const door = new LimitedDoor(1_000);
      await door.rush(50);
      door.clock.advance(60_000);
      door.requestsPerMinute = 5;
      expect(await door.rush(6)).toBe(5);
      expect(door.state).toMatchObject({ limit: 5, left: 0 });
      door.requestsPerMinute = 6_000;
      door.clock.advance(10);
      expect(await door.knock()).toBeUndefined();
      expect(door.state).toMatchObject({ limit: 6_000, left: 0 });
    });
  });

  describe("what the headers say", () => {
    it("is the limit, what is left, and when the whole burst is there again", async () => {
      const door = new LimitedDoor();
      await door.knock();
      expect(door.state).toEqual({ limit: 600, windowSeconds: 60, left: 99, resetSeconds: 1 });
      await door.rush(49);
      expect(door.state).toEqual({ limit: 600, windowSeconds: 60, left: 50, resetSeconds: 5 });
      door.clock.advance(2_000);
      await door.knock();
      expect(door.state).toEqual({ limit: 600, windowSeconds: 60, left: 69, resetSeconds: 4 });
    });

    it("is told to the refused as well: nothing left", async () => {
      const door = new LimitedDoor(6);
      await door.rush(7);
      expect(door.state).toEqual({ limit: 6, windowSeconds: 60, left: 0, resetSeconds: 60 });
    });

    it("is what the minute has room for, where that is less than the bucket holds", async () => {
      const door = new LimitedDoor(120, { requestsPerMinute: 600, burst: 100 });
      await door.rush(100);
      door.clock.advance(30_000);
      await door.knock();
      expect(door.state).toEqual({ limit: 120, windowSeconds: 60, left: 19, resetSeconds: 30 });
    });

    it("is true: as many as are left are admitted at once", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 1_000 }),
          fc.nat(200),
          fc.nat(90_000),
          async (limit, before, pauseMs) => {
            const door = new LimitedDoor(limit);
            await door.rush(before);
            door.clock.advance(pauseMs);
            await door.knock();
            const left = door.state?.left ?? 0;
            expect(await door.rush(left)).toBe(left);
            expect(await door.knock()).toBeDefined();
          },
        ),
        { numRuns: 100 },
      );
    });

    it.each([DEFAULT_LIMITS, { requestsPerMinute: 10, burst: 100 }, { requestsPerMinute: 6_000, burst: 1 }])(
      "to nobody in particular is what a first request would find, with %j",
      async (defaults) => {
        const door = new LimitedDoor(undefined, defaults);
        const untouched = door.limiter.defaultState();
        await door.knock();
        const { state } = door;
        expect(untouched).toEqual({ ...state, left: (state?.left ?? 0) + 1, resetSeconds: 0 });
      },
    );
  });

  describe("over any schedule", () => {
    it("never more are admitted than the burst and what the rate brought since, nor than the limit in a minute", async () => {
      const defaults = fc.record({
        requestsPerMinute: fc.integer({ min: 1, max: 5_000 }),
        burst: fc.integer({ min: 1, max: 500 }),
      });
      const visits = fc.array(fc.record({ pauseMs: fc.nat(15_000), knocks: fc.integer({ min: 1, max: 40 }) }), {
        minLength: 1,
        maxLength: 20,
      });
      await fc.assert(
        fc.asyncProperty(defaults, visits, async (limits, schedule) => {
          const door = new LimitedDoor(undefined, limits);
          const { requestsPerMinute: limit } = limits;
          const burst = Math.min(limits.burst, limit);
          const admitted: { atMs: number; count: number }[] = [];
          const since = (ms: number) => admitted.reduce((sum, { atMs, count }) => (atMs > ms ? sum + count : sum), 0);
          let atMs = 0;
          for (const { pauseMs, knocks } of schedule) {
            door.clock.advance(pauseMs);
            atMs += pauseMs;
            admitted.push({ atMs, count: await door.rush(knocks) });
            expect(since(-1)).toBeLessThanOrEqual(burst + (limit * atMs) / 60_000 + 1e-6);
            // What is held on to from before the minute is at most a lease.
            expect(since(atMs - 60_000)).toBeLessThanOrEqual(limit + Math.floor(limit / 100));
          }
        }),
        { numRuns: 150 },
      );
    });
  });
});

describe("rate-limiter.leases", () => {
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
});

describe("rate-limiter.shared", () => {
  const OVERLOAD: Overload = {
    limit: 600,
    perSecond: 30,
    seconds: 140,
    instances: 3,
    storeMs: 5,
    spread: () => 0,
    seed: 1,
  };

  const EVEN: Overload["spread"] = (nth) => nth;
  const RANDOM: Overload["spread"] = (_nth, _atMs, draw) => Math.floor(draw * 3);

  const SPREADS: readonly (readonly [string, Overload["spread"]])[] = [
    ["all on one", () => 0],
    ["even", EVEN],
    ["moving every second", (_, atMs) => Math.floor(atMs / 1_000)],
    ["moving every seven seconds", (_, atMs) => Math.floor(atMs / 7_000)],
    ["moving every 25 seconds", (_, atMs) => Math.floor(atMs / 25_000)],
    ["all on one and then even", (nth, atMs) => (atMs < 40_000 ? 0 : nth)],
    ["mostly on one", (_nth, _atMs, draw) => (draw < 0.9 ? 0 : draw < 0.97 ? 1 : 2)],
    ["at random", RANDOM],
  ];

  describe("a limit of 600 a minute on three instances", () => {
    it.each(SPREADS)("admits 600 ± 5 % in every minute of overload, with traffic %s", async (_name, spread) => {
      for (const perSecond of [15, 200]) {
        const admitted = await playOverload({ ...OVERLOAD, spread, perSecond });
        const counts = countMinutes(admitted, OVERLOAD.seconds);
        expect(Math.min(...counts), `${perSecond} a second`).toBeGreaterThanOrEqual(570);
        expect(Math.max(...counts), `${perSecond} a second`).toBeLessThanOrEqual(630);
      }
    });

    it.each([1, 2, 3, 4])("does so with random traffic and a store that is slow, in play %d", async (seed) => {
      const perSecond = 20 * seed;
      const admitted = await playOverload({ ...OVERLOAD, spread: RANDOM, seed, perSecond, storeMs: 40 });
      const counts = countMinutes(admitted, OVERLOAD.seconds);
      expect(Math.min(...counts)).toBeGreaterThanOrEqual(570);
      expect(Math.max(...counts)).toBeLessThanOrEqual(630);
    });

    it("admits no more than the burst at once", async () => {
      const admitted = await playOverload({ ...OVERLOAD, perSecond: 2_000, seconds: 1, spread: EVEN });
      expect(admitted.length).toBeGreaterThanOrEqual(100);
      expect(admitted.length).toBeLessThanOrEqual(110);
    });
  });

  describe("a small limit on three instances", () => {
    it.each([1, 3, 60, 199])("of %d is exact in every minute", async (limit) => {
      const admitted = await playOverload({ ...OVERLOAD, limit, spread: EVEN });
      expect(Math.max(...countMinutes(admitted, OVERLOAD.seconds))).toBe(limit);
      expect(admitted.filter((atMs) => atMs < 60_000)).toHaveLength(limit);
    });
  });
});
