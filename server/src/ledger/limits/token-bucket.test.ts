import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type RateState, type RateTerms, type TokenRequest, takeTokens } from "./token-bucket.ts";

const DEFAULT: RateTerms = { limit: 600, burst: 100 };
const ask = (want: number, changes: Partial<TokenRequest> = {}): TokenRequest => ({
  want,
  useful: 1,
  ceiling: Number.POSITIVE_INFINITY,
  ...changes,
});

/** The shared state of one key, over a schedule. */
class Ledger {
  terms: RateTerms;
  nowMs: number;
  state: RateState | undefined;
  readonly granted: { atMs: number; count: number }[] = [];

  constructor(terms = DEFAULT, nowMs = 0) {
    this.terms = terms;
    this.nowMs = nowMs;
  }

  take(want: number, changes?: Partial<TokenRequest>) {
    const { state, answer } = takeTokens(this.state, this.nowMs, this.terms, ask(want, changes));
    this.state = state;
    this.granted.push({ atMs: this.nowMs, count: answer.granted });
    return answer;
  }

  /** The tokens granted after one time and up to another. */
  between(fromMs: number, toMs: number): number {
    return this.granted.filter(({ atMs }) => atMs > fromMs && atMs <= toMs).reduce((sum, { count }) => sum + count, 0);
  }
}

const terms = fc
  .record({ limit: fc.integer({ min: 1, max: 5_000 }), share: fc.double({ min: 0.01, max: 1, noNaN: true }) })
  .map(({ limit, share }) => ({ limit, burst: Math.max(1, Math.ceil(limit * share)) }));
const visits = fc.array(
  fc.record({
    pauseMs: fc.oneof(fc.nat(100), fc.nat(20_000), fc.double({ min: 0, max: 70_000, noNaN: true })),
    want: fc.integer({ min: 1, max: 400 }),
  }),
  { minLength: 1, maxLength: 60 },
);

describe("tokens", () => {
  it("come as a burst first, then steadily, and never more than the limit in a minute", () => {
    const key = new Ledger();
    expect(key.take(150)).toMatchObject({ granted: 100, tokens: 0, room: 500, waitMs: expect.closeTo(100) });
    key.nowMs = 10_000;
    expect(key.take(150)).toMatchObject({ granted: 100, room: 400 });
    for (key.nowMs = 20_000; key.nowMs <= 50_000; key.nowMs += 10_000) key.take(150);
    expect(key.between(-1, 50_000)).toBe(600);
    key.nowMs = 55_000;
    expect(key.take(1)).toMatchObject({ granted: 0, tokens: 50, room: 0, waitMs: 5_000 });
    key.nowMs = 60_000;
    expect(key.take(150)).toMatchObject({ granted: 100, tokens: 0, room: 0, waitMs: 10_000 });
  });

  it("never exceed the limit in any minute, over any schedule", () => {
    fc.assert(
      fc.property(terms, visits, (given, schedule) => {
        const key = new Ledger(given);
        for (const { pauseMs, want } of schedule) {
          key.nowMs += pauseMs;
          const { granted } = key.take(want);
          expect(granted).toBeLessThanOrEqual(want);
          expect(key.between(39_999, 100_000)).toBeLessThanOrEqual(given.limit);
        }
      }),
    );
  });

  it("never exceed the burst plus the refill, over any schedule", () => {
    fc.assert(
      fc.property(terms, visits, (given, schedule) => {
        const key = new Ledger(given);
        for (const { pauseMs, want } of schedule) {
          key.nowMs += pauseMs;
          key.take(want);
          const most = given.burst + (given.limit * key.nowMs) / 60_000;
          expect(key.between(-1, key.nowMs)).toBeLessThanOrEqual(most + 1e-5);
        }
      }),
    );
  });

  it("are available after the reported wait, and not before", () => {
    fc.assert(
      fc.property(terms, visits, (given, schedule) => {
        const key = new Ledger(given);
        for (const { pauseMs, want } of schedule) {
          key.nowMs += pauseMs;
          key.take(want);
        }
        const { waitMs } = key.take(10_000);
        const before = takeTokens(key.state, key.nowMs + waitMs * 0.99, given, ask(1));
        expect(before.answer.granted).toBe(0);
        const after = takeTokens(key.state, key.nowMs + waitMs, given, ask(1));
        expect(after.answer.granted).toBe(1);
      }),
    );
  });

  it("reach the whole limit in every minute under constant demand", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), (limit) => {
        const key = new Ledger({ limit, burst: Math.ceil(limit / 6) });
        for (; key.nowMs < 180_000; key.nowMs += 100) key.take(10_000);
        // A token that comes between two requests may miss its minute.
        const least = Math.min(limit * 0.98, limit - 1);
        for (let end = 59_900; end < 180_000; end += 1_000)
          expect(key.between(end - 60_000, end), `until ${end}`).toBeGreaterThanOrEqual(least);
      }),
      { numRuns: 5 },
    );
  });
});

describe("a wait", () => {
  it("is for a useful number while tokens refill, and for the first while the window has no room", () => {
    const key = new Ledger();
    expect(key.take(100, { useful: 6 }).waitMs).toBeCloseTo(600);
    key.terms = { limit: 100, burst: 100 };
    key.nowMs = 30_000;
    expect(key.take(1, { useful: 6 }).waitMs).toBe(30_000);
  });

  it("is 0 when tokens are left", () => {
    expect(new Ledger().take(99)).toMatchObject({ granted: 99, waitMs: 0 });
  });

  it("for the whole burst ends when the window has room for it", () => {
    const key = new Ledger({ limit: 120, burst: 100 });
    expect(key.take(20)).toMatchObject({ room: 100, burstRoomMs: 0 });
    key.nowMs = 10_000;
    expect(key.take(30)).toMatchObject({ room: 70, burstRoomMs: 60_000 });
    key.nowMs = 30_000;
    expect(key.take(1)).toMatchObject({ room: 69, burstRoomMs: 40_000 });
  });
});

describe("the bucket", () => {
  it("never holds more than the instance knows of", () => {
    const key = new Ledger();
    key.take(6);
    key.nowMs = 10_000;
    // Leased tokens are spent only now: to the bucket it looks as if they had come back meanwhile.
    expect(key.take(200, { ceiling: 94 }).granted).toBe(94);
  });
});

describe("a limit that is changed", () => {
  it("applies at once when it is lowered, and counts earlier grants", () => {
    const key = new Ledger();
    key.take(50);
    key.nowMs = 1_000;
    key.terms = { limit: 60, burst: 60 };
    expect(key.take(100)).toMatchObject({ granted: 10, room: 0 });
    key.terms = { limit: 5, burst: 5 };
    expect(key.take(100)).toMatchObject({ granted: 0, room: -55, waitMs: 60_000 });
    key.nowMs = 61_000;
    expect(key.take(100)).toMatchObject({ granted: 5 });
  });

  it("fills at its own rate when it is raised", () => {
    const key = new Ledger({ limit: 5, burst: 5 });
    key.take(5);
    key.terms = DEFAULT;
    key.nowMs = 1_000;
    expect(key.take(100)).toMatchObject({ granted: 10, room: 585 });
  });
});

describe("the store's clock", () => {
  it("may be set back: the window goes on from there without a wait", () => {
    const key = new Ledger(DEFAULT, 3_600_000);
    key.take(100);
    key.nowMs = 0;
    expect(key.take(1)).toMatchObject({ granted: 0, room: 500, waitMs: expect.closeTo(100) });
    key.nowMs = 1_000;
    expect(key.take(100)).toMatchObject({ granted: 10, room: 490 });
    key.nowMs = 60_000;
    expect(key.take(100)).toMatchObject({ granted: 100, room: 490 });
  });
});

describe("a state", () => {
  it("stays small, however often it is updated, and exact while it is small", () => {
    const key = new Ledger({ limit: 1_000_000, burst: 166_667 });
    let longest = 0;
    for (; key.nowMs < 100_000; key.nowMs += 20) {
      key.take(1);
      longest = Math.max(longest, key.state?.grants.length ?? 0);
    }
    expect(longest).toBeLessThanOrEqual(900);
    expect(key.between(39_999, 100_000)).toBe(3_000);
    const small = new Ledger({ limit: 3, burst: 3 }, 0.5);
    small.take(1);
    small.nowMs = 2;
    small.take(1);
    expect(small.state?.grants).toEqual([
      [1, 1],
      [2, 1],
    ]);
  });
});
