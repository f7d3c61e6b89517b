import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import { describe, expect, it } from "vitest";
import type { LearningBatch, LearningChanges, LearningStore, OutcomeRecord } from "./learning-store.ts";
import { LengthStats } from "./length-stats.ts";
import { OutcomeStats } from "./outcome-stats.ts";
import { OutcomeSync } from "./outcome-sync.ts";

const NOTHING_NEW: LearningChanges = { version: 0n, own: [], shared: [], lengths: [] };

function open() {
  const state = { takes: true, isThere: true };
  const written: LearningBatch[] = [];
  const read = async () => {
    if (!state.isThere) throw new Error("The database is unavailable.");
    return NOTHING_NEW;
  };
  const store: LearningStore = {
    add: async (learningBatch) => {
      if (!state.takes || !state.isThere) throw new Error("The store can't take it.");
      written.push(learningBatch);
    },
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
  it("are written a thousand at a time", async () => {
    const { keeper, records } = open();
    for (let count = 0; count < 2_500; count++) keeper.addRecord(RECORD);
    await keeper.flush();
    expect(records()).toEqual([1_000]);
    await keeper.flush();
    expect(records()).toEqual([1_000, 1_000]);
  });

  it("are all written at the end", async () => {
    const { keeper, records } = open();
    for (let count = 0; count < 2_500; count++) keeper.addRecord(RECORD);
    await keeper.stop();
    expect(records()).toEqual([1_000, 1_000, 500]);
  });

  it("are not tried more often at the end than there are writes, where the store is away", async () => {
    const { state, keeper, records } = open();
    for (let count = 0; count < 2_500; count++) keeper.addRecord(RECORD);
    state.isThere = false;
    await keeper.stop();
    expect(records()).toEqual([]);
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
