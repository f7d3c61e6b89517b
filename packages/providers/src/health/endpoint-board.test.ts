import { HeldClock } from "@trunkline/testing/held-clock.ts";
import { MemoryQuarters } from "@trunkline/testing/memory-quarters.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { EndpointStats, type LastDay } from "./endpoint-board.ts";
import { NO_TOTALS, ONE_FAILED_CALL, totalsOfAnswer } from "./endpoint-figures.ts";
import { type BucketTotals, QUARTER_HOUR_MS } from "./quarter-store.ts";

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
