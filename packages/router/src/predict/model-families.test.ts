import { describe, expect, it } from "vitest";
import { readRouterWeights } from "./bundled-weights.ts";
import { familyStrengthOf } from "./model-families.ts";
import { canonicalModelName } from "./model-name.ts";
import { logOdds } from "./model-strength.ts";

const oddsOf = (name: string) => familyStrengthOf(name)?.odds ?? Number.NaN;

describe("familyStrengthOf", () => {
  it.each([
    ["gpt-4o", "openai/gpt-4o-2024-08-06", "my-gpt-4o-clone", "GPT4o"],
    ["claude-sonnet-4-5", "anthropic/claude-sonnet-4.5", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"],
    ["claude-3-5-haiku-20241022", "claude-3.5-haiku", "anthropic/claude-3-5-haiku-latest"],
    ["deepseek-r1", "deepseek/deepseek-r1:free", "deepseek-r1-0528", "deepseek-reasoner"],
    ["llama-3.1-8b", "meta-llama/Llama-3.1-8B-Instruct", "llama3.1:8b", "llama-3-1-8b-instruct-turbo"],
    ["llama-3.1-70b", "hermes-3-llama-3.1-70b"],
    ["llama-4-maverick", "meta-llama/Llama-4-Maverick-17B-128E-Instruct"],
    ["qwen3-235b", "qwen/qwen3-235b-a22b"],
    ["mistral-small-3", "mistral-small-3.2-24b-instruct"],
    ["mistral-large", "mistral-large-2411", "mistral-large-latest"],
    ["nova-pro", "amazon.nova-pro-v1:0"],
  ])("knows %s by its other names", (...names) => {
    expect(new Set(names.map(oddsOf)).size).toBe(1);
    expect(oddsOf(names[0] ?? "")).toBeGreaterThan(0);
  });

  it("keeps the models of a family apart", () => {
    for (const [weaker, stronger] of [
      ["gpt-4o-mini", "gpt-4o"],
      ["gpt-4o", "gpt-4.1"],
      ["gpt-5-nano", "gpt-5-mini"],
      ["gpt-4.1", "gpt-5"],
      ["o1-mini", "o1"],
      ["gemini-2.5-flash-lite", "gemini-2.5-flash"],
      ["claude-3-haiku", "claude-3-opus"],
      ["deepseek-v3", "deepseek-r1"],
      ["llama-3.1-8b", "llama-3.1-70b"],
    ] as const)
      expect(oddsOf(weaker), `${weaker} / ${stronger}`).toBeLessThan(oddsOf(stronger));
  });

  it.each([
    ["gpt-6", "gpt-5"],
    ["claude-opus-5", "claude-opus-4-1"],
    ["gemini-3-pro-preview", "gemini-2.5-pro"],
    ["glm-4.6", "glm-4.5"],
    ["o5", "o3"],
  ])("takes %s to be as strong as %s at least", (newer, known) => {
    expect(oddsOf(newer)).toBeGreaterThanOrEqual(oddsOf(known));
  });

  it.each(["deepseek-r1-distill-qwen-7b", "claude-2", "gpt-6-tiny", "tiny-1b", "coder-33b", "reasoner", "large"])(
    "says nothing of %s",
    (name) => {
      expect(familyStrengthOf(name)).toBeUndefined();
    },
  );

  it("knows a model for programming as stronger there", () => {
    const coder = familyStrengthOf("qwen2.5-coder-32b-instruct");
    expect(coder?.codeOdds).toBeGreaterThan((coder?.odds ?? 9) + 0.2);
    expect(familyStrengthOf("gpt-4o")).toEqual({ odds: oddsOf("gpt-4o"), codeOdds: oddsOf("gpt-4o") });
  });

  it("agrees with the strengths of the models that have outcomes", () => {
    const { models } = readRouterWeights();
    const names =
      "claude-3-haiku claude-3.5-haiku claude-3.5-sonnet gemini-1.5-flash gemini-1.5-pro gemma-2-9b gpt-4o gpt-4o-mini llama-3.1-8b llama-3.1-70b mixtral-8x7b phi-3-mini-4k qwen2.5-72b qwen2.5-7b".split(
        " ",
      );
    const distances = names.map((name) => {
      const known = models.find((one) => one.name === canonicalModelName(name));
      return oddsOf(name) - logOdds(known?.claim ?? Number.NaN);
    });
    expect(Math.abs(distances.reduce((sum, one) => sum + one, 0) / distances.length)).toBeLessThan(0.15);
    for (const distance of distances) expect(Math.abs(distance)).toBeLessThan(0.6);
  });
});
