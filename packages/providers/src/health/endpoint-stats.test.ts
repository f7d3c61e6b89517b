import { newGate } from "@trunkline/testing/gate.ts";
import { HeldClock } from "@trunkline/testing/held-clock.ts";
import { MemoryQuarters } from "@trunkline/testing/memory-quarters.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { EndpointStats, EndpointStatsWriter, type LastDay } from "./endpoint-stats.ts";
import { type BucketTotals, NO_TOTALS, ONE_FAILED_CALL, QUARTER_HOUR_MS, totalsOfAnswer } from "./endpoint-totals.ts";

describe("endpoint-board", () => {
  const HOUR_MS = 4 * QUARTER_HOUR_MS;
  const answer = totalsOfAnswer({ ms: 100, firstPartMs: 50, outputTokens: 10 });

  let clock: HeldClock;
  let store: MemoryQuarters;
  let pending: BucketTotals[];
  let troubles: unknown[];
  let board: EndpointStats;

  beforeEach(() => {
    // Ten minutes past noon.
    clock = new HeldClock(Date.UTC(2026, 0, 15, 12, 10));
    store = new MemoryQuarters();
    pending = [];
    troubles = [];
    board = new EndpointStats({
      store,
      pending: () => pending,
      clock,
      onError: (error) => troubles.push(error),
    });
  });

  const NOON = Date.UTC(2026, 0, 15, 12);
  const at = (atMs: number, figures = answer): BucketTotals => ({ modelId: "a", atMs, ...figures });
  const callsOf = (day: LastDay) => day.bucketsOf("a").map(({ totals: figures }) => figures.calls);

  describe("EndpointBoard", () => {
    it("shows 24 hours, the running one last, and none of what is older", async () => {
      store.entries.push(
        at(NOON),
        at(NOON - QUARTER_HOUR_MS),
        at(NOON - 23 * HOUR_MS),
        at(NOON - 23 * HOUR_MS - QUARTER_HOUR_MS),
      );
      const day = await board.lastDayByHour();
      const statsBuckets = day.bucketsOf("a");
      expect(statsBuckets).toHaveLength(24);
      expect(statsBuckets.at(-1)?.atMs).toBe(NOON);
      expect(statsBuckets[0]?.atMs).toBe(NOON - 23 * HOUR_MS);
      expect(callsOf(day)).toEqual([1, ...Array(21).fill(0), 1, 1]);
    });

    it("counts as the last hour its four whole quarters and the one that runs", async () => {
      store.entries.push(at(NOON), at(NOON - HOUR_MS, ONE_FAILED_CALL), at(NOON - HOUR_MS - QUARTER_HOUR_MS));
      expect((await board.lastDayByHour()).lastHourOf("a")).toMatchObject({ calls: 2, failures: 1 });
      expect((await board.lastDayByQuarterHour(["a"])).lastHourOf("a")).toMatchObject({
        calls: 2,
        failures: 1,
      });
    });

    it("shows 96 quarters of those that are asked for", async () => {
      store.entries.push(at(NOON), at(NOON - 95 * QUARTER_HOUR_MS), at(NOON - 96 * QUARTER_HOUR_MS));
      const day = await board.lastDayByQuarterHour(["a"]);
      expect(callsOf(day)).toEqual([1, ...Array(94).fill(0), 1]);
      expect((await board.lastDayByQuarterHour(["b"])).lastHourOf("a")).toBe(NO_TOTALS);
    });

    it("adds what this instance has not told the store yet", async () => {
      store.entries.push(at(NOON));
      pending.push(at(NOON), at(NOON - HOUR_MS));
      const day = await board.lastDayByHour();
      expect(callsOf(day).slice(-2)).toEqual([1, 2]);
      expect(day.lastHourOf("a").calls).toBe(3);
      expect(callsOf(await board.lastDayByQuarterHour(["a"])).at(-1)).toBe(2);
    });

    it("reads the store again only after a while, or when it is told to forget", async () => {
      await Promise.all([board.lastDayByHour(), board.lastDayByHour()]);
      await board.lastDayByHour();
      expect(store.reads).toBe(3);
      store.entries.push(at(NOON));
      expect((await board.lastDayByHour()).lastHourOf("a").calls).toBe(0);
      board.invalidate();
      expect((await board.lastDayByHour()).lastHourOf("a").calls).toBe(1);
      clock.advance(5_000);
      await board.lastDayByHour();
      expect(store.reads).toBe(7);
    });

    it("moves on with the hours", async () => {
      store.entries.push(at(NOON), at(NOON - 23 * HOUR_MS));
      await board.lastDayByHour();
      clock.advance(2 * HOUR_MS);
      expect(callsOf(await board.lastDayByHour())).toEqual([...Array(21).fill(0), 1, 0, 0]);
    });

    it("shows what it last knew while the store is away", async () => {
      store.entries.push(at(NOON));
      await board.lastDayByHour();
      store.trouble = new Error("away");
      clock.advance(5_000);
      pending.push(at(NOON));
      expect((await board.lastDayByHour()).lastHourOf("a").calls).toBe(2);
      expect((await board.lastDayByQuarterHour(["a"])).lastHourOf("a").calls).toBe(1);
      expect(troubles).toHaveLength(2);
    });
  });
});

describe("endpoint-diary", () => {
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
});
