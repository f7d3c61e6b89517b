import { describe, expect, it } from "vitest";
import { canonicalModelName } from "./model-name.ts";

describe("canonicalModelName", () => {
  it.each([
    ["Meta-Llama-3.1-8B-Instruct", "meta-llama/Llama-3.1-8B-Instruct", "llama-3-1-8b-instruct"],
    ["claude-3-5-sonnet-20241022", "anthropic/claude-3.5-sonnet", "us.anthropic.claude-3-5-sonnet-20241022-v2:0"],
    ["gpt-4o-2024-08-06", "openai/gpt-4o", "GPT-4o"],
    ["Mixtral-8x7B-Instruct-v0.1", "mixtral-8x7b-instruct", "mistralai/mixtral-8x7b"],
    ["gemma-2-9b-it", "gemma2:9b", "google/gemma-2-9b-it"],
  ])("is the same for spellings of %s", (...names) => {
    expect(new Set(names.map(canonicalModelName)).size).toBe(1);
  });

  it.each([
    ["gpt-4o", "gpt-4o-mini"],
    ["gpt-4", "gpt-4-1106-preview"],
    ["mistral-7b-instruct-v0.2", "mistral-7b-instruct-v0.3"],
    ["llama-3.1-8b", "llama-3.1-70b"],
    ["gemini-1.5-pro", "gemini-1.5-pro-002"],
    ["deepseek-coder-v2", "deepseek-v2"],
    ["llama-3.1-8b-instruct", "llama-3.1-8b-base"],
  ])("differs for %s and %s", (one, other) => {
    expect(canonicalModelName(one)).not.toBe(canonicalModelName(other));
  });
});
