import { Fault } from "@trunkline/core/fault.ts";
import { newId } from "@trunkline/core/id.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { sampleSettlement } from "../../../test/support/sample-settlement.ts";
import type { Claim } from "../../ledger/billing/idempotent-run.ts";
import type { Database } from "../database/database.ts";
import { PostgresIdempotentRuns } from "./idempotent-runs.ts";
import type { PostgresLedger } from "./ledger.ts";

let store: FreshStore;
let runs: PostgresIdempotentRuns;
let ledger: PostgresLedger;

beforeAll(async () => {
  store = await openFreshStore();
  const instanceId = newId();
  runs = new PostgresIdempotentRuns(store.database, instanceId);
  ledger = await store.openLedger(instanceId);
});
afterAll(() => store.close());

const claimOf = (change: Partial<Claim> = {}): Claim => ({
  accountId: newId(),
  path: "/v1/generate",
  key: "key",
  fingerprint: Buffer.alloc(32, 1),
  requestId: newId(),
  ...change,
});

/** The same claim by a later request. */
const again = (claim: Claim, change: Partial<Claim> = {}): Claim => ({
  ...claim,
  requestId: newId(),
  ...change,
});

const answer = ({ accountId, path, key, requestId }: Claim, kept: unknown) =>
  ledger.write([sampleSettlement({ accountId, keyId: newId(), path, requestId, idempotent: { key, answer: kept } })]);

/** Makes a claim look as old as this. */
const age = (claim: Claim, interval: string) =>
  store.database.query("UPDATE idempotency_keys SET created_at = created_at - $2::interval WHERE account_id = $1", [
    claim.accountId,
    interval,
  ]);

describe("a claim", () => {
  it("is the first one's, then running, then answered", async () => {
    const claim = claimOf();
    expect(await runs.claim(claim)).toEqual({ kind: "mine" });
    expect(await runs.claim(again(claim))).toEqual({ kind: "running" });
    await answer(claim, { parts: ["x"] });
    expect(await runs.claim(again(claim))).toEqual({ kind: "answered", answer: { parts: ["x"] } });
  });

  it("with another body is a mismatch, before and after the answer", async () => {
    const claim = claimOf();
    await runs.claim(claim);
    const other = { fingerprint: Buffer.alloc(32, 2) };
    expect(await runs.claim(again(claim, other))).toEqual({ kind: "mismatch" });
    await answer(claim, {});
    expect(await runs.claim(again(claim, other))).toEqual({ kind: "mismatch" });
  });

  it("is of one account, one path and one key", async () => {
    const claim = claimOf();
    await runs.claim(claim);
    for (const change of [{ accountId: newId() }, { path: "/v1/image" }, { key: "another" }, { key: "KEY" }]) {
      expect(await runs.claim(again(claim, change))).toEqual({ kind: "mine" });
    }
  });

  it("is won by one of many concurrent requests on any number of instances", async () => {
    const other = new PostgresIdempotentRuns(store.database, newId());
    const claim = claimOf();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 ? runs : other).claim(again(claim))),
    );
    expect(outcomes.filter(({ kind }) => kind === "mine")).toHaveLength(1);
    expect(outcomes.filter(({ kind }) => kind === "running")).toHaveLength(19);
  });

  it("takes a key of any characters and of the greatest length", async () => {
    for (const key of ["ключ-😀", "'; DROP TABLE requests; --", "k".repeat(255)]) {
      const claim = claimOf({ key });
      expect(await runs.claim(claim)).toEqual({ kind: "mine" });
      expect(await runs.claim(again(claim))).toEqual({ kind: "running" });
    }
  });
});

describe("abandoning a run", () => {
  it("frees its key for another run, with any body", async () => {
    const claim = claimOf();
    await runs.claim(claim);
    await runs.abandon(claim);
    expect(await runs.claim(again(claim, { fingerprint: Buffer.alloc(32, 2) }))).toEqual({ kind: "mine" });
  });

  it("frees the key of that run alone, and only before the answer", async () => {
    const claim = claimOf();
    await runs.claim(claim);
    await runs.abandon(again(claim));
    expect(await runs.claim(again(claim))).toEqual({ kind: "running" });
    await answer(claim, {});
    await runs.abandon(claim);
    expect(await runs.claim(again(claim))).toEqual({ kind: "answered", answer: {} });
  });
});

describe("a day later", () => {
  it("a key is as good as new, also with another body", async () => {
    const claim = claimOf();
    await runs.claim(claim);
    await answer(claim, { parts: [] });
    await age(claim, "24 hours 1 second");
    expect(await runs.claim(again(claim, { fingerprint: Buffer.alloc(32, 2) }))).toEqual({ kind: "mine" });
  });

  it("but not a moment earlier", async () => {
    const claim = claimOf();
    await runs.claim(claim);
    await answer(claim, { parts: [] });
    await age(claim, "23 hours 59 minutes");
    expect(await runs.claim(again(claim))).toMatchObject({ kind: "answered" });
  });

  it("old keys are swept, and no others", async () => {
    const [old, young] = [claimOf(), claimOf()];
    await runs.claim(old);
    await runs.claim(young);
    await age(old, "25 hours");
    await runs.sweep();
    const rows = await store.database.query("SELECT account_id FROM idempotency_keys WHERE account_id = ANY($1)", [
      [old.accountId, young.accountId],
    ]);
    expect(rows).toEqual([{ account_id: young.accountId }]);
  });
});

describe("a store that is away", () => {
  const away = new Fault("unavailable", "Away.");

  /** Runs whose statements reach the store or not, and whose answers are lost while it is away. */
  function runsThroughTrouble() {
    const state = { isAway: false, reaches: false };
    const query: Database["query"] = async (text, values) => {
      const rows = state.isAway && !state.reaches ? [] : await store.database.query(text, values);
      if (state.isAway) throw away;
      return rows as never;
    };
    return { state, troubled: new PostgresIdempotentRuns({ ...store.database, query }, newId()) };
  }

  it("leaves no key behind whose run is over: it is freed when the store is back", async () => {
    const { state, troubled } = runsThroughTrouble();
    const [claim, other] = [claimOf(), claimOf()];
    await troubled.claim(claim);
    await troubled.claim(other);
    state.isAway = true;
    await expect(troubled.abandon(claim)).rejects.toBe(away);
    await expect(troubled.abandon(other)).rejects.toBe(away);
    expect(await runs.claim(again(claim))).toEqual({ kind: "running" });
    state.isAway = false;
    await expect.poll(() => runs.claim(again(claim))).toEqual({ kind: "mine" });
    await expect.poll(() => runs.claim(again(other))).toEqual({ kind: "mine" });
  });

  it("leaves no key behind whose claim was made although the answer was lost", async () => {
    const { state, troubled } = runsThroughTrouble();
    const claim = claimOf();
    state.isAway = true;
    state.reaches = true;
    await expect(troubled.claim(claim)).rejects.toBe(away);
    expect(await runs.claim(again(claim))).toEqual({ kind: "running" });
    state.isAway = false;
    await expect.poll(() => runs.claim(again(claim))).toEqual({ kind: "mine" });
  });

  it("frees no key that was answered meanwhile", async () => {
    const { state, troubled } = runsThroughTrouble();
    const claim = claimOf();
    await troubled.claim(claim);
    await answer(claim, "kept");
    state.isAway = true;
    await expect(troubled.abandon(claim)).rejects.toBe(away);
    state.isAway = false;
    await troubled.abandon(claim);
    expect(await runs.claim(again(claim))).toEqual({ kind: "answered", answer: "kept" });
  });
});
