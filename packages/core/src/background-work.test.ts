import { newGate } from "@trunkline/testing/gate.ts";
import { describe, expect, it } from "vitest";
import { BackgroundWork, CoalescedReload } from "./background-work.ts";

describe("following", () => {
  describe("work that is followed", () => {
    it("is waited for until the last of it is over, however it ends", async () => {
      const backgroundWork = new BackgroundWork();
      const [first, second] = [newGate(), newGate()];
      const over: string[] = [];
      void backgroundWork.track(
        first.opened.then(() => {
          over.push("first");
          void backgroundWork.track(second.opened.then(() => over.push("second")));
        }),
      );
      backgroundWork.track(Promise.reject(new Error("broken"))).catch(() => over.push("broken"));
      const idle = backgroundWork.whenIdle().then(() => over.push("idle"));
      first.open();
      await new Promise((resolve) => setImmediate(resolve));
      expect(over).not.toContain("idle");
      second.open();
      await idle;
      expect(over).toEqual(["broken", "first", "second", "idle"]);
    });

    it("is nothing to wait for where there is none", async () => {
      await expect(new BackgroundWork().whenIdle()).resolves.toBeUndefined();
    });
  });
});

describe("fresh-load", () => {
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
});
