import { sampleCaller } from "@trunkline/testing/samples.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS, LimitedDoor } from "../../../test/support/limited-door.ts";

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
    const pauseMs = fc.oneof(
      fc.integer({ min: 0, max: 20_000 }),
      fc.double({ min: 0, max: 20_000, noNaN: true }),
    );
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
        const since = (ms: number) =>
          admitted.reduce((sum, { atMs, count }) => (atMs > ms ? sum + count : sum), 0);
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
