import { describe, expect, it } from "vitest";
import { type Conversation, newConversation } from "./conversation.ts";
import { History } from "./history.ts";

function memoryStore(limit = Number.POSITIVE_INFINITY): Storage {
  const kept = new Map<string, string>();
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => {
      if (value.length > limit) throw new DOMException("Full", "QuotaExceededError");
      kept.set(key, value);
    },
    removeItem: (key) => kept.delete(key),
    key: (place) => [...kept.keys()][place] ?? null,
    clear: () => kept.clear(),
    get length() {
      return kept.size;
    },
  };
}

const saying = (text: string, at: number): Conversation => ({
  ...newConversation(),
  at,
  turns: [{ id: "1", text, files: [], replies: { first: [{ status: "running", text: "", calls: [] }] } }],
});

describe("the history", () => {
  it("lists what was saved, the newest first, and gives it back", () => {
    const history = new History("ada", "shop", memoryStore);
    expect(history.list()).toEqual([]);
    const store = memoryStore();
    const kept = new History("ada", "shop", () => store);
    const [older, newer] = [saying("Older\n words", 1), saying("Newer", 2)];
    kept.save(older);
    kept.save(newer);
    kept.save({ ...older, at: 1 });
    expect(kept.list().map(({ title }) => title)).toEqual(["Newer", "Older words"]);
    expect(kept.find(older.id)?.turns[0]).toMatchObject({
      text: "Older\n words",
      replies: { first: [{ status: "stopped" }] },
    });
    kept.delete(older.id);
    expect(kept.list()).toHaveLength(1);
    kept.deleteAll();
    expect(kept.list()).toEqual([]);
  });

  it("is each person's own in each organisation", () => {
    const store = memoryStore();
    new History("ada", "shop", () => store).save(saying("Secret", 1));
    expect(new History("ada", "bank", () => store).list()).toEqual([]);
    expect(new History("bob", "shop", () => store).list()).toEqual([]);
    new History("bob", "shop", () => store).deleteAll();
    expect(new History("ada", "shop", () => store).list()).toHaveLength(1);
  });

  it("drops the oldest where there are too many or too much", () => {
    const store = memoryStore();
    const history = new History("ada", "shop", () => store);
    for (let at = 1; at <= 60; at++) history.save(saying(`Message ${at}`, at));
    expect(history.list()).toHaveLength(50);
    expect(history.list().at(-1)?.title).toBe("Message 11");
    for (let at = 61; at <= 66; at++) history.save(saying(`${at} ${"long ".repeat(100_000)}`, at));
    expect(history.list().length).toBeLessThanOrEqual(2);
    expect(history.list()[0]?.title).toMatch(/^66 /);
  });

  it("keeps no content of files and no large images", () => {
    const store = memoryStore();
    const history = new History("ada", "shop", () => store);
    const url = `data:image/png;base64,${"A".repeat(200_000)}`;
    const files = [{ id: "f", type: "image" as const, name: "cat.png", bytes: 3, url }];
    const replies = { first: [{ status: "done" as const, text: "", calls: [], mediaUrl: url }] };
    const conversation = { ...newConversation(), turns: [{ id: "1", text: "Hi", files, replies }] };
    history.save(conversation);
    expect(history.find(conversation.id)?.turns[0]?.files).toMatchObject([{ name: "cat.png" }]);
    expect(store.getItem(store.key(0) ?? "")).not.toContain("AAAA");
  });

  it("is empty where storage is forbidden, full or holds something else", () => {
    const forbidden = new History("ada", "shop", () => {
      throw new DOMException("No", "SecurityError");
    });
    forbidden.save(saying("Hi", 1));
    expect(forbidden.list()).toEqual([]);
    const full = memoryStore(10);
    const history = new History("ada", "shop", () => full);
    history.save(saying("Hi", 1));
    expect(history.list()).toEqual([]);
    full.setItem("playground:shop:ada:x", "[1]");
    expect(history.list()).toEqual([]);
  });
});
