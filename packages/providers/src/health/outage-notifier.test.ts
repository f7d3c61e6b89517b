import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { type OutageNotice, OutageNotifier, type OutageStore } from "./outage-notifier.ts";

const SINCE = new Date(Date.UTC(2026, 0, 15, 11));

let queued: OutageNotice[];
let recorded: Set<string>;
let isDown: boolean;
let errors: unknown[];
let wakeUps: number;
let notifier: OutageNotifier;

beforeEach(() => {
  queued = [];
  recorded = new Set();
  isDown = false;
  errors = [];
  wakeUps = 0;
  const reach = () => {
    if (isDown) throw new Error("The database is unavailable.");
  };
  const store: OutageStore = {
    async begin(modelId, _why, _since, notice) {
      reach();
      if (recorded.has(modelId)) return false;
      recorded.add(modelId);
      queued.push(notice);
      return true;
    },
    async end(modelId, write) {
      reach();
      const notice = recorded.delete(modelId) ? write(SINCE) : undefined;
      if (notice !== undefined) queued.push(notice);
      return notice !== undefined;
    },
    async all() {
      return [...recorded];
    },
  };
  notifier = new OutageNotifier({
    store,
    clock: new ManualClock(),
    ownerOf: (modelId) => (modelId === "gone" ? undefined : { accountId: "owner", model: `acme/${modelId}` }),
    compose: (type, data) => ({ id: "event", type, body: JSON.stringify(data) }),
    onQueued: () => {
      wakeUps++;
    },
    onError: (error) => errors.push(error),
  });
});

const types = () => queued.map(({ event }) => event.type);

describe("OutageNotifier", () => {
  it("names the model, the cause and the start of an outage", async () => {
    notifier.outageStarted("m", "funds");
    await notifier.flush();
    expect(queued[0]?.accountId).toBe("owner");
    expect(JSON.parse(queued[0]?.event.body ?? "")).toEqual({
      model: "acme/m",
      model_id: "m",
      why: "funds",
      reason: "the account with the provider is out of money or over its quota",
      since: "2026-01-15T12:00:00.000Z",
    });
    expect(wakeUps).toBe(1);
  });

  it("notifies once of an outage and once of its end, however often either is reported", async () => {
    for (let time = 0; time < 3; time++) {
      notifier.outageStarted("m", "credential");
      await notifier.flush();
    }
    for (let time = 0; time < 3; time++) {
      notifier.outageEnded("m");
      await notifier.flush();
    }
    expect(types()).toEqual(["model.out_of_service", "model.back_in_service"]);
    expect(wakeUps).toBe(2);
  });

  it("repeats a failed write, and then reports the latest state", async () => {
    isDown = true;
    notifier.outageStarted("m", "credential");
    await notifier.flush();
    expect(errors).toHaveLength(1);
    isDown = false;
    await notifier.flush();
    isDown = true;
    notifier.outageEnded("m");
    await notifier.flush();
    notifier.outageStarted("m", "credential");
    isDown = false;
    await notifier.flush();
    expect(types()).toEqual(["model.out_of_service"]);
  });

  it("sends no notice for a model that no longer exists", async () => {
    notifier.outageStarted("gone", "credential");
    await notifier.flush();
    expect([queued, wakeUps, errors]).toEqual([[], 0, []]);
  });

  it("ends a recorded outage that two checks in a row did not confirm", async () => {
    for (const modelId of ["well", "ill", "gone"]) recorded.add(modelId);
    for (const expected of [[], ["model.back_in_service"]]) {
      await notifier.reconcile((modelId) => modelId === "ill");
      await notifier.flush();
      expect(types()).toEqual(expected);
    }
    expect([...recorded]).toEqual(["ill", "gone"]);
  });
});
