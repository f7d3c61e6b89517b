import type { Model } from "@trunkline/core/model.ts";
import { sampleQuote } from "@trunkline/testing/samples.ts";
import { makeInference, makeModel, NO_PARAMETERS } from "@trunkline/testing/throwaway-call.ts";
import { describe, expect, it } from "vitest";
import { capMaxTokens, clampCacheTtl } from "./request-limits.ts";

describe("within-hold", () => {
  const FOUND: Partial<Model> = { discovered: true, maxOutputTokens: undefined };
  const limitOf = (model: Partial<Model>, maxTokens?: number) =>
    capMaxTokens(
      makeInference({ parameters: { ...NO_PARAMETERS, maxTokens } }),
      makeModel({ ...FOUND, ...model }),
      sampleQuote(1n),
    ).parameters.maxTokens;

  it("a known provider is asked for no more than was set aside", () => {
    expect(limitOf({})).toBe(sampleQuote(1n).maxOutputTokens);
  });

  it.each<[string, Partial<Model>, number | undefined]>([
    ["the client sets one", {}, 7],
    ["the model has one", { maxOutputTokens: 50 }, undefined],
    ["it was registered by somebody", { discovered: false }, undefined],
    ["the account pays the provider itself", { ownKey: true }, undefined],
    ["it makes no words", { type: "image" }, undefined],
  ])("no limit is put in where %s", (_, model, maxTokens) => {
    expect(limitOf(model, maxTokens)).toBe(maxTokens);
  });
});

describe("shorten-caches", () => {
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
    const dropped: string[] = [];
    return { told: clampCacheTtl(inference, makeModel(model), (field) => dropped.push(field)), dropped };
  }

  describe("a cache that is kept for an hour", () => {
    it("is kept for minutes where only their price is known, and that is said once", () => {
      const { told, dropped } = ask(FOUND);
      expect(JSON.stringify(told)).not.toContain("1h");
      expect(told.conversation.messages[0]?.content.map((piece) => "cache" in piece && piece.cache)).toEqual([
        { ttl: undefined },
        false,
        MINUTES,
      ]);
      expect(told.conversation.tools[0]?.cache).toEqual({ ttl: undefined });
      expect(told.extras?.fields).toEqual({ service_tier: "auto", cache_control: { type: "ephemeral" } });
      expect(dropped).toEqual(["cache_control.ttl"]);
    });

    it("is the client's to ask for where it pays the provider itself, or the price is the operator's word", () => {
      for (const model of [{ ...FOUND, ownKey: true }, {}]) expect(ask(model)).toEqual({ told: asked, dropped: [] });
    });

    it("is nothing that a request without one hears of", () => {
      const plain = makeInference();
      expect(ask(FOUND, plain)).toEqual({ told: plain, dropped: [] });
    });
  });
});
