import { newGate } from "@trunkline/testing/gate.ts";
import { HeldClock } from "@trunkline/testing/held-clock.ts";
import { MemoryQuarters } from "@trunkline/testing/memory-quarters.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { EndpointStatsWriter } from "./endpoint-diary.ts";
import { QUARTER_HOUR_MS } from "./quarter-store.ts";

const call = { ms: 500, firstPartMs: 100, outputTokens: 200 };

let clock: HeldClock;
let store: MemoryQuarters;
let troubles: unknown[];
let kept: number;
let diary: EndpointStatsWriter;

beforeEach(() => {
  clock = new HeldClock();
  store = new MemoryQuarters();
  troubles = [];
  kept = 0;
  diary = new EndpointStatsWriter({
    store,
    clock,
    onWritten: () => {
      kept++;
    },
    onError: (error) => troubles.push(error),
  });
});

/** Stops the diary while it hands over, runs something, and lets it go on. */
async function meanwhile(work: () => void): Promise<void> {
  const [begun, gate] = [newGate(), newGate()];
  store.hold = () => {
    begun.open();
    return gate.opened;
  };
  const flushed = diary.flush();
  await begun.opened;
  work();
  gate.open();
  await flushed;
}

const pendingCalls = () => diary.pending().reduce((sum, { calls }) => sum + calls, 0);

describe("EndpointDiary", () => {
  it("adds up what it hears, by endpoint and quarter of an hour", async () => {
    diary.succeeded("a", call);
    diary.succeeded("a", { ms: 300, firstPartMs: undefined, outputTokens: undefined });
    diary.failed("a");
    diary.failed("b");
    clock.advance(QUARTER_HOUR_MS);
    diary.succeeded("a", call);
    await diary.flush();

    const sums = store.entries.toSorted((one, other) => one.atMs - other.atMs);
    expect(sums).toHaveLength(3);
    expect(sums.find(({ modelId }) => modelId === "a")).toEqual({
      modelId: "a",
      atMs: clock.now() - QUARTER_HOUR_MS,
      calls: 3,
      failures: 1,
      answeredMs: 800,
      firstParts: 1,
      firstPartMs: 100,
      outputTokens: 200,
      streamedTokens: 200,
      streamedMs: 400,
    });
    expect(sums.at(-1)).toMatchObject({ modelId: "a", atMs: clock.now(), calls: 1 });
  });

  it("hands over once, and says so", async () => {
    diary.succeeded("a", call);
    await diary.flush();
    await diary.flush();
    expect(store.entries).toHaveLength(1);
    expect(kept).toBe(1);
    expect(diary.pending()).toEqual([]);
  });

  it("keeps what the store can't take, with what came meanwhile, for the next time", async () => {
    store.trouble = new Error("away");
    diary.succeeded("a", call);
    await meanwhile(() => diary.failed("a"));
    expect(troubles).toEqual([store.trouble]);
    expect(pendingCalls()).toBe(2);

    store.trouble = undefined;
    await diary.stop();
    expect(store.entries).toMatchObject([{ modelId: "a", calls: 2, failures: 1 }]);
  });

  it("shows what is on its way to the store as pending", async () => {
    diary.succeeded("a", call);
    await meanwhile(() => {
      diary.succeeded("a", call);
      expect(pendingCalls()).toBe(2);
    });
    expect(pendingCalls()).toBe(1);
  });

  it("forgets the oldest where too much waits for the store", async () => {
    store.trouble = new Error("away");
    for (let model = 0; model <= 20_000; model++) diary.failed(`model-${model}`);
    expect(diary.pending()).toHaveLength(20_000);
    expect(diary.pending()[0]?.modelId).toBe("model-1");
  });
});
