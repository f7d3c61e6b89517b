import { newGate } from "@trunkline/testing/gate.ts";
import { describe, expect, it } from "vitest";
import { BackgroundWork } from "./following.ts";

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
