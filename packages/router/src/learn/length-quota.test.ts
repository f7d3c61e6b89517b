import { describe, expect, it } from "vitest";
import { LengthQuota } from "./length-quota.ts";

const KEY = { model: "acme/one", task: "chat", domain: "law" };

function countedOf(quota: LengthQuota, accountId: string, nowMs: number, domain = "law"): number {
  return Array.from({ length: 100 }, () => quota.take(accountId, { ...KEY, domain }, nowMs)).filter(Boolean)
    .length;
}

describe("an account's say in lengths", () => {
  it("is twenty answers an hour for each kind of work, whatever others say", () => {
    const quota = new LengthQuota();
    expect(countedOf(quota, "a", 0)).toBe(20);
    expect(countedOf(quota, "b", 1)).toBe(20);
    expect(countedOf(quota, "a", 2, "code")).toBe(20);
    expect(countedOf(quota, "a", 3_599_999)).toBe(0);
    expect(countedOf(quota, "a", 3_600_000)).toBe(20);
  });

  it("is kept for a bounded number of accounts", () => {
    const quota = new LengthQuota(2);
    for (const accountId of ["a", "b"]) expect(quota.take(accountId, KEY, 0)).toBe(true);
    expect(quota.take("c", KEY, 0)).toBe(false);
    expect(quota.take("a", KEY, 0)).toBe(true);
    expect(quota.take("c", KEY, 3_600_000)).toBe(true);
  });
});
