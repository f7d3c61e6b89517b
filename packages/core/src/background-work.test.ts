import { newGate } from "@trunkline/testing/gate.ts";
import { describe, expect, it } from "vitest";
import { BackgroundWork, CoalescedReload } from "./background-work.ts";

describe("BackgroundWork", () => {
  describe("whenIdle", () => {
    it("waits until all tracked work has settled, also when it fails", async () => {
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

    it("resolves at once where nothing is tracked", async () => {
      await expect(new BackgroundWork().whenIdle()).resolves.toBeUndefined();
    });
  });
});

describe("CoalescedReload", () => {
  it("loads once more for all calls during a load, and never twice at a time", async () => {
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

  it("can load again after a failure", async () => {
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
