import { HeldClock } from "@trunkline/testing/held-clock.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { type OutageLetter, type OutageStore, OutageTeller } from "./outage-notifier.ts";

const SINCE = new Date(Date.UTC(2026, 0, 15, 11));

let posted: OutageLetter[];
let noted: Set<string>;
let away: boolean;
let troubles: unknown[];
let told: number;
let teller: OutageTeller;

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
  teller = new OutageTeller({
    store,
    clock: new HeldClock(),
    ownerOf: (modelId) => (modelId === "gone" ? undefined : { accountId: "owner", model: `acme/${modelId}` }),
    compose: (type, data) => ({ id: "event", type, body: JSON.stringify(data) }),
    told: () => {
      told++;
    },
    onError: (error) => troubles.push(error),
  });
});

const types = () => posted.map(({ event }) => event.type);

describe("OutageTeller", () => {
  it("says which model is out, why and since when", async () => {
    teller.out("m", "funds");
    await teller.tell();
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
      teller.out("m", "credential");
      await teller.tell();
    }
    for (let time = 0; time < 3; time++) {
      teller.back("m");
      await teller.tell();
    }
    expect(types()).toEqual(["model.out_of_service", "model.back_in_service"]);
    expect(told).toBe(2);
  });

  it("tries again where the store was away, and then tells what is true by then", async () => {
    away = true;
    teller.out("m", "credential");
    await teller.tell();
    expect(troubles).toHaveLength(1);
    away = false;
    await teller.tell();
    away = true;
    teller.back("m");
    await teller.tell();
    teller.out("m", "credential");
    away = false;
    await teller.tell();
    expect(types()).toEqual(["model.out_of_service"]);
  });

  it("tells nobody of a model that is nobody's any more", async () => {
    teller.out("gone", "credential");
    await teller.tell();
    expect([posted, told, troubles]).toEqual([[], 0, []]);
  });

  it("ends what is noted as out and twice is not, as whoever saw it come back may have died", async () => {
    for (const modelId of ["well", "ill", "gone"]) noted.add(modelId);
    for (const told of [[], ["model.back_in_service"]]) {
      await teller.reconcile((modelId) => modelId === "ill");
      await teller.tell();
      expect(types()).toEqual(told);
    }
    expect([...noted]).toEqual(["ill", "gone"]);
  });
});
