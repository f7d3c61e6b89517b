import { EVENT_TYPES } from "@trunkline/core/alerts.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type BalanceStatus, evaluateBalance, thresholdsReached } from "./alert-rules.ts";

describe("a budget's thresholds", () => {
  it.each<[bigint, bigint, number[]]>([
    [1_000n, 0n, []],
    [1_000n, 499n, []],
    [1_000n, 500n, [0.5]],
    [1_000n, 799n, [0.5]],
    [1_000n, 800n, [0.5, 0.8]],
    [1_000n, 999n, [0.5, 0.8]],
    [1_000n, 1_000n, [0.5, 0.8, 1]],
    [1_000n, 5_000n, [0.5, 0.8, 1]],
    // A part of a nano-credit is reached only by a whole one.
    [3n, 1n, []],
    [3n, 2n, [0.5]],
    [1n, 1n, [0.5, 0.8, 1]],
    // A budget of nothing is never used up: there was none.
    [0n, 0n, []],
  ])("of %d, with %d spent, are reached: %j", (limit, spent, reached) => {
    expect(thresholdsReached(limit, spent, [0.5, 0.8, 1])).toEqual(reached);
  });

  it("are reached exactly, however large the amounts are", () => {
    expect(thresholdsReached(9_007_199_254_740_993n, 9_007_199_254_740_992n, [1])).toEqual([]);
    expect(thresholdsReached(10n ** 18n, 10n ** 17n, [0.1])).toEqual([0.1]);
    expect(thresholdsReached(10n ** 18n, 10n ** 17n - 1n, [0.1])).toEqual([]);
    expect(thresholdsReached(10n ** 6n, 1n, [0.000001])).toEqual([0.000001]);
  });
});

const stand = (change: Partial<BalanceStatus>): BalanceStatus => ({
  total: 100n,
  mark: 50n,
  isLow: false,
  isExhausted: false,
  listens: EVENT_TYPES,
  ...change,
});

describe("a balance", () => {
  it.each<[string, Partial<BalanceStatus>, readonly string[]]>([
    ["is nothing to tell of above the mark", {}, []],
    ["is not low at the mark", { total: 50n }, []],
    ["is low below it", { total: 49n }, ["balance.low"]],
    ["is not told to be low twice", { total: 49n, isLow: true }, []],
    ["is never low where there is no mark", { total: 1n, mark: undefined }, []],
    ["is low and used up at nothing", { total: 0n }, ["balance.low", "balance.exhausted"]],
    ["is used up where there is no mark too", { total: 0n, mark: undefined }, ["balance.exhausted"]],
    ["is not told to be used up twice", { total: 0n, isLow: true, isExhausted: true }, []],
    ["is there again with the first credit", { total: 1n, isLow: true, isExhausted: true }, ["balance.restored"]],
    ["is not told to be low where nobody listens", { total: 1n, listens: ["budget.threshold"] }, []],
    ["is not told to be used up where nobody listens", { total: 0n, listens: ["budget.threshold"] }, []],
  ])("%s", (_what, change, events) => {
    expect(evaluateBalance(stand(change)).events).toEqual(events);
  });

  it("is told of later where nobody listened at first", () => {
    const { events: none, ...unheard } = evaluateBalance(stand({ total: 0n, listens: ["budget.threshold"] }));
    expect(none).toEqual([]);
    expect(evaluateBalance(stand({ total: 0n, ...unheard })).events).toEqual(["balance.low", "balance.exhausted"]);
  });

  it("counts as told to be used up where somebody hears only when it is there again", () => {
    const { events: _unheard, ...told } = evaluateBalance(stand({ total: 0n, listens: ["balance.restored"] }));
    expect(evaluateBalance(stand({ total: 0n, isLow: true, isExhausted: told.isExhausted })).events).toEqual([]);
    expect(evaluateBalance(stand({ total: 60n, ...told })).events).toEqual(["balance.restored"]);
  });

  it("is told of in turns, whatever it does: never twice the same without the other between", () => {
    const totals = fc.array(fc.bigInt({ min: 0n, max: 100n }).map((total) => (total < 30n ? 0n : total)));
    fc.assert(
      fc.property(totals, (sequence) => {
        let told = { isLow: false, isExhausted: false };
        let wasLow = false;
        let wasExhausted = false;
        for (const total of sequence) {
          const { events, ...now } = evaluateBalance(stand({ total, ...told }));
          expect(events.includes("balance.low")).toBe(total < 50n && !wasLow);
          expect(events.includes("balance.exhausted")).toBe(total === 0n && !wasExhausted);
          expect(events.includes("balance.restored")).toBe(total > 0n && wasExhausted);
          [told, wasLow, wasExhausted] = [now, total < 50n, total === 0n];
        }
      }),
    );
  });
});
