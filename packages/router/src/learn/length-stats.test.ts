import { describe, expect, it } from "vitest";
import { LengthQuota, LengthStats } from "./length-stats.ts";

describe("LengthStats", () => {
  const MODEL = "acme/one";

  function bookOf(tokens: readonly number[], task = "code", domain = "python", isCutOff = false): LengthStats {
    const book = new LengthStats();
    for (const count of tokens) book.record(MODEL, task, domain, count, isCutOff);
    return book;
  }

  describe("the usual length", () => {
    it("is unknown before three answers", () => {
      expect(bookOf([100, 100]).forWork("code", "python")(MODEL)).toBeUndefined();
      expect(bookOf([100, 100, 100]).forWork("code", "python")(MODEL)).toBe(100);
    });

    it("is that of the domain where it is known, else that of the task, and unknown for other tasks", () => {
      const book = bookOf([100, 100, 100]);
      expect(book.forWork("code", "python")(MODEL)).toBe(100);
      expect(book.forWork("code", "rust")(MODEL)).toBe(100);
      expect(book.forWork("analysis", "law")(MODEL)).toBeUndefined();
    });

    it("is the same for a model without answers, so that it looks neither expensive nor cheap", () => {
      expect(bookOf([3, 3, 3]).forWork("code", "python")("acme/other")).toBe(3);
    });

    it("approaches the model's own with every answer", () => {
      const book = bookOf(Array<number>(40).fill(400));
      for (let count = 0; count < 40; count++) book.record("acme/terse", "code", "python", 100, false);
      expect(book.forWork("code", "python")(MODEL)).toBeGreaterThan(350);
      expect(book.forWork("code", "python")("acme/terse")).toBeLessThan(130);
      const between = book.forWork("code", "python")("acme/other") ?? 0;
      expect(between).toBeGreaterThan(150);
      expect(between).toBeLessThan(300);
    });

    it("hardly changes by one extreme answer", () => {
      const expected = bookOf([...Array<number>(20).fill(100), 1_000_000]).forWork("code", "python")(MODEL);
      expect(expected).toBeLessThan(110);
    });

    it("follows when answers become longer permanently", () => {
      const tokens = [...Array<number>(50).fill(100), ...Array<number>(400).fill(800)];
      expect(bookOf(tokens).forWork("code", "python")(MODEL)).toBeGreaterThan(400);
    });

    it("is at least the length of a truncated answer", () => {
      const book = bookOf([1_000, 1_000, 1_000]);
      for (let count = 0; count < 50; count++) book.record(MODEL, "code", "python", 16, true);
      expect(book.forWork("code", "python")(MODEL)).toBe(1_000);
      for (let count = 0; count < 50; count++) book.record(MODEL, "code", "python", 3_000, true);
      expect(book.forWork("code", "python")(MODEL)).toBeGreaterThan(2_000);
    });

    it("stays between a quarter and four times the usual length of the work", () => {
      const book = bookOf(Array<number>(900).fill(400));
      for (let count = 0; count < 60; count++) {
        book.record("acme/mute", "code", "python", 1, false);
        book.record("acme/windbag", "code", "python", 90_000, false);
      }
      const usual = book.forWork("code", "python")("acme/other") ?? 0;
      expect(book.forWork("code", "python")("acme/mute")).toBeCloseTo(usual / 4, -1);
      expect(book.forWork("code", "python")("acme/windbag")).toBeCloseTo(usual * 4, -1);
    });

    it("is stored as sums and restored unchanged", () => {
      const book = bookOf([200, 200, 200, 200]);
      const { changes } = book.takePending();
      expect(changes.map(({ task, domain }) => [task, domain])).toEqual([
        ["code", "python"],
        ["code", ""],
        ["code", "python"],
        ["code", ""],
      ]);
      const read = new LengthStats();
      read.load(changes);
      expect(read.forWork("code", "python")(MODEL)).toBe(200);
      expect(book.takePending().changes).toEqual([]);
    });
  });
});

describe("LengthQuota", () => {
  const KEY = { model: "acme/one", task: "chat", domain: "law" };

  function countedOf(quota: LengthQuota, accountId: string, nowMs: number, domain = "law"): number {
    return Array.from({ length: 100 }, () => quota.take(accountId, KEY.model, KEY.task, domain, nowMs)).filter(Boolean)
      .length;
  }

  describe("the quota of an account", () => {
    it("is twenty answers an hour for each kind of work, independent of other accounts", () => {
      const quota = new LengthQuota();
      expect(countedOf(quota, "a", 0)).toBe(20);
      expect(countedOf(quota, "b", 1)).toBe(20);
      expect(countedOf(quota, "a", 2, "code")).toBe(20);
      expect(countedOf(quota, "a", 3_599_999)).toBe(0);
      expect(countedOf(quota, "a", 3_600_000)).toBe(20);
    });

    it("is kept for a bounded number of accounts", () => {
      const quota = new LengthQuota(2);
      for (const accountId of ["a", "b"]) expect(quota.take(accountId, KEY.model, KEY.task, KEY.domain, 0)).toBe(true);
      expect(quota.take("c", KEY.model, KEY.task, KEY.domain, 0)).toBe(false);
      expect(quota.take("a", KEY.model, KEY.task, KEY.domain, 0)).toBe(true);
      expect(quota.take("c", KEY.model, KEY.task, KEY.domain, 3_600_000)).toBe(true);
    });
  });
});
