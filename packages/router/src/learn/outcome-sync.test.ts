import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import { describe, expect, it, vi } from "vitest";
import type { LearningBatch, LearningChanges, LearningStore, OutcomeRecord } from "./learning-store.ts";
import { LengthStats } from "./length-stats.ts";
import { OutcomeStats } from "./outcome-stats.ts";
import { OutcomeSync } from "./outcome-sync.ts";

const NOTHING_NEW: LearningChanges = { version: 0n, own: [], shared: [], lengths: [] };

function open() {
  const state = { takes: true, isThere: true, tries: 0 };
  const written: LearningBatch[] = [];
  const read = async () => {
    if (!state.isThere) throw new Error("The database is unavailable.");
    return NOTHING_NEW;
  };
  const add = async (learningBatch: LearningBatch) => {
    state.tries++;
    if (!state.takes || !state.isThere) throw new Error("The store can't take it.");
    written.push(learningBatch);
  };
  const store: LearningStore = {
    add,
    addRecords: (records) => add({ outcomes: [], lengths: [], records, maxWeightPerAccount: 0 }),
    readAll: read,
    changedSince: read,
    readAccounts: async () => [],
  };
  const evidence = new OutcomeStats();
  const keeper = new OutcomeSync({
    store,
    evidence,
    lengths: new LengthStats(),
    clock: new ManualClock(),
    onError: () => undefined,
  });
  const note = (model: string) =>
    evidence.record({ accountId: "a", model, domain: "law", steps: 1, weight: 1, surplus: 0.1, lends: true });
  const models = () => written.flatMap(({ outcomes }) => outcomes.map(({ model }) => model));
  const records = () => written.map(({ records }) => records.length);
  return { state, keeper, note, models, records };
}

const RECORD: OutcomeRecord = {
  accountId: "a",
  requestId: "r",
  source: "regeneration",
  model: "acme/one",
  domain: "law",
  propensity: 1,
  predictedQuality: 0.5,
  outcome: 0.25,
  weight: 0.5,
  notedAt: new Date(0),
};

describe("many single outcomes", () => {
  it("are written a hundred at a time", async () => {
    const { keeper, records } = open();
    for (let count = 0; count < 250; count++) keeper.addRecord(RECORD);
    await keeper.flush();
    expect(records()).toEqual([100]);
    await keeper.flush();
    expect(records()).toEqual([100, 100]);
    await keeper.stop();
  });

  it("are written without waiting for the next flush, until too few are left for a write of their own", async () => {
    const { keeper, records } = open();
    for (let count = 0; count < 250; count++) keeper.addRecord(RECORD);
    await expect.poll(records).toEqual([100, 100]);
    for (let count = 0; count < 50; count++) keeper.addRecord(RECORD);
    await expect.poll(records).toEqual([100, 100, 100]);
    await keeper.stop();
  });

  it("are all written at the end", async () => {
    const { keeper, records } = open();
    for (let count = 0; count < 250; count++) keeper.addRecord(RECORD);
    await keeper.stop();
    expect(records()).toEqual([100, 100, 50]);
  });

  it("are tried twice at the end where the store is away", async () => {
    const { state, keeper, records } = open();
    for (let count = 0; count < 250; count++) keeper.addRecord(RECORD);
    state.isThere = false;
    await keeper.stop();
    expect(records()).toEqual([]);
    expect(state.tries).toBe(2);
  });

  it("are not tried again once it has stopped, even where a write was under way", async () => {
    vi.useFakeTimers();
    try {
      const { state, keeper } = open();
      state.isThere = false;
      for (let count = 0; count < 250; count++) keeper.addRecord(RECORD);
      vi.runOnlyPendingTimers();
      await keeper.stop();
      expect(state.tries).toBe(3);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it("are tried again where the store was away, and none is lost", async () => {
    const { state, keeper, records } = open();
    state.isThere = false;
    for (let count = 0; count < 250; count++) keeper.addRecord(RECORD);
    await expect.poll(() => state.tries).toBe(1);
    state.isThere = true;
    await expect.poll(records).toEqual([100, 100]);
    await keeper.stop();
    expect(records()).toEqual([100, 100, 50]);
  });
});

describe("a failed write", () => {
  it("is retried while the store is unavailable", async () => {
    const { state, keeper, note, models } = open();
    note("acme/one");
    state.isThere = false;
    for (let time = 0; time < 200; time++) await keeper.flush();
    state.isThere = true;
    await keeper.flush();
    expect(models()).toEqual(["acme/one"]);
  });

  it("is dropped when an available store refuses it repeatedly, so that later outcomes are stored", async () => {
    const { state, keeper, note, models } = open();
    note("acme/poison");
    state.takes = false;
    for (let time = 0; time < 30; time++) await keeper.flush();
    state.takes = true;
    await keeper.flush();
    expect(models()).toEqual(["acme/poison"]);
    note("acme/poison");
    state.takes = false;
    for (let time = 0; time < 31; time++) await keeper.flush();
    state.takes = true;
    note("acme/next");
    await keeper.flush();
    expect(models()).toEqual(["acme/poison", "acme/next"]);
  });
});
