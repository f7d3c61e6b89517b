import type { Candidate } from "@trunkline/core/route.ts";
import { describe, expect, it } from "vitest";
import { plainCandidate } from "../../../../server/test/support/open-bill.ts";
import { inCascadeOrder, nextCascadeCandidate } from "./choose-route.ts";

const candidate = (name: string, estimate: bigint, quality: number, more: Partial<Candidate> = {}): Candidate => {
  const plain = plainCandidate(`acme/${name}`);
  return { ...plain, quality, quote: { ...plain.quote, estimate }, ...more };
};

function ordered(...candidates: [Candidate, ...Candidate[]]): readonly Candidate[] {
  const route = {
    strategy: "quality-optimized",
    weights: { cost: 1, speed: 0, quality: 0 },
    chosenBy: "request",
    task: { kind: "chat", word: "chat", known: true },
    promptFeatures: { domain: "", family: "", confidence: 0, difficulty: 0, shares: [] },
    excluded: () => [],
    qualityFloor: 0,
  } as const;
  return inCascadeOrder({ ...route, candidates }).candidates;
}

/** Every step in turn, as if each of them failed. */
function stepsOf(candidates: readonly Candidate[]): string[] {
  const steps: string[] = [];
  let at: Candidate | undefined = candidates[0];
  for (; at !== undefined; at = nextCascadeCandidate(candidates, at)) steps.push(at.model.name);
  return steps;
}

describe("the steps of a cascade", () => {
  it("go from the cheapest on, and the better of two that cost the same is first", () => {
    const order = ordered(
      candidate("dear", 30n, 0.9),
      candidate("worse", 10n, 0.4),
      candidate("better", 10n, 0.5),
      candidate("middle", 20n, 0.6),
    );
    expect(order.map(({ model }) => model.name)).toEqual(["better", "worse", "middle", "dear"]);
  });

  it("pass over whoever is predicted to be no better than the last", () => {
    const order = ordered(
      candidate("a", 1n, 0.5),
      candidate("b", 2n, 0.4),
      candidate("c", 3n, 0.5),
      candidate("d", 4n, 0.6),
    );
    expect(stepsOf(order)).toEqual(["a", "d"]);
  });

  it("go on with the next dearer one where nobody is better", () => {
    const order = ordered(candidate("a", 1n, 0.9), candidate("b", 2n, 0.4), candidate("c", 3n, 0.3));
    expect(stepsOf(order)).toEqual(["a", "b", "c"]);
  });

  it("keep to the tiers that the client named, whatever is predicted", () => {
    const order = ordered(
      candidate("fallback", 1n, 0.2, { tier: 1 }),
      candidate("named", 5n, 0.9),
      candidate("same-elsewhere", 6n, 0.9),
      candidate("last", 1n, 0.1, { tier: 2 }),
    );
    expect(stepsOf(order)).toEqual(["named", "fallback", "last"]);
  });

  it("begin with a model that lists the client's own word", () => {
    const order = ordered(candidate("cheap", 1n, 0.5), candidate("wanted", 9n, 0.5, { isWanted: true }));
    expect(order[0]?.model.name).toBe("wanted");
  });
});
