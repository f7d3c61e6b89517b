import { describe, expect, it } from "vitest";
import { type CachedAnswer, MemoryCache } from "./cached-answer.ts";

const EXACT = Buffer.from("one");
const OTHER = Buffer.from("two");
const kept = (model: string, expiresAt = 1_000): CachedAnswer => ({
  requestId: model,
  model,
  parts: [],
  usage: { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
  madeAt: new Date(0),
  expiresAt: new Date(expiresAt),
});

describe("the shelf in memory", () => {
  it("gives out what is not over yet, to its own account alone", () => {
    const shelf = new MemoryCache(100);
    shelf.put("a", EXACT, kept("m"), 10);
    expect(shelf.get("a", EXACT, 999)?.model).toBe("m");
    expect(shelf.get("b", EXACT, 0)).toBeUndefined();
    expect(shelf.get("a", OTHER, 0)).toBeUndefined();
    expect(shelf.get("a", EXACT, 1_000)).toBeUndefined();
  });

  it("drops what was asked for longest ago when it is full", () => {
    const shelf = new MemoryCache(20);
    shelf.put("a", EXACT, kept("first"), 10);
    shelf.put("a", OTHER, kept("second"), 10);
    shelf.get("a", EXACT, 0);
    shelf.put("a", Buffer.from("three"), kept("third"), 10);
    expect(shelf.get("a", EXACT, 0)?.model).toBe("first");
    expect(shelf.get("a", OTHER, 0)).toBeUndefined();
  });

  it("counts what takes another's place once, and keeps nothing larger than itself", () => {
    const shelf = new MemoryCache(20);
    for (let time = 0; time < 5; time++) shelf.put("a", EXACT, kept("again"), 10);
    shelf.put("a", OTHER, kept("beside"), 10);
    expect(shelf.get("a", EXACT, 0)?.model).toBe("again");
    shelf.put("b", EXACT, kept("huge"), 21);
    expect(shelf.get("b", EXACT, 0)).toBeUndefined();
  });

  it("forgets an account, or all", () => {
    const shelf = new MemoryCache(100);
    shelf.put("a", EXACT, kept("m"), 10);
    shelf.put("b", EXACT, kept("n"), 10);
    shelf.evict("a");
    expect(shelf.get("a", EXACT, 0)).toBeUndefined();
    expect(shelf.get("b", EXACT, 0)?.model).toBe("n");
    shelf.evict();
    expect(shelf.get("b", EXACT, 0)).toBeUndefined();
  });
});
