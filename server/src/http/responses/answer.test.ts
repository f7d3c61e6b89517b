import type { Receipt, ReceiptSegment } from "@trunkline/core/parts.ts";
import { describe, expect, it } from "vitest";
import { answeringModels } from "./answer.ts";

const segment = (name: string, outcome: ReceiptSegment["outcome"]): ReceiptSegment => ({
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

describe("answeringModels", () => {
  it("lists the models whose output was delivered, in order", () => {
    const receipt = receiptWith(segment("first", "cut-off"), segment("last", "answered"));
    expect(answeringModels(receipt)).toEqual(["acme/first", "acme/last"]);
  });

  it("is undefined when the other models failed a cascade's check", () => {
    const receipt = receiptWith(segment("first", "failed-check"), segment("last", "answered"));
    expect(answeringModels(receipt)).toBeUndefined();
  });
});
