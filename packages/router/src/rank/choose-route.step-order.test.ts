import { type Candidate, rankingOf } from "@trunkline/core/route.ts";
import { sampleRanked } from "@trunkline/testing/samples.ts";
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
  const [first, ...others] = candidates;
  const ranking = rankingOf(
    sampleRanked(first),
    others.map((one) => sampleRanked(one)),
  );
  return inCascadeOrder({ ...route, ...ranking }).candidates;
}

/** Every step, as if each failed. */
function stepsOf(candidates: readonly Candidate[]): string[] {
  const steps: string[] = [];
  let at: Candidate | undefined = candidates[0];
  for (; at !== undefined; at = nextCascadeCandidate(candidates, at)) steps.push(at.model.name);
  return steps;
}

describe("the steps of a cascade", () => {
  it("start with the cheapest, and with the better of two at the same cost", () => {
    const order = ordered(
      candidate("dear", 30n, 0.9),
      candidate("worse", 10n, 0.4),
      candidate("better", 10n, 0.5),
      candidate("middle", 20n, 0.6),
    );
    expect(order.map(({ model }) => model.name)).toEqual(["better", "worse", "middle", "dear"]);
  });

  it("skip candidates that are predicted to be no better than the last", () => {
    const order = ordered(
      candidate("a", 1n, 0.5),
      candidate("b", 2n, 0.4),
      candidate("c", 3n, 0.5),
      candidate("d", 4n, 0.6),
    );
    expect(stepsOf(order)).toEqual(["a", "d"]);
  });

  it("continue with the next more expensive one where none is better", () => {
    const order = ordered(candidate("a", 1n, 0.9), candidate("b", 2n, 0.4), candidate("c", 3n, 0.3));
    expect(stepsOf(order)).toEqual(["a", "b", "c"]);
  });

  it("keep the order of the tiers", () => {
    const order = ordered(
      candidate("fallback", 1n, 0.2, { tier: 1 }),
      candidate("named", 5n, 0.9),
      candidate("same-elsewhere", 6n, 0.9),
      candidate("last", 1n, 0.1, { tier: 2 }),
    );
    expect(stepsOf(order)).toEqual(["named", "fallback", "last"]);
  });

  it("start with a model that lists the client's task word", () => {
    const order = ordered(candidate("cheap", 1n, 0.5), candidate("wanted", 9n, 0.5, { isWanted: true }));
    expect(order[0]?.model.name).toBe("wanted");
  });
});
