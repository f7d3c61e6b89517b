import { EVENT_TYPES } from "@trunkline/core/alerts.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type BalanceStatus, evaluateBalance, thresholdsReached } from "./alert-rules.ts";

describe("thresholdsReached", () => {
  it.each<[bigint, bigint, number[]]>([
    [1_000n, 0n, []],
    [1_000n, 499n, []],
    [1_000n, 500n, [0.5]],
    [1_000n, 799n, [0.5]],
    [1_000n, 800n, [0.5, 0.8]],
    [1_000n, 999n, [0.5, 0.8]],
    [1_000n, 1_000n, [0.5, 0.8, 1]],
    [1_000n, 5_000n, [0.5, 0.8, 1]],
    // A fraction of a nano-credit is reached only by a whole one.
    [3n, 1n, []],
    [3n, 2n, [0.5]],
    [1n, 1n, [0.5, 0.8, 1]],
    // A budget of 0 is never used up.
    [0n, 0n, []],
  ])("for a limit of %d with %d spent: %j", (limit, spent, reached) => {
    expect(thresholdsReached(limit, spent, [0.5, 0.8, 1])).toEqual(reached);
  });

  it("is exact, however large the amounts are", () => {
    expect(thresholdsReached(9_007_199_254_740_993n, 9_007_199_254_740_992n, [1])).toEqual([]);
    expect(thresholdsReached(10n ** 18n, 10n ** 17n, [0.1])).toEqual([0.1]);
    expect(thresholdsReached(10n ** 18n, 10n ** 17n - 1n, [0.1])).toEqual([]);
    expect(thresholdsReached(10n ** 6n, 1n, [0.000001])).toEqual([0.000001]);
  });
});

const balanceStatus = (change: Partial<BalanceStatus>): BalanceStatus => ({
  total: 100n,
  mark: 50n,
  isLow: false,
  isExhausted: false,
  listens: EVENT_TYPES,
  ...change,
});

describe("evaluateBalance", () => {
  it.each<[string, Partial<BalanceStatus>, readonly string[]]>([
    ["sends nothing above the threshold", {}, []],
    ["sends nothing at the threshold", { total: 50n }, []],
    ["alerts of a low balance below the threshold", { total: 49n }, ["balance.low"]],
    ["does not alert twice of a low balance", { total: 49n, isLow: true }, []],
    ["never alerts of a low balance without a threshold", { total: 1n, mark: undefined }, []],
    ["alerts of a low and exhausted balance at 0", { total: 0n }, ["balance.low", "balance.exhausted"]],
    ["alerts of an exhausted balance without a threshold too", { total: 0n, mark: undefined }, ["balance.exhausted"]],
    ["does not alert twice of an exhausted balance", { total: 0n, isLow: true, isExhausted: true }, []],
    [
      "alerts of a restored balance with the first credit",
      { total: 1n, isLow: true, isExhausted: true },
      ["balance.restored"],
    ],
    ["does not alert of a low balance without a subscriber", { total: 1n, listens: ["budget.threshold"] }, []],
    ["does not alert of an exhausted balance without a subscriber", { total: 0n, listens: ["budget.threshold"] }, []],
  ])("%s", (_what, change, events) => {
    expect(evaluateBalance(balanceStatus(change)).events).toEqual(events);
  });

  it("alerts later when there was no subscriber at first", () => {
    const { events: none, ...state } = evaluateBalance(balanceStatus({ total: 0n, listens: ["budget.threshold"] }));
    expect(none).toEqual([]);
    expect(evaluateBalance(balanceStatus({ total: 0n, ...state })).events).toEqual([
      "balance.low",
      "balance.exhausted",
    ]);
  });

  it("counts a subscriber of only the restored balance as alerted of the exhausted one", () => {
    const { events: _events, ...alerted } = evaluateBalance(
      balanceStatus({ total: 0n, listens: ["balance.restored"] }),
    );
    expect(evaluateBalance(balanceStatus({ total: 0n, isLow: true, isExhausted: alerted.isExhausted })).events).toEqual(
      [],
    );
    expect(evaluateBalance(balanceStatus({ total: 60n, ...alerted })).events).toEqual(["balance.restored"]);
  });

  it("alternates: never the same event twice without the other between", () => {
    const totals = fc.array(fc.bigInt({ min: 0n, max: 100n }).map((total) => (total < 30n ? 0n : total)));
    fc.assert(
      fc.property(totals, (sequence) => {
        let alerted = { isLow: false, isExhausted: false };
        let wasLow = false;
        let wasExhausted = false;
        for (const total of sequence) {
          const { events, ...now } = evaluateBalance(balanceStatus({ total, ...alerted }));
          expect(events.includes("balance.low")).toBe(total < 50n && !wasLow);
          expect(events.includes("balance.exhausted")).toBe(total === 0n && !wasExhausted);
          expect(events.includes("balance.restored")).toBe(total > 0n && wasExhausted);
          [alerted, wasLow, wasExhausted] = [now, total < 50n, total === 0n];
        }
      }),
    );
  });
});
