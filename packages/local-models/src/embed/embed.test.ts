import { conversationOfTexts } from "@trunkline/core/conversation.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { partsOf } from "@trunkline/testing/builtin-inference.ts";
import { sampleInference } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { createEmbed } from "./embed.ts";

const embed = createEmbed();

const asking = (texts: readonly string[], dimensions?: number): Inference =>
  sampleInference({
    conversation: conversationOfTexts(texts),
    parameters: { ...sampleInference().parameters, dimensions },
  });

const vectorsOf = async (texts: readonly string[], dimensions?: number) =>
  (await partsOf(embed, asking(texts, dimensions))).flatMap((part) => (part.type === "embedding" ? [part.vector] : []));

const product = (one: readonly number[] = [], other: readonly number[] = []) =>
  one.reduce((sum, value, place) => sum + value * (other[place] ?? 0), 0);

describe("builtin/embed", () => {
  it("makes one vector of each text, in order, then the usage", async () => {
    const parts = await partsOf(embed, asking(["One text.", "Another text."]));
    expect(parts.map((part) => (part.type === "embedding" ? part.index : part.type))).toEqual([
      0,
      1,
      "usage",
      "finish",
    ]);
    expect(parts.at(-2)).toEqual({ type: "usage", inputTokens: 3 + 4, outputTokens: 0 });
  });

  it("gives similar texts similar vectors", async () => {
    const [question, near, far] = await vectorsOf([
      "Where is my order? It should have come on Monday.",
      "My order should have come on Monday, where is it?",
      "Please cancel the newsletter.",
    ]);
    expect(product(question, near)).toBeGreaterThan(0.7);
    expect(product(question, far)).toBeLessThan(0.25);
  });

  it("has 256 dimensions, or the requested number", async () => {
    expect((await vectorsOf(["Hello"]))[0]).toHaveLength(256);
    expect((await vectorsOf(["Hello"], 1_024))[0]).toHaveLength(1_024);
    await expect(vectorsOf(["Hello"], 1_025)).rejects.toThrow("at most 1,024 dimensions");
  });

  it("refuses a text that is too long, and says by how much", async () => {
    await expect(vectorsOf(["short", "x".repeat(32_769)])).rejects.toThrow("this one has 32,769");
  });

  it("stops when aborted", async () => {
    const stopped = AbortSignal.abort(new Error("enough"));
    await expect(partsOf(embed, asking(["Hello"]), stopped)).rejects.toThrow("enough");
  });
});
