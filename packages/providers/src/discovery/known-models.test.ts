import { describe, expect, it } from "vitest";
import { knownModelsOf } from "./known-models.ts";
import { PRICED_PROVIDERS } from "./price-table.ts";

const model = (provider: string, name: string) => knownModelsOf(provider).find((known) => known.name === name);

describe("known models", () => {
  it("have their prices, sizes and capabilities", () => {
    expect(model("openai", "gpt-4o-mini")).toMatchObject({
      type: "multimodal",
      price: {
        inputPerMillion: 150_000_000n,
        cachedInputPerMillion: 75_000_000n,
        outputPerMillion: 600_000_000n,
      },
      capabilities: ["text", "chat", "code", "vision", "tools", "json"],
      streaming: true,
      contextWindow: 128_000,
      maxOutputTokens: 16_384,
    });
  });

  it("are plain text models where their family is unknown", () => {
    expect(model("together", "Gryphe/MythoMax-L2-13b")).toMatchObject({
      type: "text",
      capabilities: ["text", "chat", "code"],
      maxOutputTokens: undefined,
    });
  });

  it("say where longer input has another price, and where prices can be checked", () => {
    const tiered = PRICED_PROVIDERS.flatMap(({ id, models }) =>
      models.filter((row) => (row.context ?? 0) < (row.wholeContext ?? 0)).map((row) => model(id, row.name)),
    ).filter((known) => known !== undefined);
    expect(tiered.length).toBeGreaterThan(0);
    for (const { description } of tiered) {
      expect(description).toContain("longer input has another price");
      expect(description).toMatch(/Prices as of \d{4}-\d\d-\d\d, see https:/);
    }
  });

  it("are described by what they do", () => {
    expect(model("openai", "gpt-4o")?.description).toMatch(
      /^GPT-4o: chat model for text and images, with tool calls and JSON output\. Prices as of /,
    );
    expect(model("openai", "text-embedding-3-small")?.description).toMatch(/: turns text into vectors/);
    expect(model("openai", "o3-mini")?.description).toMatch(/: reasoning model for text, with tool calls/);
  });

  it("are left out where their price is unknown", () => {
    const unknown = PRICED_PROVIDERS.flatMap(({ id, models }) =>
      models.filter(({ input }) => input === null).map(({ name }) => ({ id, name })),
    );
    expect(unknown.length).toBeGreaterThan(0);
    for (const { id, name } of unknown) expect(model(id, name)).toBeUndefined();
  });

  it("are recognised as embedding and transcription models by their names and prices", () => {
    expect(model("openai", "text-embedding-3-small")).toMatchObject({
      type: "embedding",
      capabilities: ["embedding"],
    });
    expect(model("openai", "whisper-1")).toMatchObject({
      type: "audio",
      capabilities: ["transcription"],
      price: { perSecond: 100_000n },
    });
  });

  it("make images and speech, with the prices of these", () => {
    expect(model("openai", "gpt-image-1")).toMatchObject({
      type: "image",
      capabilities: ["image"],
      streaming: false,
      price: { inputPerMillion: 10_000_000_000n, outputPerMillion: 40_000_000_000n, perImage: 0n },
    });
    expect(model("google", "gemini-2.5-flash-image")).toMatchObject({
      type: "image",
      price: { outputPerMillion: 30_000_000_000n },
    });
    expect(model("openai", "gpt-4o-mini-tts")).toMatchObject({
      type: "audio",
      capabilities: ["speech"],
      price: { inputPerMillion: 600_000_000n, outputPerMillion: 0n, perSecond: 250_000n },
    });
    expect(model("openai", "gpt-4o-mini-tts")?.description).toContain("reads text aloud");
  });

  it("are OpenAI's at OpenAI's price on Azure, and Claude in its own format on Vertex AI", () => {
    expect(model("azure", "gpt-4o")?.price).toEqual(model("openai", "gpt-4o")?.price);
    expect(model("vertex", "claude-sonnet-4-5")).toMatchObject({
      wire: "anthropic",
      upstreamModel: "claude-sonnet-4-5@20250929",
    });
    expect(model("vertex", "gemini-2.5-flash")?.wire).toBeUndefined();
  });

  it("are called by their full names where the provider requires it", () => {
    expect(knownModelsOf("fireworks")[0]?.upstreamModel).toMatch(/^accounts\/fireworks\/models\//);
  });

  it("do not exist for an unknown provider", () => {
    expect(knownModelsOf("nobody")).toEqual([]);
  });
});
