import type { DataClaim } from "@trunkline/core/data-rules.ts";
import type { JudgeRequest } from "@trunkline/core/verdict.ts";
import { describe, expect, it } from "vitest";
import { withDataRules } from "./create-safety.ts";

const question: JudgeRequest = { text: "Hello", channel: "user" };

/** Asks a judge with this claim under rules for the EU, and returns how often it was called. */
async function askUnder(claim: DataClaim | undefined): Promise<number> {
  let calls = 0;
  const judge = {
    categories: [],
    ask: async () => {
      calls += 1;
      return { scores: {}, inputTokens: undefined, outputTokens: undefined };
    },
  };
  const bound = withDataRules(judge, { regions: ["eu"], retentionDays: undefined }, () => claim);
  await bound.ask(question, new AbortController().signal).catch((error: unknown) => {
    expect(String(error)).toContain("the data rules leave it out");
  });
  return calls;
}

describe("a judge under data rules", () => {
  it("gets no text unless it claims to keep them", async () => {
    expect(await askUnder(undefined)).toBe(0);
    expect(await askUnder({ regions: ["us"], retentionDays: 0 })).toBe(0);
    expect(await askUnder({ regions: ["fr"], retentionDays: undefined })).toBe(1);
  });
});
