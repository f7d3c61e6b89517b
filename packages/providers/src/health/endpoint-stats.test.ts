import { newGate } from "@trunkline/testing/gate.ts";
import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import { MemoryEndpointStats } from "@trunkline/testing/memory-endpoint-stats.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { EndpointStats, EndpointStatsWriter, type LastDay } from "./endpoint-stats.ts";
import { type BucketTotals, NO_TOTALS, ONE_FAILED_CALL, QUARTER_HOUR_MS, totalsOfAnswer } from "./endpoint-totals.ts";

describe("reading endpoint statistics", () => {
  const HOUR_MS = 4 * QUARTER_HOUR_MS;
  const answer = totalsOfAnswer({ ms: 100, firstPartMs: 50, outputTokens: 10 });

  let clock: ManualClock;
  let store: MemoryEndpointStats;
  let pending: BucketTotals[];
  let errors: unknown[];
  let stats: EndpointStats;

  beforeEach(() => {
    // Ten minutes past noon.
    clock = new ManualClock(Date.UTC(2026, 0, 15, 12, 10));
    store = new MemoryEndpointStats();
    pending = [];
    errors = [];
    stats = new EndpointStats({
      store,
      pending: () => pending,
      clock,
      onError: (error) => errors.push(error),
    });
  });

  const NOON = Date.UTC(2026, 0, 15, 12);
  const at = (atMs: number, totals = answer): BucketTotals => ({ modelId: "a", atMs, ...totals });
  const callsOf = (day: LastDay) => day.bucketsOf("a").map(({ totals }) => totals.calls);

  describe("EndpointStats", () => {
    it("returns 24 hours, the current one last, and nothing older", async () => {
      store.entries.push(
        at(NOON),
        at(NOON - QUARTER_HOUR_MS),
        at(NOON - 23 * HOUR_MS),
        at(NOON - 23 * HOUR_MS - QUARTER_HOUR_MS),
      );
      const day = await stats.lastDayByHour();
      const statsBuckets = day.bucketsOf("a");
      expect(statsBuckets).toHaveLength(24);
      expect(statsBuckets.at(-1)?.atMs).toBe(NOON);
      expect(statsBuckets[0]?.atMs).toBe(NOON - 23 * HOUR_MS);
      expect(callsOf(day)).toEqual([1, ...Array(21).fill(0), 1, 1]);
    });

    it("counts four whole quarter hours and the current one as the last hour", async () => {
      store.entries.push(at(NOON), at(NOON - HOUR_MS, ONE_FAILED_CALL), at(NOON - HOUR_MS - QUARTER_HOUR_MS));
      expect((await stats.lastDayByHour()).lastHourOf("a")).toMatchObject({ calls: 2, failures: 1 });
      expect((await stats.lastDayByQuarterHour(["a"])).lastHourOf("a")).toMatchObject({
        calls: 2,
        failures: 1,
      });
    });

    it("returns 96 quarter hours of the requested endpoints", async () => {
      store.entries.push(at(NOON), at(NOON - 95 * QUARTER_HOUR_MS), at(NOON - 96 * QUARTER_HOUR_MS));
      const day = await stats.lastDayByQuarterHour(["a"]);
      expect(callsOf(day)).toEqual([1, ...Array(94).fill(0), 1]);
      expect((await stats.lastDayByQuarterHour(["b"])).lastHourOf("a")).toBe(NO_TOTALS);
    });

    it("adds what this instance has not written yet", async () => {
      store.entries.push(at(NOON));
      pending.push(at(NOON), at(NOON - HOUR_MS));
      const day = await stats.lastDayByHour();
      expect(callsOf(day).slice(-2)).toEqual([1, 2]);
      expect(day.lastHourOf("a").calls).toBe(3);
      expect(callsOf(await stats.lastDayByQuarterHour(["a"])).at(-1)).toBe(2);
    });

    it("queries the store again only after five seconds, or after invalidate", async () => {
      await Promise.all([stats.lastDayByHour(), stats.lastDayByHour()]);
      await stats.lastDayByHour();
      expect(store.reads).toBe(3);
      store.entries.push(at(NOON));
      expect((await stats.lastDayByHour()).lastHourOf("a").calls).toBe(0);
      stats.invalidate();
      expect((await stats.lastDayByHour()).lastHourOf("a").calls).toBe(1);
      clock.advance(5_000);
      await stats.lastDayByHour();
      expect(store.reads).toBe(7);
    });

    it("moves with the hours", async () => {
      store.entries.push(at(NOON), at(NOON - 23 * HOUR_MS));
      await stats.lastDayByHour();
      clock.advance(2 * HOUR_MS);
      expect(callsOf(await stats.lastDayByHour())).toEqual([...Array(21).fill(0), 1, 0, 0]);
    });

    it("returns the last known sums while the store fails", async () => {
      store.entries.push(at(NOON));
      await stats.lastDayByHour();
      store.trouble = new Error("away");
      clock.advance(5_000);
      pending.push(at(NOON));
      expect((await stats.lastDayByHour()).lastHourOf("a").calls).toBe(2);
      expect((await stats.lastDayByQuarterHour(["a"])).lastHourOf("a").calls).toBe(1);
      expect(errors).toHaveLength(2);
    });
  });
});

describe("writing endpoint statistics", () => {
  const call = { ms: 500, firstPartMs: 100, outputTokens: 200 };

  let clock: ManualClock;
  let store: MemoryEndpointStats;
  let errors: unknown[];
  let writes: number;
  let writer: EndpointStatsWriter;

  beforeEach(() => {
    clock = new ManualClock();
    store = new MemoryEndpointStats();
    errors = [];
    writes = 0;
    writer = new EndpointStatsWriter({
      store,
      clock,
      onWritten: () => {
        writes++;
      },
      onError: (error) => errors.push(error),
    });
  });

  /** Runs something while a flush waits for the store. */
  async function meanwhile(work: () => void): Promise<void> {
    const [begun, gate] = [newGate(), newGate()];
    store.hold = () => {
      begun.open();
      return gate.opened;
    };
    const flushed = writer.flush();
    await begun.opened;
    work();
    gate.open();
    await flushed;
  }

  const pendingCalls = () => writer.pending().reduce((sum, { calls }) => sum + calls, 0);

  describe("EndpointStatsWriter", () => {
    it("adds up calls by endpoint and quarter hour", async () => {
      writer.succeeded("a", call);
      writer.succeeded("a", { ms: 300, firstPartMs: undefined, outputTokens: undefined });
      writer.failed("a");
      writer.failed("b");
      clock.advance(QUARTER_HOUR_MS);
      writer.succeeded("a", call);
      await writer.flush();

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

    it("writes once, and calls onWritten", async () => {
      writer.succeeded("a", call);
      await writer.flush();
      await writer.flush();
      expect(store.entries).toHaveLength(1);
      expect(writes).toBe(1);
      expect(writer.pending()).toEqual([]);
    });

    it("keeps what the store could not write, and adds what came meanwhile", async () => {
      store.trouble = new Error("away");
      writer.succeeded("a", call);
      await meanwhile(() => writer.failed("a"));
      expect(errors).toEqual([store.trouble]);
      expect(pendingCalls()).toBe(2);

      store.trouble = undefined;
      await writer.stop();
      expect(store.entries).toMatchObject([{ modelId: "a", calls: 2, failures: 1 }]);
    });

    it("counts what is being written as pending", async () => {
      writer.succeeded("a", call);
      await meanwhile(() => {
        writer.succeeded("a", call);
        expect(pendingCalls()).toBe(2);
      });
      expect(pendingCalls()).toBe(1);
    });

    it("drops the oldest buckets when too many wait for the store", async () => {
      store.trouble = new Error("away");
      for (let model = 0; model <= 20_000; model++) writer.failed(`model-${model}`);
      expect(writer.pending()).toHaveLength(20_000);
      expect(writer.pending()[0]?.modelId).toBe("model-1");
    });
  });
});
