import type { Receipt, ReceiptSegment } from "@trunkline/core/parts.ts";
import { describe, expect, it } from "vitest";
import { answeringModels } from "./answer.ts";

const leg = (name: string, outcome: ReceiptSegment["outcome"]): ReceiptSegment => ({
  outcome,
  model: { provider: "acme", name },
  inputTokens: 1,
  outputTokens: 1,
  cost: 1n,
});
const receiptWith = (...legs: readonly ReceiptSegment[]): Receipt => ({
  type: "receipt",
  model: { provider: "acme", name: "last" },
  inputTokens: 1,
  outputTokens: 1,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  cost: 1n,
  legs,
  latencyMs: 1,
});

describe("the models that spoke", () => {
  it("are those whose words were given out, in their order", () => {
    const receipt = receiptWith(leg("first", "cut-off"), leg("last", "answered"));
    expect(answeringModels(receipt)).toEqual(["acme/first", "acme/last"]);
  });

  it("are not told where only one was heard, as the others failed the check of a cascade", () => {
    expect(answeringModels(receiptWith(leg("first", "failed-check"), leg("last", "answered")))).toBeUndefined();
  });
});
