import { newId } from "@trunkline/core/id.ts";
import { LengthStats } from "@trunkline/router/learn/length-stats.ts";
import { OutcomeStats } from "@trunkline/router/learn/outcome-stats.ts";
import { MAX_WEIGHT_PER_ACCOUNT, OutcomeSync } from "@trunkline/router/learn/outcome-sync.ts";
import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import { tallyOf } from "@trunkline/testing/tally-of.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { PostgresLearning, sweepLearning } from "./learning.ts";

let store: FreshStore;
const opened: OutcomeSync[] = [];

beforeEach(async () => {
  store = await openFreshStore();
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((sync) => sync.stop()));
  await store.close();
});

/** What one instance knows. */
async function openInstance() {
  const [evidence, lengths] = [new OutcomeStats(), new LengthStats()];
  const errors: unknown[] = [];
  const sync = new OutcomeSync({
    store: new PostgresLearning(store.database),
    evidence,
    lengths,
    clock: new ManualClock(),
    onError: (error) => errors.push(error),
  });
  await sync.start();
  opened.push(sync);
  const note = (accountId: string, surplus: number, { weight = 1, lends = true, model = "acme/one" } = {}) =>
    evidence.record({ accountId, model, domain: "law", steps: 1, weight, surplus: surplus * weight, lends });
  return { evidence, lengths, sync, note, errors };
}

const law = (evidence: OutcomeStats, accountId: string) => tallyOf(evidence, accountId, "acme/one", "law");
const meanOf = ({ weight, surplus }: { weight: number; surplus: number }) => surplus / weight;

describe("single outcomes", () => {
  it("are stored as they are, whatever their texts hold", async () => {
    const account = await store.makeAccount();
    const notedAt = new Date("2026-03-01T12:34:56.789Z");
    const records = ["acme/one", 'a"b\\c/{d, e}', "null", "zwei €", ""].map((model, index) => ({
      accountId: account,
      requestId: newId(),
      source: "check" as const,
      model,
      domain: "short programs",
      propensity: 0.1 + 0.2,
      predictedQuality: 1e-7,
      outcome: index / 10,
      weight: 1,
      notedAt,
    }));
    const learning = new PostgresLearning(store.database);
    await learning.add({ outcomes: [], lengths: [], records, maxWeightPerAccount: MAX_WEIGHT_PER_ACCOUNT });
    const stored = await store.database.query(
      `SELECT account_id AS "accountId", request_id AS "requestId", source, model, domain, propensity,
         predicted_quality AS "predictedQuality", outcome, weight, noted_at AS "notedAt"
       FROM routing_outcomes ORDER BY outcome`,
    );
    expect(stored).toEqual(records);
  });
});

describe("what was learnt", () => {
  it("is read after a restart, and by every other instance", async () => {
    const account = await store.makeAccount();
    const [one, other] = [await openInstance(), await openInstance()];
    one.note(account, -0.5, { weight: 3 });
    for (let count = 0; count < 3; count++) one.lengths.record("acme/one", "chat", "law", 70, false);
    await one.sync.flush();
    other.sync.markStale();
    law(other.evidence, account);
    await other.sync.flush();
    const later = await openInstance();
    for (const { evidence, lengths } of [one, other, later]) {
      expect(law(evidence, account).own).toMatchObject({ weight: 3, surplus: -1.5 });
      expect(law(evidence, newId()).shared.weight).toBeCloseTo(0.03);
      expect(lengths.forWork("chat", "law")("acme/one")).toBe(70);
    }
    expect([...one.errors, ...other.errors]).toEqual([]);
  });

  it("is the sum of what all instances learn, with decay", async () => {
    const account = await store.makeAccount();
    const [one, other] = [await openInstance(), await openInstance()];
    for (let round = 0; round < 5; round++) {
      for (const { note, sync } of [one, other]) {
        for (let count = 0; count < 10; count++) note(account, 0.2);
        await sync.flush();
      }
    }
    one.sync.markStale();
    await one.sync.flush();
    const expected = (1 - 0.999 ** 100) / (1 - 0.999);
    expect(law(one.evidence, account).own.weight).toBeCloseTo(expected, 6);
    expect(meanOf(law(one.evidence, account).own)).toBeCloseTo(0.2, 6);
  });

  it("of one account moves other accounts little, however often it complains", async () => {
    const accounts = await Promise.all(Array.from({ length: 10 }, () => store.makeAccount()));
    const attacker = await store.makeAccount();
    const { note, sync, evidence } = await openInstance();
    for (let count = 0; count < 5_000; count++) note(attacker, -0.6, { weight: 3 });
    await sync.flush();
    // Alone it counts as a tenth of one outcome.
    expect(law(evidence, newId()).shared.weight).toBeLessThan(0.101);
    for (const account of accounts) for (let count = 0; count < 20; count++) note(account, 0.1);
    await sync.flush();
    const { shared } = law(evidence, newId());
    expect(shared.weight).toBeGreaterThan(30);
    expect(meanOf(shared)).toBeGreaterThan(0);
    const [row] = await store.database.query<{ accounts: number; weight: number }>(
      "SELECT accounts, weight FROM learnt_by_all",
    );
    expect(row?.accounts).toBe(11);
    expect(row?.weight).toBeCloseTo(11 * MAX_WEIGHT_PER_ACCOUNT, 6);
  });

  it("by a model's own provider counts for that account alone", async () => {
    const owner = await store.makeAccount();
    const { note, sync, evidence } = await openInstance();
    for (let count = 0; count < 100; count++) note(owner, 0.4, { lends: false });
    await sync.flush();
    expect(law(evidence, owner).own.weight).toBeGreaterThan(90);
    expect(law(evidence, newId()).shared.weight).toBe(0);
  });

  it("is kept apart from accounts that are gone, which spoil nothing for the rest", async () => {
    const account = await store.makeAccount();
    const { note, sync, evidence, errors } = await openInstance();
    note(newId(), -1);
    note(account, -1);
    await sync.flush();
    expect(errors).toEqual([]);
    expect(law(evidence, newId()).shared.weight).toBeCloseTo(1 / 100);
  });

  it("waits where the store is away", async () => {
    const account = await store.makeAccount();
    const { note, sync, evidence, errors } = await openInstance();
    await store.database.query("ALTER TABLE learnt_version RENAME TO elsewhere");
    note(account, -1);
    await sync.flush();
    expect(errors).not.toEqual([]);
    await store.database.query("ALTER TABLE elsewhere RENAME TO learnt_version");
    note(account, -1);
    await sync.flush();
    expect(law(evidence, account).own.weight).toBeCloseTo(1.999);
    const rows = await store.database.query<{ weight: number }>("SELECT weight FROM learnt_outcomes");
    expect(rows.map(({ weight }) => weight)).toEqual([expect.closeTo(1.999)]);
  });

  it("is deleted half a year after its last outcome, also from the shared statistics", async () => {
    const [account, other] = [await store.makeAccount(), await store.makeAccount()];
    const { note, sync, evidence } = await openInstance();
    for (let count = 0; count < 30; count++) note(account, -0.5);
    note(other, 0.5);
    await sync.flush();
    await store.database.query(
      "UPDATE learnt_outcomes SET updated_at = now() - interval '200 days' WHERE account_id = $1",
      [account],
    );
    await sweepLearning(store.database, MAX_WEIGHT_PER_ACCOUNT);
    sync.markStale();
    await sync.flush();
    expect(law(evidence, newId()).shared.weight).toBeCloseTo(1 / 100, 6);
    expect(meanOf(law(evidence, newId()).shared)).toBeCloseTo(0.5, 6);
  });
});
