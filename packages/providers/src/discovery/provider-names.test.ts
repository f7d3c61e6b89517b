import { describe, expect, it } from "vitest";
import { KNOWN_PROVIDERS } from "./known-providers.ts";
import { standingOfProviderName } from "./provider-names.ts";

describe("standingOfProviderName", () => {
  it("keeps every known provider's name and the service's own", () => {
    for (const name of [...KNOWN_PROVIDERS.map(({ id }) => id), "ollama", "vllm", "builtin", "operator", "trunkline"])
      expect(standingOfProviderName(name), name).toBe("kept");
  });

  it.each([
    ["another case", "OpenAI"],
    ["hyphens", "open-ai"],
    ["hyphens everywhere", "o-p-e-n-a-i"],
    ["dots and underscores", "open_a.i"],
    ["digits for letters", "0pena1"],
    ["digits for letters", "ant4r0p1c".replace("4", "h")],
    ["an l for an i", "openal"],
    ["rn for m", "rnistral"],
    ["a number behind it", "openai2"],
    ["a number behind a short one", "xai-01"],
    ["a word before it", "real-openai"],
    ["a word behind it", "openai-official"],
    ["a word joined to it", "getanthropic"],
    ["a letter too many", "oppenai"],
    ["a letter too few", "anthopic"],
    ["two letters exchanged", "goolge"],
    ["a brand that is not discovered", "meta"],
    ["a product's name", "claude-3"],
    ["the service's own name with another word", "trunkline-eu"],
    ["a word of authority", "official"],
  ])("leaves a look-alike to the operator: %s, %s", (_, name) => {
    expect(standingOfProviderName(name)).toBe("look-alike");
  });

  it.each([
    "acme",
    "acme-openers",
    "account-0123456789ab",
    "north-wind",
    "localised-words",
    "metal-works",
    "groove",
    "s1",
  ])("leaves %s free", (name) => {
    expect(standingOfProviderName(name)).toBe("free");
  });
});
