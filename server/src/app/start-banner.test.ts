import { Secret } from "@trunkline/core/secret.ts";
import { sampleBuiltin, sampleModel } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { formatStartBanner } from "./start-banner.ts";

const KEYS = [new Secret("sk-one"), new Secret("sk-two")];

const text = formatStartBanner({
  url: "http://127.0.0.1:8080",
  dashboard: "http://localhost:8080",
  firstKey: undefined,
  firstLogin: undefined,
  notes: [],
  models: [
    { ...sampleModel("openai/gpt-4o"), keys: KEYS },
    { ...sampleModel("openai/gpt-4o-mini"), keys: KEYS },
    sampleBuiltin("guide", "text"),
  ],
  providers: [
    { id: "openai", variable: "OPENAI_API_KEY", keys: KEYS },
    { id: "huggingface", variable: "HF_TOKEN", keys: [new Secret("hf-one")] },
  ],
  localServers: [{ name: "Ollama", url: "http://127.0.0.1:11434", models: ["qwen3:8b"] }],
});

describe("the start message", () => {
  it("names each provider found, its variable and the number of its models", () => {
    expect(text).toContain("Found: openai (OPENAI_API_KEY, 2 keys), 2 models");
    expect(text).toContain("Found: huggingface (HF_TOKEN), and no model of it whose price is known");
    expect(text).toContain("Models: builtin/guide");
  });

  it("names the model servers on this machine, as free and private", () => {
    expect(text).toContain(
      "Found: Ollama at http://127.0.0.1:11434, 1 model: free, and for the operator's account alone",
    );
  });

  it("shows no key", () => {
    expect(text).not.toMatch(/sk-one|sk-two|hf-one|\[secret\]/);
  });
});
