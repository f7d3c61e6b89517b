import { HeldClock } from "@trunkline/testing/held-clock.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { type OutageNotice, OutageNotifier, type OutageStore } from "./outage-notifier.ts";

const SINCE = new Date(Date.UTC(2026, 0, 15, 11));

let posted: OutageNotice[];
let noted: Set<string>;
let away: boolean;
let troubles: unknown[];
let told: number;
let teller: OutageNotifier;

beforeEach(() => {
  posted = [];
  noted = new Set();
  away = false;
  troubles = [];
  told = 0;
  const reach = () => {
    if (away) throw new Error("The store is away.");
  };
  const store: OutageStore = {
    async begin(modelId, _why, _since, letter) {
      reach();
      if (noted.has(modelId)) return false;
      noted.add(modelId);
      posted.push(letter);
      return true;
    },
    async end(modelId, write) {
      reach();
      const letter = noted.delete(modelId) ? write(SINCE) : undefined;
      if (letter !== undefined) posted.push(letter);
      return letter !== undefined;
    },
    async all() {
      return [...noted];
    },
  };
  teller = new OutageNotifier({
    store,
    clock: new HeldClock(),
    ownerOf: (modelId) => (modelId === "gone" ? undefined : { accountId: "owner", model: `acme/${modelId}` }),
    compose: (type, data) => ({ id: "event", type, body: JSON.stringify(data) }),
    onQueued: () => {
      told++;
    },
    onError: (error) => troubles.push(error),
  });
});

const types = () => posted.map(({ event }) => event.type);

describe("OutageTeller", () => {
  it("says which model is out, why and since when", async () => {
    teller.outageStarted("m", "funds");
    await teller.flush();
    expect(posted[0]?.accountId).toBe("owner");
    expect(JSON.parse(posted[0]?.event.body ?? "")).toEqual({
      model: "acme/m",
      model_id: "m",
      why: "funds",
      reason: "the account with the provider is out of money or over its quota",
      since: "2026-01-15T12:00:00.000Z",
    });
    expect(told).toBe(1);
  });

  it("tells once of an outage, and once of its end, however often it is seen", async () => {
    for (let time = 0; time < 3; time++) {
      teller.outageStarted("m", "credential");
      await teller.flush();
    }
    for (let time = 0; time < 3; time++) {
      teller.outageEnded("m");
      await teller.flush();
    }
    expect(types()).toEqual(["model.out_of_service", "model.back_in_service"]);
    expect(told).toBe(2);
  });

  it("tries again where the store was away, and then tells what is true by then", async () => {
    away = true;
    teller.outageStarted("m", "credential");
    await teller.flush();
    expect(troubles).toHaveLength(1);
    away = false;
    await teller.flush();
    away = true;
    teller.outageEnded("m");
    await teller.flush();
    teller.outageStarted("m", "credential");
    away = false;
    await teller.flush();
    expect(types()).toEqual(["model.out_of_service"]);
  });

  it("tells nobody of a model that is nobody's any more", async () => {
    teller.outageStarted("gone", "credential");
    await teller.flush();
    expect([posted, told, troubles]).toEqual([[], 0, []]);
  });

  it("ends what is noted as out and twice is not, as whoever saw it come back may have died", async () => {
    for (const modelId of ["well", "ill", "gone"]) noted.add(modelId);
    for (const told of [[], ["model.back_in_service"]]) {
      await teller.reconcile((modelId) => modelId === "ill");
      await teller.flush();
      expect(types()).toEqual(told);
    }
    expect([...noted]).toEqual(["ill", "gone"]);
  });
});
