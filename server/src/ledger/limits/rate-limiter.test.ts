import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { newGate } from "@trunkline/testing/gate.ts";
import { sampleCaller, samplePerson } from "@trunkline/testing/samples.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS, LimitedCaller } from "../../../test/support/limited-caller.ts";
import { countMinutes, type Overload, playOverload } from "../../../test/support/rate-overload.ts";

describe("RateLimiter", () => {
  describe("the default limit", () => {
    it("admits a burst of 100, and then ten a second", async () => {
      const client = new LimitedCaller();
      expect(await client.rush(150)).toBe(100);
      client.clock.advance(1_000);
      expect(await client.rush(150)).toBe(10);
      client.clock.advance(1_000);
      expect(await client.rush(10)).toBe(10);
      client.clock.advance(100);
      expect(await client.rush(1)).toBe(1);
      client.clock.advance(99);
      expect(await client.rush(1)).toBe(0);
    });

    it("admits 600 in the first minute and in each that follows, however many come", async () => {
      const client = new LimitedCaller();
      for (let minute = 0; minute < 3; minute++) {
        let admitted = 0;
        for (let i = 0; i < 600; i++) {
          admitted += await client.rush(3);
          client.clock.advance(100);
        }
        expect(admitted, `minute ${minute}`).toBe(600);
      }
    });

    it("refills up to the burst and no further", async () => {
      const client = new LimitedCaller();
      await client.rush(100);
      client.clock.advance(3_600_000);
      expect(await client.rush(200)).toBe(100);
      client.clock.advance(15_000);
      expect(await client.rush(200)).toBe(100);
    });

    it("admits everything at the steady rate, without end", async () => {
      const client = new LimitedCaller();
      for (let i = 0; i < 10_000; i++) {
        const wait = await client.request();
        // Thousands of times: the assertion, which is slow, is for one that is refused.
        if (wait !== undefined) expect(wait, `request ${i}`).toBeUndefined();
        client.clock.advance(100);
      }
    });

    it("is separate for each key", async () => {
      const client = new LimitedCaller();
      await client.rush(101);
      expect(await client.request("key")).toBeDefined();
      expect(await client.request("another")).toBeUndefined();
    });
  });

  describe("a refusal", () => {
    it("names the limit and the seconds to wait", async () => {
      const client = new LimitedCaller(6);
      await client.rush(7);
      const refused = async () => client.limiter.admit(sampleCaller({ requestsPerMinute: 6 }), client);
      await expect(refused()).rejects.toMatchObject({
        status: 429,
        message: expect.stringContaining("6 requests a minute"),
        details: { retryAfterSeconds: 60 },
      });
    });

    it("takes nothing: a refused request does not delay the next admission", async () => {
      const client = new LimitedCaller(6);
      await client.rush(6);
      for (let i = 0; i < 59; i++) {
        client.clock.advance(1_000);
        expect(await client.request()).toBe(59 - i);
      }
      client.clock.advance(1_000);
      expect(await client.request()).toBeUndefined();
    });

    it("names a time at which the next request is admitted, and not before", async () => {
      const limit = fc.integer({ min: 1, max: 1_000 });
      const pauseMs = fc.oneof(fc.integer({ min: 0, max: 20_000 }), fc.double({ min: 0, max: 20_000, noNaN: true }));
      const start = fc.double({ min: 0, max: 1e9, noNaN: true });
      await fc.assert(
        fc.asyncProperty(limit, start, fc.array(pauseMs, { maxLength: 8 }), async (own, startMs, pauses) => {
          const client = new LimitedCaller(own, DEFAULT_LIMITS, startMs);
          await client.drain();
          for (const pause of pauses) {
            client.clock.advance(pause);
            await client.request();
          }
          const wait = await client.drain();
          client.clock.advance(wait * 1_000);
          expect(await client.request()).toBeUndefined();
        }),
        { numRuns: 60 },
      );
    });

    it("never names a longer wait than a token takes, or the minute for a limit used at once", async () => {
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 10_000 }), async (requestsPerMinute) => {
          const client = new LimitedCaller(requestsPerMinute);
          // A limit that was used at once is exhausted for a minute.
          const wait = requestsPerMinute <= 100 ? 60 : 1;
          expect(await client.drain()).toBe(wait);
        }),
        { numRuns: 10 },
      );
    });
  });

  describe("a key's own limit", () => {
    it.each([1, 2, 10, 99, 100])("of %d may be used at once, once a minute", async (limit) => {
      const client = new LimitedCaller(limit);
      expect(await client.rush(limit + 5)).toBe(limit);
      client.clock.advance(59_999);
      expect(await client.rush(1)).toBe(0);
      client.clock.advance(1);
      expect(await client.rush(limit + 5)).toBe(limit);
    });

    it.each([
      [600, 100],
      [1_200, 200],
      [1_000_000, 166_667],
    ])("of %d keeps the default's ratio: a burst of %d", async (limit, burst) => {
      const client = new LimitedCaller(limit);
      expect(await client.rush(burst + 5)).toBe(burst);
    });

    it("applies from the next request on when it is changed", async () => {
      const client = new LimitedCaller(1_000);
      await client.rush(50);
      client.clock.advance(60_000);
      client.requestsPerMinute = 5;
      expect(await client.rush(6)).toBe(5);
      expect(client.rateLimit).toMatchObject({ limit: 5, left: 0 });
      client.requestsPerMinute = 6_000;
      client.clock.advance(10);
      expect(await client.request()).toBeUndefined();
      expect(client.rateLimit).toMatchObject({ limit: 6_000, left: 0 });
    });
  });

  describe("an account's ceiling", () => {
    const under = (accountRequestsPerMinute: number, changes: Partial<Caller> = {}) =>
      sampleCaller({ accountRequestsPerMinute, ...changes });

    it("is one for all its keys, and a refusal says so", async () => {
      const client = new LimitedCaller();
      for (const keyId of ["one", "two", "three", "four"]) await client.limiter.admit(under(4, { keyId }), client);
      expect(client.rateLimit).toMatchObject({ limit: 4, left: 0 });
      const refused = async () => client.limiter.admit(under(4, { keyId: "five" }), client);
      await expect(refused()).rejects.toMatchObject({
        status: 429,
        message: "All keys of this account together may send 4 requests a minute. Try again in 60 s.",
        details: { retryAfterSeconds: 60 },
      });
      client.clock.advance(60_000);
      await refused();
    });

    it("is separate for each account, and none where the caller has none", async () => {
      const client = new LimitedCaller();
      expect(await rushAs(client, under(3), 5)).toBe(3);
      expect(await rushAs(client, under(3, { accountId: "another", keyId: "b" }), 5)).toBe(3);
      expect(await rushAs(client, sampleCaller(), 50)).toBe(50);
    });

    it("admits exactly what it allows of many requests at once, over many keys", async () => {
      const client = new LimitedCaller();
      const admitted = await Promise.all(
        Array.from({ length: 90 }, (_, nth) => rushAs(client, under(30, { keyId: `key ${nth % 7}` }), 1)),
      );
      expect(admitted.reduce((sum, count) => sum + count)).toBe(30);
    });

    it("takes nothing of a key that it refuses", async () => {
      const client = new LimitedCaller();
      expect(await rushAs(client, under(6, { keyId: "busy" }), 6)).toBe(6);
      const own = { keyId: "own", requestsPerMinute: 5 };
      expect(await rushAs(client, under(6, own), 20)).toBe(0);
      expect(await rushAs(client, sampleCaller(own), 20)).toBe(5);
    });

    it("loses nothing to a key that is over its own limit", async () => {
      const client = new LimitedCaller();
      expect(await rushAs(client, under(10, { keyId: "small", requestsPerMinute: 4 }), 50)).toBe(4);
      expect(await rushAs(client, under(10, { keyId: "other" }), 50)).toBe(6);
    });

    it("gives the key its token back where the store fails", async () => {
      const client = new LimitedCaller();
      // The key's lease has tokens, the account's has none.
      const own = { requestsPerMinute: 6_000 };
      await client.limiter.admit(sampleCaller(own), client);
      const left = client.rateLimit?.left ?? 0;
      client.windows.trouble = new Error("The store is away.");
      await expect(client.limiter.admit(under(5, own), client)).rejects.toThrow("The store is away.");
      client.windows.trouble = undefined;
      await client.limiter.admit(sampleCaller(own), client);
      expect(client.rateLimit?.left).toBe(left - 1);
    });

    it("leaves members at the dashboard theirs when keys have used all of it", async () => {
      const client = new LimitedCaller();
      expect(await rushAs(client, under(3), 5)).toBe(3);
      const member = (keyId: string) => under(3, { keyId, person: samplePerson() });
      expect(await rushAs(client, member("one"), 2)).toBe(2);
      expect(await rushAs(client, member("two"), 2)).toBe(1);
      await expect(async () => client.limiter.admit(member("two"), client)).rejects.toThrow("All members of this");
    });

    it("shows whichever has fewer requests left, the key or its account", async () => {
      const client = new LimitedCaller();
      await client.limiter.admit(under(50, { requestsPerMinute: 20 }), client);
      expect(client.rateLimit).toMatchObject({ limit: 20, left: 19 });
      await rushAs(client, under(50, { keyId: "other" }), 40);
      await client.limiter.admit(under(50, { requestsPerMinute: 20 }), client);
      expect(client.rateLimit).toMatchObject({ limit: 50, left: 8 });
    });

    it("makes no request wait that the leases of both can admit", async () => {
      const client = new LimitedCaller();
      await client.limiter.admit(under(60_000, { requestsPerMinute: 60_000 }), client);
      const { asked } = client.windows;
      for (let nth = 0; nth < 200; nth++)
        expect(client.limiter.admit(under(60_000, { requestsPerMinute: 60_000 }), client)).toBeUndefined();
      expect(client.windows.asked).toBe(asked);
    });
  });

  describe("the reported state", () => {
    it("has the limit, what is left, and when the whole burst is available again", async () => {
      const client = new LimitedCaller();
      await client.request();
      expect(client.rateLimit).toEqual({ limit: 600, windowSeconds: 60, left: 99, resetSeconds: 1 });
      await client.rush(49);
      expect(client.rateLimit).toEqual({ limit: 600, windowSeconds: 60, left: 50, resetSeconds: 5 });
      client.clock.advance(2_000);
      await client.request();
      expect(client.rateLimit).toEqual({ limit: 600, windowSeconds: 60, left: 69, resetSeconds: 4 });
    });

    it("is reported for refusals too: nothing left", async () => {
      const client = new LimitedCaller(6);
      await client.rush(7);
      expect(client.rateLimit).toEqual({ limit: 6, windowSeconds: 60, left: 0, resetSeconds: 60 });
    });

    it("is the window's room, when that is less than the bucket holds", async () => {
      const client = new LimitedCaller(120, { requestsPerMinute: 600, burst: 100 });
      await client.rush(100);
      client.clock.advance(30_000);
      await client.request();
      expect(client.rateLimit).toEqual({ limit: 120, windowSeconds: 60, left: 19, resetSeconds: 30 });
    });

    it("is true: as many as are left are admitted at once", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 1_000 }),
          fc.nat(200),
          fc.nat(90_000),
          async (limit, before, pauseMs) => {
            const client = new LimitedCaller(limit);
            await client.rush(before);
            client.clock.advance(pauseMs);
            await client.request();
            const left = client.rateLimit?.left ?? 0;
            expect(await client.rush(left)).toBe(left);
            expect(await client.request()).toBeDefined();
          },
        ),
        { numRuns: 40 },
      );
    });

    it.each([DEFAULT_LIMITS, { requestsPerMinute: 10, burst: 100 }, { requestsPerMinute: 6_000, burst: 1 }])(
      "for unauthenticated clients is the one before a first request, with %j",
      async (defaults) => {
        const client = new LimitedCaller(undefined, defaults);
        const untouched = client.limiter.defaultState();
        await client.request();
        const { rateLimit: state } = client;
        expect(untouched).toEqual({ ...state, left: (state?.left ?? 0) + 1, resetSeconds: 0 });
      },
    );
  });

  describe("over any schedule", () => {
    it("admits never more than the burst plus the refill, nor than the limit in a minute", async () => {
      const defaults = fc.record({
        requestsPerMinute: fc.integer({ min: 1, max: 5_000 }),
        burst: fc.integer({ min: 1, max: 500 }),
      });
      const visits = fc.array(fc.record({ pauseMs: fc.nat(15_000), requests: fc.integer({ min: 1, max: 40 }) }), {
        minLength: 1,
        maxLength: 20,
      });
      await fc.assert(
        fc.asyncProperty(defaults, visits, async (limits, schedule) => {
          const client = new LimitedCaller(undefined, limits);
          const { requestsPerMinute: limit } = limits;
          const burst = Math.min(limits.burst, limit);
          const admitted: { atMs: number; count: number }[] = [];
          const since = (ms: number) => admitted.reduce((sum, { atMs, count }) => (atMs > ms ? sum + count : sum), 0);
          let atMs = 0;
          for (const { pauseMs, requests } of schedule) {
            client.clock.advance(pauseMs);
            atMs += pauseMs;
            admitted.push({ atMs, count: await client.rush(requests) });
            expect(since(-1)).toBeLessThanOrEqual(burst + (limit * atMs) / 60_000 + 1e-6);
            // Tokens held from before the minute are at most one lease.
            expect(since(atMs - 60_000)).toBeLessThanOrEqual(limit + Math.floor(limit / 100));
          }
        }),
        { numRuns: 50 },
      );
    });
  });
});

describe("RateLimiter leases", () => {
  const away = () => new Fault("unavailable", "The database is unavailable.", { retryAfterSeconds: 2 });

  /** Lets everything run that waits only for its turn. */
  const settle = () => new Promise((resolve) => setImmediate(resolve));

  /** A client with tokens in its lease. */
  async function openDoor(limit?: number): Promise<LimitedCaller> {
    const client = new LimitedCaller(limit);
    await client.request();
    return client;
  }

  describe("a lease", () => {
    it("admits most requests without a call to the store", async () => {
      const client = new LimitedCaller(6_000);
      for (let i = 0; i < 1_000; i++) {
        await client.request();
        client.clock.advance(10);
      }
      expect(client.windows.asked).toBeLessThan(50);
    });

    it("of a large limit is large: the operator's key calls the store every few seconds at most", async () => {
      const client = new LimitedCaller(1_000_000);
      for (let second = 0; second < 60; second++) {
        await client.rush(1_000);
        client.clock.advance(1_000);
      }
      expect(client.windows.asked).toBeLessThanOrEqual(14);
    });

    it("is shared: concurrent requests cause one call", async () => {
      const client = new LimitedCaller();
      const gate = newGate();
      client.windows.answersAfter = () => gate.opened;
      const first = Array.from({ length: 50 }, () => client.request());
      expect(client.windows.asked).toBe(1);
      gate.open();
      expect(await Promise.all(first)).toEqual(first.map(() => undefined));
      // A second call is for requests that the first lease did not cover, and a third one prefetches.
      expect(client.windows.asked).toBe(3);
    });

    it("refuses all requests for which nothing is left after one call", async () => {
      const client = await openDoor();
      const asked = client.windows.asked;
      const waits = await Promise.all(Array.from({ length: 500 }, () => client.request()));
      expect(waits.filter((wait) => wait === undefined)).toHaveLength(99);
      expect(waits.filter((wait) => wait === 1)).toHaveLength(401);
      expect(client.windows.asked - asked).toBeLessThanOrEqual(3);
    });

    it("is prefetched: no request waits at a rate that the limit allows", async () => {
      const client = await openDoor();
      for (let i = 0; i < 200; i++) {
        const gate = newGate();
        client.windows.answersAfter = () => gate.opened;
        const wait = await client.request();
        // Thousands of times: the assertion, which is slow, is for one that is refused.
        if (wait !== undefined) expect(wait, `request ${i}`).toBeUndefined();
        client.clock.advance(150);
        gate.open();
        await settle();
      }
    });

    it("that is hardly used is renewed before it expires", async () => {
      const client = await openDoor();
      for (let i = 0; i < 20; i++) {
        client.clock.advance(20_000);
        const gate = newGate();
        client.windows.answersAfter = () => gate.opened;
        expect(await client.request()).toBeUndefined();
        gate.open();
        await settle();
      }
    });

    it("of one is never prefetched, so that other instances can have it", async () => {
      const client = await openDoor(99);
      await settle();
      expect(client.windows.asked).toBe(1);
      await client.rush(10);
      await settle();
      expect(client.windows.asked).toBe(11);
    });

    it("expires after a minute without use", async () => {
      const client = await openDoor();
      client.windows.trouble = away();
      client.clock.advance(59_999);
      expect(await client.request()).toBeUndefined();
      client.clock.advance(1);
      await expect(client.request()).rejects.toMatchObject({ type: "unavailable" });
    });

    it("is dropped when the limit changes: the next request is decided under the new one", async () => {
      const client = await openDoor();
      const asked = client.windows.asked;
      client.requestsPerMinute = 1_200;
      await client.request();
      expect(client.windows.asked).toBe(asked + 1);
      expect(client.rateLimit?.limit).toBe(1_200);
    });
  });

  describe("when no tokens are left", () => {
    it("refusals cause no call to the store until there may be tokens", async () => {
      const client = new LimitedCaller(6);
      await client.rush(7);
      const asked = client.windows.asked;
      for (let i = 0; i < 59; i++) {
        client.clock.advance(1_000);
        await client.rush(10);
      }
      expect(client.windows.asked).toBe(asked);
    });

    it("the store is called hardly twice a second, however many requests come", async () => {
      const client = new LimitedCaller();
      await client.drain();
      const asked = client.windows.asked;
      for (let i = 0; i < 1_000; i++) {
        await client.rush(10);
        client.clock.advance(10);
      }
      expect(client.windows.asked - asked).toBeLessThanOrEqual(25);
    });
  });

  describe("an unavailable store", () => {
    it("is reported with its own fault to all requests that need it, never as a refusal", async () => {
      const client = new LimitedCaller();
      client.windows.trouble = away();
      const answers = await Promise.allSettled([client.request(), client.request(), client.request()]);
      for (const answer of answers)
        expect(answer).toMatchObject({ status: "rejected", reason: { type: "unavailable", status: 503 } });
      expect(client.windows.asked).toBe(1);
      expect(client.rateLimit).toBeUndefined();
      client.windows.trouble = undefined;
      expect(await client.rush(150)).toBe(100);
    });

    it("is not noticed while the lease has tokens, nor called again and again", async () => {
      const client = await openDoor(6_000);
      const asked = client.windows.asked;
      client.windows.trouble = away();
      expect(await client.rush(59)).toBe(59);
      expect(client.windows.asked).toBe(asked + 1);
      await expect(client.request()).rejects.toMatchObject({ type: "unavailable" });
      client.windows.trouble = undefined;
      expect(await client.request()).toBeUndefined();
    });

    it("does not admit requests that were refused before", async () => {
      const client = new LimitedCaller(6);
      await client.rush(7);
      client.windows.trouble = away();
      client.clock.advance(10_000);
      expect(await client.request()).toBe(50);
    });
  });

  describe("the leases in memory", () => {
    it("are bounded, and a busy key keeps its lease however many others come", async () => {
      const client = new LimitedCaller(6);
      await client.rush(7);
      const asked = client.windows.asked;
      for (let i = 0; i < 110_000; i++) {
        await client.request(`other-${i}`);
        if (i % 1_000 === 0) expect(await client.request("key"), `after ${i} others`).toBe(60);
      }
      expect(client.windows.asked - asked).toBe(110_000);
      await client.request("other-0");
      expect(client.windows.asked - asked).toBe(110_001);
    });
  });
});

describe("RateLimiter on several instances", () => {
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
      for (const perSecond of [15, 60]) {
        const admitted = await playOverload({ ...OVERLOAD, spread, perSecond });
        const counts = countMinutes(admitted, OVERLOAD.seconds);
        expect(Math.min(...counts), `${perSecond} a second`).toBeGreaterThanOrEqual(570);
        expect(Math.max(...counts), `${perSecond} a second`).toBeLessThanOrEqual(630);
      }
    });

    it.each([1, 2, 3, 4])("does so with random traffic and a slow store, in run %d", async (seed) => {
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

/** Sends this number of requests of a caller, one after the other, and returns how many were admitted. */
async function rushAs({ limiter }: LimitedCaller, caller: Caller, count: number): Promise<number> {
  let admitted = 0;
  for (let nth = 0; nth < count; nth++) {
    try {
      await limiter.admit(caller, { rateLimit: undefined });
      admitted += 1;
    } catch (error) {
      if (!(error instanceof Fault) || error.type !== "rate_limited") throw error;
    }
  }
  return admitted;
}
