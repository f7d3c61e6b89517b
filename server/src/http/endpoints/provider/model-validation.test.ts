import { describe, expect, it } from "vitest";
import { modelWarnings, type PartialModelTerms } from "./model-validation.ts";

const SOUND: PartialModelTerms = {
  type: "text",
  endpoint: "https://models.example/v1/generate",
  auth_type: "bearer",
  pricing: { input_per_1k_tokens: 0.001, output_per_1k_tokens: 0.002 },
  capabilities: ["chat"],
  performance: { accuracy_score: 0.8 },
  context_window: 8_000,
  max_output_tokens: 4_000,
  cost_efficiency: "high",
};
const params = (changes: PartialModelTerms, isNew = true) =>
  modelWarnings({ ...SOUND, ...changes }, isNew).map(({ param }) => param);

describe("modelWarnings", () => {
  it("gives none for sound terms", () => {
    expect(modelWarnings(SOUND, true)).toEqual([]);
  });

  it.each<[string, PartialModelTerms]>([
    ["endpoint", { endpoint: "http://10.0.0.1/v1" }],
    ["endpoint", { endpoint: "https://api.openai.com/v1" }],
    ["endpoint", { endpoint: "https://generativelanguage.googleapis.com" }],
    ["endpoint", { endpoint: "https://api.openai.com/v1/chat/completions", wire: "openai" }],
    ["endpoint", { endpoint: "https://example.com/v1beta/models/x:generateContent", wire: "gemini" }],
    ["endpoint", { endpoint: "https://api.cohere.com/v2/chat", wire: "cohere" }],
    ["upstream_model", { upstream_model: "x" }],
    ["auth_type", { auth_type: "none" }],
    ["pricing.input_per_1k_tokens", { pricing: { input_per_1k_tokens: 3, output_per_1k_tokens: 0.1 } }],
    ["pricing.output_per_1k_tokens", { pricing: { input_per_1k_tokens: 0.1, output_per_1k_tokens: 15 } }],
    ["pricing", { pricing: { input_per_1k_tokens: 0, output_per_1k_tokens: 0 } }],
    [
      "pricing.cached_input_per_1k_tokens",
      { pricing: { input_per_1k_tokens: 0.1, cached_input_per_1k_tokens: 0.2, output_per_1k_tokens: 0.1 } },
    ],
    ["max_output_tokens", { max_output_tokens: 9_000 }],
    ["capabilities", { capabilities: [] }],
    ["performance.accuracy_score", { performance: {} }],
    ["cost_efficiency", { cost_efficiency: "superb" }],
  ])("warns about %s", (param, changes) => {
    expect(params(changes)).toEqual([param]);
  });

  it.each<PartialModelTerms>([
    { wire: "openai", endpoint: "https://api.openai.com/v1", upstream_model: "x" },
    { wire: "gemini", endpoint: "https://generativelanguage.googleapis.com/v1beta" },
    { wire: "cohere", endpoint: "https://api.cohere.com/v2" },
    { endpoint: "no address at all" },
    { upstream_model: null },
  ])("gives none for %j", (changes) => {
    expect(params(changes)).toEqual([]);
  });

  it("gives none for fields that a change leaves out", () => {
    expect(modelWarnings({ description: "New words." }, false)).toEqual([]);
  });
});
