import type { Model } from "@trunkline/core/model.ts";
import { makeInference, makeModel } from "@trunkline/testing/throwaway-call.ts";
import { describe, expect, it } from "vitest";
import { clampCacheTtl } from "./shorten-caches.ts";

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
    for (const model of [{ ...FOUND, ownKey: true }, {}])
      expect(ask(model)).toEqual({ told: asked, dropped: [] });
  });

  it("is nothing that a request without one hears of", () => {
    const plain = makeInference();
    expect(ask(FOUND, plain)).toEqual({ told: plain, dropped: [] });
  });
});
