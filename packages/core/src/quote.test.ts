import { anyPrice } from "@trunkline/testing/any-price.ts";
import { SILENT, sampleInference, sampleModel } from "@trunkline/testing/samples.ts";
import { candidateCalled } from "@trunkline/testing/scripted-call.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { conversationOf } from "./conversation.ts";
import { countTokens } from "./count-tokens.ts";
import type { Parameters } from "./inference.ts";
import type { Model } from "./model.ts";
import { priceOf } from "./price.ts";
import { createQuoter, createRequoter, estimateAttachmentTokens } from "./quote.ts";
import type { Candidate, Quote } from "./route.ts";

describe("quotes", () => {
  const PRICE = {
    version: "1",
    inputPerMillion: 1_000_000n,
    cachedInputPerMillion: undefined,
    cacheWritePerMillion: undefined,
    outputPerMillion: 2_000_000n,
    perImage: 50n,
    perRequest: 3n,
    perSecond: 0n,
  };

  function quote(model: Partial<Model>, parameters: Partial<Parameters> = {}, input = "one two three four"): Quote {
    const sample = sampleInference({ conversation: conversationOf(input) });
    const quoted = createQuoter({ ...sample, parameters: { ...sample.parameters, ...parameters } })(
      sampleModel("acme/x", { price: PRICE, ...model }),
    );
    if (quoted === undefined) throw new Error("Nothing was quoted.");
    return quoted;
  }

  describe("createQuoter", () => {
    it("counts the input and assumes the longest answer that the client allows", () => {
      expect(quote({}, { maxTokens: 1_000 })).toEqual({
        price: PRICE,
        inputTokens: 4,
        attachedTokens: 0,
        maxOutputTokens: 1_000,
        usualOutputTokens: 256,
        audio: SILENT,
        estimate: 4n + 2n * 256n + 3n,
        worst: 4n + 2n * 1_000n + 3n,
      });
    });

    it("uses the model's limit where the client sets none, and 4,096 tokens where neither does", () => {
      expect(quote({ maxOutputTokens: 50 })).toMatchObject({ maxOutputTokens: 50, worst: 4n + 100n + 3n });
      expect(quote({})).toMatchObject({ maxOutputTokens: 4_096 });
    });

    it("prefers the client's limit to the model's", () => {
      expect(quote({ maxOutputTokens: 500 }, { maxTokens: 10 })).toMatchObject({ maxOutputTokens: 10 });
    });

    it("assumes one image and no text for an image model", () => {
      expect(quote({ type: "image" })).toMatchObject({ maxOutputTokens: 0, estimate: 57n, worst: 57n });
      expect(quote({ type: "audio" })).toMatchObject({ maxOutputTokens: 0, worst: 7n });
      expect(quote({ type: "embedding" })).toMatchObject({ maxOutputTokens: 0, worst: 7n });
    });

    it("assumes all requested images", () => {
      expect(quote({ type: "image" }, { choices: 3 })).toMatchObject({ estimate: 157n, worst: 157n });
    });

    it("counts all text of a conversation, including tool calls and results", () => {
      const conversation = {
        messages: [
          { role: "system", content: [{ type: "text", text: "one two" }] },
          {
            role: "assistant",
            content: [{ type: "tool-call", id: "1", name: "look", arguments: "three" }],
          },
          { role: "tool", content: [{ type: "tool-result", id: "1", text: "four five" }] },
        ],
        tools: [],
      } as const;
      const quoted = createQuoter(sampleInference({ conversation }))(sampleModel("acme/x"));
      expect(quoted?.inputTokens).toBe(countTokens("one two\nthree\nfour five"));
    });

    it("counts tool definitions and the answer's schema", () => {
      const inputSchema = { type: "object", properties: { city: { type: "string" } } };
      const tool = { name: "weather", description: "Tells the weather of a city.", inputSchema };
      const answerForm = { type: "schema", name: "forecast", schema: inputSchema } as const;
      const plain = conversationOf("one two");
      const tokensOf = (conversation: typeof plain) =>
        createQuoter(sampleInference({ conversation }))(sampleModel("acme/x"))?.inputTokens;
      expect(tokensOf({ ...plain, tools: [tool] })).toBe(countTokens(`one two\n${JSON.stringify(tool)}`));
      expect(tokensOf({ ...plain, answerForm })).toBe(countTokens(`one two\n${JSON.stringify(answerForm)}`));
    });

    it("assumes as many answers as requested", () => {
      expect(quote({}, { maxTokens: 1_000, choices: 3 })).toMatchObject({
        maxOutputTokens: 1_000,
        estimate: 4n + 3n * 2n * 256n + 3n,
        worst: 4n + 3n * 2n * 1_000n + 3n,
      });
    });

    it("estimates by the model's usual length, in whole tokens and never above the limit", () => {
      const model = sampleModel("acme/x", { price: PRICE });
      const usual = (tokens: number | undefined, maxTokens?: number) => {
        const { parameters, ...rest } = sampleInference({
          conversation: conversationOf("one two three four"),
        });
        return createQuoter({ ...rest, parameters: { ...parameters, maxTokens } }, () => tokens)(model);
      };
      expect(usual(700.4)).toMatchObject({ usualOutputTokens: 700, estimate: 4n + 1_400n + 3n });
      expect(usual(700, 50)).toMatchObject({ usualOutputTokens: 50, estimate: 4n + 100n + 3n });
      expect(usual(0.2)).toMatchObject({ usualOutputTokens: 1 });
      expect(usual(undefined)).toMatchObject({ usualOutputTokens: 256 });
      expect(usual(700)?.worst).toBe(usual(undefined)?.worst);
    });

    it("gives no quote where the price is unknown", () => {
      expect(createQuoter(sampleInference())({ ...sampleModel("acme/x"), price: undefined })).toBeUndefined();
    });

    it("assumes no cache, unless cached input costs more: then all input may be cached", () => {
      const priced = (cachedInputPerMillion: bigint | undefined) => ({
        price: { ...PRICE, cachedInputPerMillion },
        maxOutputTokens: 50,
      });
      for (const cheap of [undefined, 0n, 999_999n, 1_000_000n])
        expect(quote(priced(cheap))).toMatchObject({ estimate: 107n, worst: 107n });
      expect(quote(priced(5_000_000n))).toMatchObject({ estimate: 107n, worst: 4n * 5n + 103n });
    });

    it.each<[string, bigint | undefined, bigint | undefined, bigint]>([
      ["into a cache, where that costs more", 100_000n, 2_000_000n, 8n],
      ["into a cache, where that costs most", 2_000_000n, 3_000_000n, 12n],
      ["out of a cache, where that costs most", 3_000_000n, 2_000_000n, 12n],
      ["uncached, where caches cost no more", 1_000_000n, 1_000_000n, 4n],
      ["uncached, where caches have no price", undefined, undefined, 4n],
    ])("assumes that all of the input goes %s", (_where, cached, written, input) => {
      const price = { ...PRICE, cachedInputPerMillion: cached, cacheWritePerMillion: written };
      expect(quote({ price, maxOutputTokens: 50 })).toMatchObject({ estimate: 107n, worst: input + 103n });
    });

    it("assumes slow speech of the input, and a pause, where seconds have a price", () => {
      const price = { ...PRICE, inputPerMillion: 0n, perRequest: 0n, perSecond: 1_000n };
      // Fifteen letters and three spaces at 65 ms.
      const spokenMs = 18 * 65;
      expect(quote({ type: "audio", price })).toMatchObject({
        audio: { ...SILENT, spokenMs, maxSpokenMs: 3 * spokenMs + 10_000 },
        estimate: BigInt(spokenMs),
        worst: BigInt(3 * spokenMs + 10_000),
      });
      expect(quote({ type: "text", price, maxOutputTokens: 1 })).toMatchObject({ audio: SILENT, worst: 2n });
    });

    it("covers every answer within its limit", () => {
      const share = fc.double({ min: 0, max: 1, noNaN: true });
      fc.assert(
        fc.property(
          anyPrice,
          fc.constantFrom("text", "audio", "image"),
          fc.integer({ min: 1, max: 10_000 }),
          fc.tuple(share, share, share, share),
          fc.string(),
          (price, type, maxTokens, [cached, written, output, audioShare], input) => {
            const { inputTokens, worst, estimate, audio } = quote({ price, type }, { maxTokens }, input);
            const cachedInputTokens = Math.floor(inputTokens * cached);
            const cost = priceOf(price, {
              inputTokens,
              cachedInputTokens,
              cacheWriteTokens: Math.floor((inputTokens - cachedInputTokens) * written),
              outputTokens: Math.floor(maxTokens * output),
              images: type === "image" ? 1 : 0,
              audioMs: Math.floor(audio.maxSpokenMs * audioShare),
            });
            expect(worst).toBeGreaterThanOrEqual(cost);
            expect(worst).toBeGreaterThanOrEqual(estimate);
          },
        ),
      );
    });
  });
});

describe("longer requests", () => {
  const candidateOf = (model: Model): Candidate => ({ ...candidateCalled("a"), model });
  const short = sampleInference({ conversation: conversationOf("Tell me a story.") });
  const long = sampleInference({ conversation: conversationOf("Tell me a story. ".repeat(50)) });

  describe("createRequoter", () => {
    it("quotes the whole longer request, each request separately", () => {
      const requote = createRequoter();
      const model = sampleModel("acme/a");
      for (const inference of [long, short, long])
        expect(requote(candidateOf(model), inference)?.quote).toEqual(createQuoter(inference)(model));
    });

    it("gives no candidate where the request exceeds the context window", () => {
      const requote = createRequoter();
      const narrow = candidateOf(sampleModel("acme/a", { contextWindow: 50 }));
      expect(requote(narrow, short)).toBeDefined();
      expect(requote(narrow, long)).toBeUndefined();
    });

    it("gives no candidate where the price is unknown", () => {
      const { price: _, ...unpriced } = sampleModel("acme/a");
      expect(createRequoter()(candidateOf({ ...unpriced, price: undefined }), short)).toBeUndefined();
    });
  });
});

describe("attachments", () => {
  const attach = (kind: "image" | "audio" | "file", url: string) => ({ type: "attachment", kind, url }) as const;

  it("estimates tokens for images and files, and none for audio, which is charged by the second", () => {
    const page = `data:application/pdf;base64,${"A".repeat(4_000)}`;
    const book = `data:application/pdf;base64,${"A".repeat(400_000)}`;
    const of = (...attachments: ReturnType<typeof attach>[]) =>
      estimateAttachmentTokens(conversationOf("?", attachments));
    expect(of()).toBe(0);
    expect(of(attach("image", "https://example.test/a.png"), attach("image", "data:image/png;base64,AA"))).toBe(4_000);
    expect(of(attach("audio", "https://example.test/a.wav"))).toBe(0);
    expect(of(attach("file", page))).toBe(3_000);
    expect(of(attach("file", book))).toBe(37_500);
    expect(of(attach("file", "https://example.test/a.pdf"))).toBe(20_000);
  });
});
