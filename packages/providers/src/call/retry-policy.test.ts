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
    /** How many further attempts there are. */
    spend: (accountId: string): number => {
      let taken = 0;
      while (budget.take(accountId)) taken++;
      return taken;
    },
  };
}

describe("a budget for retries", () => {
  it("lets what a new account has running fail over when a provider dies, and no more", () => {
    const { spend } = open();
    expect(spend("a")).toBe(25);
    expect(spend("a")).toBe(0);
  });

  it("grows by a tenth with every request, and is each account's own", () => {
    const { budget, spend } = open();
    spend("a");
    for (let request = 0; request < 55; request++) budget.noteRequest("a");
    expect(spend("a")).toBe(5);
    expect(spend("b")).toBe(25);
  });

  it("saves up no more than it holds", () => {
    const { budget, spend } = open();
    for (let request = 0; request < 10_000; request++) budget.noteRequest("a");
    expect(spend("a")).toBe(100);
  });

  it("comes back slowly by itself, and only so far that a quiet account can fail over", () => {
    const { spend, pass } = open();
    spend("a");
    pass(4_900);
    expect(spend("a")).toBe(0);
    pass(5_000);
    expect(spend("a")).toBe(1);
    pass(3_600_000);
    expect(spend("a")).toBe(2);
  });

  it("forgets who was not seen for long where there are too many", () => {
    const { budget, spend } = open();
    spend("a");
    for (let other = 0; other < 10_000; other++) budget.noteRequest(`other-${other}`);
    expect(spend("a")).toBe(25);
  });
});
