import { HeldClock } from "@trunkline/testing/held-clock.ts";
import { describe, expect, it } from "vitest";
import type { Changes, LearningStore, Learnt } from "./learning-store.ts";
import { LengthBook } from "./length-book.ts";
import { EvidenceBook } from "./outcome-stats.ts";
import { LessonKeeper } from "./outcome-sync.ts";

const NOTHING_NEW: Changes = { version: 0n, own: [], shared: [], lengths: [] };

function open() {
  const state = { takes: true, isThere: true };
  const told: Learnt[] = [];
  const read = async () => {
    if (!state.isThere) throw new Error("The store is away.");
    return NOTHING_NEW;
  };
  const store: LearningStore = {
    add: async (learnt) => {
      if (!state.takes || !state.isThere) throw new Error("The store can't take it.");
      told.push(learnt);
    },
    readAll: read,
    changedSince: read,
    ownOf: async () => [],
  };
  const evidence = new EvidenceBook();
  const keeper = new LessonKeeper({
    store,
    evidence,
    lengths: new LengthBook(),
    clock: new HeldClock(),
    onError: () => undefined,
  });
  const note = (model: string) =>
    evidence.note({ accountId: "a", model, domain: "law", steps: 1, weight: 1, surplus: 0.1, lends: true });
  const models = () => told.flatMap(({ outcomes }) => outcomes.map(({ model }) => model));
  return { state, keeper, note, models };
}

describe("what the store can't take", () => {
  it("waits for as long as the store is away", async () => {
    const { state, keeper, note, models } = open();
    note("acme/one");
    state.isThere = false;
    for (let time = 0; time < 200; time++) await keeper.flush();
    state.isThere = true;
    await keeper.flush();
    expect(models()).toEqual(["acme/one"]);
  });

  it("is let go where the store is there and refuses it time and again, so that what comes next is kept", async () => {
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
