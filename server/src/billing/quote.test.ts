import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sampleInference, sampleModel } from "../../test/samples.ts";
import { conversationOf } from "../domain/conversation.ts";
import type { Parameters } from "../domain/inference.ts";
import type { Model } from "../domain/model.ts";
import { countTokens } from "./count-tokens.ts";
import { priceOf } from "./price.ts";
import { quoter } from "./quote.ts";

const PRICE = {
  version: "1",
  inputPerMillion: 1_000_000n,
  outputPerMillion: 2_000_000n,
  perImage: 50n,
  perRequest: 3n,
};

function quote(model: Partial<Model>, parameters: Partial<Parameters> = {}, input = "one two three four") {
  const sample = sampleInference({ conversation: conversationOf(input) });
  return quoter({ ...sample, parameters: { ...sample.parameters, ...parameters } })(
    sampleModel("acme/x", { price: PRICE, ...model }),
  );
}

describe("a quote", () => {
  it("counts the input and reckons with the longest answer that the client allows", () => {
    expect(quote({}, { maxTokens: 1_000 })).toEqual({
      inputTokens: 4,
      maxOutputTokens: 1_000,
      estimate: 4n + 2n * 256n + 3n,
      worst: 4n + 2n * 1_000n + 3n,
    });
  });

  it("reckons with the model's own limit where the client sets none, and with 4,096 tokens where nobody does", () => {
    expect(quote({ maxOutputTokens: 50 })).toMatchObject({ maxOutputTokens: 50, worst: 4n + 100n + 3n });
    expect(quote({})).toMatchObject({ maxOutputTokens: 4_096 });
  });

  it("puts the client's limit above the model's", () => {
    expect(quote({ maxOutputTokens: 500 }, { maxTokens: 10 })).toMatchObject({ maxOutputTokens: 10 });
  });

  it("reckons with one picture for an image model, and with no words", () => {
    expect(quote({ type: "image" })).toMatchObject({ maxOutputTokens: 0, estimate: 57n, worst: 57n });
    expect(quote({ type: "audio" })).toMatchObject({ maxOutputTokens: 0, worst: 7n });
  });

  it("counts every word of a conversation, also what a tool was told and said", () => {
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
      outputSchema: undefined,
    } as const;
    const { inputTokens } = quoter(sampleInference({ conversation }))(sampleModel("acme/x"));
    expect(inputTokens).toBe(countTokens("one two\nthree\nfour five"));
  });

  it("covers every answer that stays within its limit", () => {
    const anyPrice = fc.record({
      version: fc.constant("1"),
      inputPerMillion: fc.bigInt({ min: 0n, max: 10n ** 12n }),
      outputPerMillion: fc.bigInt({ min: 0n, max: 10n ** 12n }),
      perImage: fc.bigInt({ min: 0n, max: 10n ** 9n }),
      perRequest: fc.bigInt({ min: 0n, max: 10n ** 9n }),
    });
    fc.assert(
      fc.property(
        anyPrice,
        fc.integer({ min: 1, max: 10_000 }),
        fc.nat(10_000),
        fc.string(),
        (price, maxTokens, tokens, input) => {
          const { inputTokens, worst, estimate } = quote({ price }, { maxTokens }, input);
          const cost = priceOf(price, { inputTokens, outputTokens: Math.min(tokens, maxTokens), images: 0 });
          expect(worst).toBeGreaterThanOrEqual(cost);
          expect(worst).toBeGreaterThanOrEqual(estimate);
        },
      ),
    );
  });
});
