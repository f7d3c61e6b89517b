import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HeldClock } from "../../test/held-clock.ts";
import { sampleCaller } from "../../test/samples.ts";
import type { RateLimit } from "../domain/rate-limit.ts";
import { Fault } from "../kit/fault.ts";
import { RateLimiter, type RateLimits } from "./rate-limiter.ts";

const DEFAULTS: RateLimits = { requestsPerMinute: 600, burst: 100 };

/** A limiter, its clock, and one caller who knocks. */
function door(requestsPerMinute?: number, defaults = DEFAULTS, startMs = 0) {
  const clock = new HeldClock(0, startMs);
  const limiter = new RateLimiter(defaults, clock);
  const caller = sampleCaller({ requestsPerMinute });
  let state: RateLimit | undefined;
  /** undefined when admitted, otherwise in how many seconds to come back. */
  const knock = (keyId = "key"): number | undefined => {
    try {
      limiter.admit({ ...caller, keyId }, (told) => {
        state = told;
      });
      return undefined;
    } catch (error) {
      if (!(error instanceof Fault) || error.type !== "rate_limited") throw error;
      return error.details.retryAfterSeconds;
    }
  };
  /** How many of this many knocks at once are admitted. */
  const rush = (count: number) =>
    Array.from({ length: count }, () => knock()).filter((wait) => wait === undefined).length;
  const drain = () => {
    while (knock() === undefined);
  };
  return { clock, limiter, knock, rush, drain, state: () => state };
}

describe("the default limit", () => {
  it("admits a burst of 100, and then ten a second", () => {
    const { clock, rush } = door();
    expect(rush(150)).toBe(100);
    clock.advance(1_000);
    expect(rush(150)).toBe(10);
    clock.advance(100);
    expect(rush(150)).toBe(1);
    clock.advance(99);
    expect(rush(150)).toBe(0);
  });

  it("fills up again to the burst and no further", () => {
    const { clock, rush } = door();
    rush(100);
    clock.advance(3_600_000);
    expect(rush(1_000)).toBe(100);
  });

  it("admits everything at the steady rate, for ever", () => {
    const { clock, knock, rush } = door();
    rush(100);
    for (let i = 0; i < 10_000; i++) {
      clock.advance(100);
      expect(knock(), `request ${i}`).toBeUndefined();
    }
  });

  it("is each key's own", () => {
    const { knock, rush } = door();
    rush(101);
    expect(knock("key")).toBeDefined();
    expect(knock("another")).toBeUndefined();
  });
});

describe("a refusal", () => {
  it("says what the limit is, in words and in seconds", () => {
    const { limiter, rush } = door(6);
    rush(6);
    expect(() => limiter.admit(sampleCaller({ requestsPerMinute: 6 }), () => undefined)).toThrow(
      expect.objectContaining({
        status: 429,
        message: expect.stringContaining("6 requests a minute"),
        details: { retryAfterSeconds: 10 },
      }),
    );
  });

  it("takes nothing: knocking in vain does not put the next admission off", () => {
    const { clock, knock, rush } = door(6);
    rush(6);
    for (let i = 0; i < 9; i++) {
      clock.advance(1_000);
      expect(knock()).toBeDefined();
    }
    clock.advance(1_000);
    expect(knock()).toBeUndefined();
  });

  it("names a time after which the next request is admitted, exactly then", () => {
    const limit = fc.integer({ min: 1, max: 1_000 });
    const pauseMs = fc.oneof(
      fc.integer({ min: 0, max: 20_000 }),
      fc.double({ min: 0, max: 20_000, noNaN: true }),
    );
    const start = fc.double({ min: 0, max: 1e9, noNaN: true });
    fc.assert(
      fc.property(limit, start, fc.array(pauseMs, { maxLength: 8 }), (requestsPerMinute, startMs, pauses) => {
        const { clock, knock, drain } = door(requestsPerMinute, DEFAULTS, startMs);
        drain();
        for (const pause of pauses) {
          clock.advance(pause);
          knock();
        }
        const wait = knock();
        fc.pre(wait !== undefined);
        clock.advance((wait ?? 0) * 1_000);
        expect(knock()).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  it("never sends away for longer than a token takes to come, rounded up to a second", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), (requestsPerMinute) => {
        const { knock, drain } = door(requestsPerMinute);
        drain();
        expect(knock()).toBe(Math.max(1, Math.ceil(60 / requestsPerMinute)));
      }),
      { numRuns: 50 },
    );
  });
});

describe("a key's own limit", () => {
  it.each([1, 2, 10, 99, 100])("of %d may be used up at once", (limit) => {
    const { clock, rush } = door(limit);
    expect(rush(limit + 5)).toBe(limit);
    clock.advance(60_000);
    expect(rush(limit + 5)).toBe(limit);
  });

  it.each([
    [600, 100],
    [1_200, 200],
    [1_000_000, 166_667],
  ])("of %d keeps the default's proportion: a burst of %d", (limit, burst) => {
    const { rush } = door(limit);
    expect(rush(burst + 5)).toBe(burst);
  });

  it("holds from the next request on when it is changed", () => {
    const { clock, limiter, rush } = door(1_000);
    rush(50);
    clock.advance(60_000);
    let left: number | undefined;
    limiter.admit(sampleCaller({ requestsPerMinute: 5 }), (state) => {
      left = state.left;
    });
    expect(left).toBe(4);
  });
});

describe("what the headers say", () => {
  it("is the limit, what is left, and when the whole burst is there again", () => {
    const { clock, knock, state } = door();
    knock();
    expect(state()).toEqual({ limit: 600, windowSeconds: 60, left: 99, resetSeconds: 1 });
    for (let i = 0; i < 49; i++) knock();
    expect(state()).toEqual({ limit: 600, windowSeconds: 60, left: 50, resetSeconds: 5 });
    clock.advance(2_000);
    knock();
    expect(state()).toEqual({ limit: 600, windowSeconds: 60, left: 69, resetSeconds: 4 });
  });

  it("is told to the refused as well: nothing left", () => {
    const { knock, rush, state } = door(6);
    rush(6);
    knock();
    expect(state()).toEqual({ limit: 6, windowSeconds: 60, left: 0, resetSeconds: 60 });
  });

  it("is true: as many as are left are admitted at once", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000 }),
        fc.nat(200),
        fc.nat(90_000),
        (limit, before, pauseMs) => {
          const { clock, knock, rush, state } = door(limit);
          rush(before);
          clock.advance(pauseMs);
          knock();
          const left = state()?.left ?? 0;
          expect(rush(left)).toBe(left);
          expect(knock()).toBeDefined();
        },
      ),
      { numRuns: 100 },
    );
  });

  it.each([DEFAULTS, { requestsPerMinute: 10, burst: 100 }, { requestsPerMinute: 6_000, burst: 1 }])(
    "to nobody in particular is what a first request would find, with %j",
    (defaults) => {
      const { limiter, knock, state } = door(undefined, defaults);
      const untouched = limiter.untouched();
      knock();
      expect(untouched).toEqual({ ...state(), left: (state()?.left ?? 0) + 1, resetSeconds: 0 });
    },
  );
});

describe("over any schedule", () => {
  it("never more are admitted than the burst and what the rate brought since", () => {
    const defaults = fc.record({
      requestsPerMinute: fc.integer({ min: 1, max: 5_000 }),
      burst: fc.integer({ min: 1, max: 500 }),
    });
    const visits = fc.array(fc.record({ pauseMs: fc.nat(15_000), knocks: fc.integer({ min: 1, max: 40 }) }), {
      minLength: 1,
      maxLength: 20,
    });
    fc.assert(
      fc.property(defaults, visits, (limits, schedule) => {
        const { clock, rush } = door(undefined, limits);
        const burst = Math.min(limits.burst, limits.requestsPerMinute);
        let admitted = 0;
        let elapsedMs = 0;
        for (const { pauseMs, knocks } of schedule) {
          clock.advance(pauseMs);
          elapsedMs += pauseMs;
          admitted += rush(knocks);
          expect(admitted).toBeLessThanOrEqual(
            burst + (limits.requestsPerMinute * elapsedMs) / 60_000 + 1e-6,
          );
        }
      }),
      { numRuns: 200 },
    );
  });

  it("a busy key keeps its bucket, however many others come by", () => {
    const { knock, rush } = door(6);
    rush(6);
    for (let i = 0; i <= 100_000; i++) {
      knock(`other-${i}`);
      if (i % 1_000 === 0) expect(knock("key"), `after ${i} others`).toBeDefined();
    }
    expect(knock("key")).toBeDefined();
  });
});
