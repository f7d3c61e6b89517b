import { describe, expect, it } from "vitest";
import { bodyOf, draftOf, isPresetName } from "./preset-draft.ts";

const WHOLE = {
  name: "support",
  description: "Answers customers",
  models: ["openai/gpt-5-mini", "openai/gpt-5-nano"],
  route: "hybrid" as const,
  system: "Be polite.",
  parameters: {
    max_tokens: 500,
    temperature: 0,
    top_p: 0.9,
    stop: ["END", "STOP HERE"],
    reasoning_effort: "low" as const,
  },
  preferences: { max_cost: 0.01, max_latency_ms: 2_000, min_quality: 0.7 },
};

describe("the draft of a preset", () => {
  it("becomes what it was made from", () => {
    const { name: _, ...body } = WHOLE;
    expect(bodyOf(draftOf(WHOLE))).toEqual(body);
  });

  it("leaves out what is empty", () => {
    expect(bodyOf(draftOf(undefined))).toEqual({});
    expect(bodyOf({ ...draftOf(WHOLE), system: " ", stop: "\n\n", models: [], effort: "", route: "" })).toEqual({
      description: "Answers customers",
      parameters: { max_tokens: 500, temperature: 0, top_p: 0.9 },
      preferences: WHOLE.preferences,
    });
  });

  it("has a name that the service takes", () => {
    for (const name of ["support", "gpt-4o-mini", "a.b_c"]) expect(isPresetName(name), name).toBe(true);
    for (const name of ["", "auto", "-a", "a/b", "a b", "x".repeat(65)]) expect(isPresetName(name), name).toBe(false);
  });
});
