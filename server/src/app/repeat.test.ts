import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Repeater } from "./repeat.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Lets all go on that waits for nothing. */
const settle = () => new Promise(setImmediate);

describe("repeated jobs", () => {
  it("run one after another, in every round", async () => {
    const seen: string[] = [];
    let finish = () => {};
    const repeater = new Repeater((error) => seen.push(String(error)));
    repeater.every(1_000, [
      () => new Promise<void>((resolve) => (finish = resolve)),
      async () => {
        seen.push("second");
      },
    ]);
    vi.advanceTimersByTime(1_000);
    await settle();
    expect(seen).toEqual([]);
    finish();
    await settle();
    expect(seen).toEqual(["second"]);
    vi.advanceTimersByTime(1_000);
    finish();
    await settle();
    expect(seen).toEqual(["second", "second"]);
    repeater.stop();
  });

  it("leave out a round while the last one runs, without holding up other lists", async () => {
    let begun = 0;
    let others = 0;
    const repeater = new Repeater(() => {});
    repeater.every(1_000, [
      () => {
        begun++;
        return new Promise(() => {});
      },
    ]);
    repeater.every(1_000, [async () => others++]);
    for (let round = 0; round < 3; round++) {
      vi.advanceTimersByTime(1_000);
      await settle();
    }
    expect([begun, others]).toEqual([1, 3]);
    repeater.stop();
  });

  it("go on after one that fails", async () => {
    const seen: string[] = [];
    const repeater = new Repeater((error) => seen.push((error as Error).message));
    repeater.every(1_000, [() => Promise.reject(new Error("away")), async () => seen.push("next")]);
    vi.advanceTimersByTime(1_000);
    await settle();
    expect(seen).toEqual(["away", "next"]);
    repeater.stop();
  });

  it("begin nothing once they are stopped, not even the next step of a long one", async () => {
    const seen: string[] = [];
    let finish = () => {};
    const repeater = new Repeater(() => {});
    repeater.every(1_000, [
      () => new Promise<void>((resolve) => (finish = resolve)),
      async () => {
        seen.push("second");
      },
    ]);
    expect(await repeater.pace(0)).toBe(true);
    vi.advanceTimersByTime(1_000);
    repeater.stop();
    finish();
    await settle();
    vi.advanceTimersByTime(10_000);
    expect(seen).toEqual([]);
    expect(await repeater.pace(1_000_000)).toBe(false);
  });
});
