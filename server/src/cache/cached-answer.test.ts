import { describe, expect, it } from "vitest";
import { type CachedAnswer, MemoryCache } from "./cached-answer.ts";

const EXACT = Buffer.from("one");
const OTHER = Buffer.from("two");
const cachedAnswer = (model: string, expiresAt = 1_000): CachedAnswer => ({
  requestId: model,
  model,
  parts: [],
  usage: { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
  madeAt: new Date(0),
  expiresAt: new Date(expiresAt),
});

describe("MemoryCache", () => {
  it("returns unexpired answers, only to their own account", () => {
    const memoryCache = new MemoryCache(100);
    memoryCache.put("a", EXACT, cachedAnswer("m"), 10);
    expect(memoryCache.get("a", EXACT, 999)?.model).toBe("m");
    expect(memoryCache.get("b", EXACT, 0)).toBeUndefined();
    expect(memoryCache.get("a", OTHER, 0)).toBeUndefined();
    expect(memoryCache.get("a", EXACT, 1_000)).toBeUndefined();
  });

  it("evicts the least recently used answer when it is full", () => {
    const memoryCache = new MemoryCache(20);
    memoryCache.put("a", EXACT, cachedAnswer("first"), 10);
    memoryCache.put("a", OTHER, cachedAnswer("second"), 10);
    memoryCache.get("a", EXACT, 0);
    memoryCache.put("a", Buffer.from("three"), cachedAnswer("third"), 10);
    expect(memoryCache.get("a", EXACT, 0)?.model).toBe("first");
    expect(memoryCache.get("a", OTHER, 0)).toBeUndefined();
  });

  it("counts a replaced answer once, and stores none larger than itself", () => {
    const memoryCache = new MemoryCache(20);
    for (let time = 0; time < 5; time++) memoryCache.put("a", EXACT, cachedAnswer("again"), 10);
    memoryCache.put("a", OTHER, cachedAnswer("beside"), 10);
    expect(memoryCache.get("a", EXACT, 0)?.model).toBe("again");
    memoryCache.put("b", EXACT, cachedAnswer("huge"), 21);
    expect(memoryCache.get("b", EXACT, 0)).toBeUndefined();
  });

  it("evicts an account, or all", () => {
    const memoryCache = new MemoryCache(100);
    memoryCache.put("a", EXACT, cachedAnswer("m"), 10);
    memoryCache.put("b", EXACT, cachedAnswer("n"), 10);
    memoryCache.evict("a");
    expect(memoryCache.get("a", EXACT, 0)).toBeUndefined();
    expect(memoryCache.get("b", EXACT, 0)?.model).toBe("n");
    memoryCache.evict();
    expect(memoryCache.get("b", EXACT, 0)).toBeUndefined();
  });
});
