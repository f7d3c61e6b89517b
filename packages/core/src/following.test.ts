import { newGate } from "@trunkline/testing/gate.ts";
import { describe, expect, it } from "vitest";
import { Following } from "./following.ts";

describe("work that is followed", () => {
  it("is waited for until the last of it is over, however it ends", async () => {
    const following = new Following();
    const [first, second] = [newGate(), newGate()];
    const over: string[] = [];
    void following.follow(
      first.opened.then(() => {
        over.push("first");
        void following.follow(second.opened.then(() => over.push("second")));
      }),
    );
    following.follow(Promise.reject(new Error("broken"))).catch(() => over.push("broken"));
    const idle = following.idle().then(() => over.push("idle"));
    first.open();
    await new Promise((resolve) => setImmediate(resolve));
    expect(over).not.toContain("idle");
    second.open();
    await idle;
    expect(over).toEqual(["broken", "first", "second", "idle"]);
  });

  it("is nothing to wait for where there is none", async () => {
    await expect(new Following().idle()).resolves.toBeUndefined();
  });
});
