import { isId } from "@trunkline/core/id.ts";
import { FREE_PRICE } from "@trunkline/core/model.ts";
import { describe, expect, it } from "vitest";
import { loadBuiltins } from "./load-builtins.ts";

const models = (await loadBuiltins([])).map(({ model }) => model);

describe("the built-in models", () => {
  it("are five, with the voice if its package is installed", () => {
    expect(models.map(({ name, type }) => `${name} ${type}`)).toEqual([
      "guide text",
      "summary text",
      "sketch image",
      "embed embedding",
      "voice audio",
    ]);
  });

  it("cost nothing and call no network", () => {
    for (const { price, authType, mayDialPrivate, wire, endpoint, name } of models) {
      expect(price).toEqual({ version: "builtin", ...FREE_PRICE });
      expect(Object.values(FREE_PRICE).filter((place) => place !== 0n && place !== undefined)).toEqual([]);
      expect({ authType, mayDialPrivate, wire, endpoint }).toEqual({
        authType: "none",
        mayDialPrivate: false,
        wire: "builtin",
        endpoint: `builtin:${name}`,
      });
    }
  });

  it("have unique ids that are the same at every start", async () => {
    const again = (await loadBuiltins([])).map(({ model }) => model.id);
    expect(models.map(({ id }) => id)).toEqual(again);
    expect(new Set(again).size).toBe(5);
    expect(again.every(isId)).toBe(true);
  });

  it("claim a low quality, and stream if they answer with text", () => {
    for (const { accuracyScore, streaming, type } of models) {
      expect(accuracyScore).toBeLessThanOrEqual(0.3);
      expect(streaming).toBe(type === "text");
    }
  });
});
