import type { Model } from "@trunkline/core/model.ts";
import { sampleQuote } from "@trunkline/testing/samples.ts";
import { makeInference, makeModel, NO_PARAMETERS } from "@trunkline/testing/throwaway-call.ts";
import { describe, expect, it } from "vitest";
import { capMaxTokens, clampCacheTtl } from "./request-limits.ts";

describe("capMaxTokens", () => {
  const FOUND: Partial<Model> = { discovered: true, maxOutputTokens: undefined };
  const limitOf = (model: Partial<Model>, maxTokens?: number) =>
    capMaxTokens(
      makeInference({ parameters: { ...NO_PARAMETERS, maxTokens } }),
      makeModel({ ...FOUND, ...model }),
      sampleQuote(1n),
    ).parameters.maxTokens;

  it("asks a discovered model for no more than the hold covers", () => {
    expect(limitOf({})).toBe(sampleQuote(1n).maxOutputTokens);
  });

  it.each<[string, Partial<Model>, number | undefined]>([
    ["the client sets one", {}, 7],
    ["the model has one", { maxOutputTokens: 50 }, undefined],
    ["it was registered by an account", { discovered: false }, undefined],
    ["the account pays the provider itself", { ownKey: true }, undefined],
    ["it makes no text", { type: "image" }, undefined],
  ])("sets no limit if %s", (_, model, maxTokens) => {
    expect(limitOf(model, maxTokens)).toBe(maxTokens);
  });
});

describe("clampCacheTtl", () => {
  const HOUR = { ttl: "1h" } as const;
  const MINUTES = { ttl: "5m" } as const;
  const FOUND: Partial<Model> = { discovered: true };

  const asked = makeInference({
    conversation: {
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "Long.", cache: HOUR },
            { type: "thinking", text: "Hm." },
            { type: "text", text: "Short.", cache: MINUTES },
          ],
        },
      ],
      tools: [{ name: "look", description: "", inputSchema: {}, cache: HOUR }],
    },
    extras: {
      wire: "anthropic",
      fields: { service_tier: "auto", cache_control: { type: "ephemeral", ttl: "1h" } },
    },
  });

  function ask(model: Partial<Model>, inference = asked) {
    const unsupported: string[] = [];
    return { clamped: clampCacheTtl(inference, makeModel(model), (field) => unsupported.push(field)), unsupported };
  }

  describe("a cache lifetime of an hour", () => {
    it("becomes the default of minutes if only its price is known, and is reported once", () => {
      const { clamped, unsupported } = ask(FOUND);
      expect(JSON.stringify(clamped)).not.toContain("1h");
      expect(clamped.conversation.messages[0]?.content.map((piece) => "cache" in piece && piece.cache)).toEqual([
        { ttl: undefined },
        false,
        MINUTES,
      ]);
      expect(clamped.conversation.tools[0]?.cache).toEqual({ ttl: undefined });
      expect(clamped.extras?.fields).toEqual({ service_tier: "auto", cache_control: { type: "ephemeral" } });
      expect(unsupported).toEqual(["cache_control.ttl"]);
    });

    it("stays if the account pays the provider itself, or the price was set with the model", () => {
      for (const model of [{ ...FOUND, ownKey: true }, {}])
        expect(ask(model)).toEqual({ clamped: asked, unsupported: [] });
    });

    it("does not change a request without one", () => {
      const plain = makeInference();
      expect(ask(FOUND, plain)).toEqual({ clamped: plain, unsupported: [] });
    });
  });
});
