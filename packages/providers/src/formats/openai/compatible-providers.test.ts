import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { COMPATIBLE_PROVIDERS, findCompatibleProvider } from "./compatible-providers.ts";

describe("COMPATIBLE_PROVIDERS", () => {
  it("finds each provider by its base URL, exactly once", () => {
    expect(new Set(COMPATIBLE_PROVIDERS.map(({ id }) => id)).size).toBe(COMPATIBLE_PROVIDERS.length);
    for (const base of COMPATIBLE_PROVIDERS) {
      const url = base.baseUrl.replace(/\{[A-Z_]+\}/g, "mine");
      expect(URL.canParse(url), base.id).toBe(true);
      expect(findCompatibleProvider(url)?.id).toBe(base.id);
      expect(base.keyVariables.length, base.id).toBeGreaterThan(0);
      for (const variable of [...base.keyVariables, ...base.baseVariables])
        expect(variable).toMatch(/^[A-Z][A-Z0-9_]+$/);
    }
  });

  it.each([
    ["https://eu.api.openai.com/v1", "openai"],
    ["https://us-east-1.api.x.ai/v1", "xai"],
    ["http://localhost:8000/v1", "vllm"],
    ["http://[::1]:1234/v1", "lmstudio"],
    ["https://api.openai.com.example.com/v1", undefined],
    ["https://notapi.openai.com/v1", undefined],
    ["https://models.example.com:11434/v1", undefined],
    ["http://127.0.0.1:9/v1", undefined],
    ["nonsense", undefined],
  ])("takes %s for %s", (endpoint, id) => {
    expect(findCompatibleProvider(endpoint)?.id).toBe(id);
  });

  it("is in the docs, row by row", () => {
    const docs = readFileSync(new URL("../../../../../docs/providers.md", import.meta.url), "utf8");
    for (const { name, baseUrl, keyVariables } of COMPATIBLE_PROVIDERS) {
      const row = docs.split("\n").find((line) => line.startsWith(`| ${name} `));
      expect(row, name).toContain(`\`${baseUrl}\``);
      for (const variable of keyVariables) expect(row).toContain(`\`${variable}\``);
    }
  });
});
