import { expect, it } from "vitest";
import { CoalescedReload } from "./fresh-load.ts";

it("loads once more for all who ask while it loads, and never two at a time", async () => {
  const waiting: (() => void)[] = [];
  let loads = 0;
  const fresh = new CoalescedReload(() => {
    loads += 1;
    return new Promise((resolve) => waiting.push(resolve));
  });
  const all = Promise.all([fresh.reload(), fresh.reload(), fresh.reload()]);
  expect(loads).toBe(1);
  waiting.shift()?.();
  await expect.poll(() => loads).toBe(2);
  waiting.shift()?.();
  await all;
  expect(loads).toBe(2);
});

it("can load again after it failed", async () => {
  let loads = 0;
  const fresh = new CoalescedReload(async () => {
    loads += 1;
    if (loads === 1) throw new Error("away");
  });
  await expect(fresh.reload()).rejects.toThrow("away");
  await fresh.reload();
  expect(loads).toBe(2);
});
