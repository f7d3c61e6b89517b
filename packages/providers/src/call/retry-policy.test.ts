import { describe, expect, it } from "vitest";
import { RetryBudget } from "./retry-policy.ts";

function open() {
  let nowMs = 0;
  const budget = new RetryBudget({ monotonicMs: () => nowMs });
  return {
    budget,
    pass: (ms: number) => {
      nowMs += ms;
    },
    /** Takes all retries and returns their number. */
    spend: (accountId: string): number => {
      let taken = 0;
      while (budget.take(accountId)) taken++;
      return taken;
    },
  };
}

describe("RetryBudget", () => {
  it("gives a new account 25 retries", () => {
    const { spend } = open();
    expect(spend("a")).toBe(25);
    expect(spend("a")).toBe(0);
  });

  it("grows by a tenth with every request, for each account separately", () => {
    const { budget, spend } = open();
    spend("a");
    for (let request = 0; request < 55; request++) budget.noteRequest("a");
    expect(spend("a")).toBe(5);
    expect(spend("b")).toBe(25);
  });

  it("grows to 100 retries at most", () => {
    const { budget, spend } = open();
    for (let request = 0; request < 10_000; request++) budget.noteRequest("a");
    expect(spend("a")).toBe(100);
  });

  it("refills by itself slowly, and only to the floor of two", () => {
    const { spend, pass } = open();
    spend("a");
    pass(4_900);
    expect(spend("a")).toBe(0);
    pass(5_000);
    expect(spend("a")).toBe(1);
    pass(3_600_000);
    expect(spend("a")).toBe(2);
  });

  it("drops the least recently seen account when there are too many", () => {
    const { budget, spend } = open();
    spend("a");
    for (let other = 0; other < 10_000; other++) budget.noteRequest(`other-${other}`);
    expect(spend("a")).toBe(25);
  });
});
