import { balancePool } from "@trunkline/core/funds-pool.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { sampleSettlement } from "../../../test/support/sample-settlement.ts";
import type { PostgresLedger } from "../ledger/ledger.ts";
import { AccountOverviews } from "./account-overview.ts";
import { UsageReader } from "./usage-reader.ts";
import { closeUsageDays } from "./usage-rollups.ts";

/** Half past ten in the morning of a Sunday in March in New York, when the clocks went forward in the night. */
const NOW = Date.parse("2026-03-08T14:30:00Z");
const ZONE = "America/New_York";

let store: FreshStore;
let ledger: PostgresLedger;
let accountOverviews: AccountOverviews;
let accountId: string;
let keyId: string;

beforeAll(async () => {
  store = await openFreshStore();
  ledger = await store.openLedger();
  accountOverviews = new AccountOverviews(store.database, new UsageReader(store.database));
});
beforeEach(async () => {
  accountId = await store.makeAccount(1_000n);
  keyId = await store.makeKey(accountId);
  await ledger.extendLease(balancePool(accountId), 500n);
});
afterAll(() => store.close());

const read = () => accountOverviews.read(accountId, ZONE, NOW);
const answer = (at: string, cost = 1n, more = {}) =>
  ledger.write([sampleSettlement({ accountId, keyId, createdAt: new Date(at), cost, ...more })]);
const USED = (requests: number, cost: number, errors = 0) => ({
  requests: BigInt(requests),
  errors: BigInt(errors),
  cost: BigInt(cost),
});

describe("an overview", () => {
  it("counts days and months in the account's time zone", async () => {
    await answer("2026-03-08T04:59:59Z", 1n);
    await answer("2026-03-08T05:00:00Z", 2n);
    await answer("2026-03-01T05:00:00Z", 4n);
    await answer("2026-03-01T04:59:59Z", 8n);
    await answer("2026-03-08T14:00:00Z", 0n, { status: 502 });
    const overview = await read();
    expect(overview.today).toEqual(USED(1, 2, 1));
    expect(overview.month).toEqual(USED(3, 7, 1));
    expect(overview.days).toHaveLength(30);
    expect(overview.days[0]).toEqual({ day: "2026-02-07", ...USED(0, 0) });
    expect(overview.days.slice(-2)).toEqual([
      { day: "2026-03-07", ...USED(1, 1) },
      { day: "2026-03-08", ...USED(1, 2, 1) },
    ]);
    expect(overview.days.find(({ day }) => day === "2026-02-28")).toMatchObject(USED(1, 8));
  });

  it("compares with as much of yesterday as today has lasted", async () => {
    await answer("2026-03-07T04:59:59Z");
    await answer("2026-03-07T05:00:00Z");
    await answer("2026-03-07T14:29:59Z");
    await answer("2026-03-07T14:30:00Z");
    expect((await read()).yesterday).toEqual(USED(2, 2));
  });

  it("has a whole month that began before the thirty days", async () => {
    await answer("2026-01-01T05:00:00Z", 3n);
    const overview = await accountOverviews.read(accountId, ZONE, Date.parse("2026-01-31T12:00:00Z"));
    expect(overview.days[0]?.day).toBe("2026-01-02");
    expect(overview.month).toEqual(USED(1, 3));
  });

  it("is the same when its days are closed", async () => {
    await answer("2026-03-08T04:59:59Z", 1n);
    await answer("2026-03-08T05:00:00Z", 2n);
    const before = await read();
    await closeUsageDays(store.database);
    expect(await read()).toEqual(before);
    expect(before.month).toEqual(USED(2, 3));
  });

  it("has the whole balance, leased or not, and the account's alert threshold", async () => {
    await answer("2026-03-08T05:00:00Z", 100n);
    expect(await read()).toMatchObject({ balance: 900n, lowBalance: undefined, wasFunded: true });
    await store.database.query("UPDATE accounts SET low_balance = 7 WHERE id = $1", [accountId]);
    expect(await read()).toMatchObject({ lowBalance: 7n });
    accountId = await store.makeAccount();
    expect(await read()).toMatchObject({ balance: 0n, wasFunded: false, hasKey: false });
  });
});

describe("the first and the last request", () => {
  it("are none at first", async () => {
    expect(await read()).toMatchObject({ hasKey: true, firstRequest: undefined, lastRequest: undefined });
  });

  it("are the first that was answered and the last of all, whatever failed before and after", async () => {
    await answer("2026-03-08T12:00:00Z", 0n, { status: 402 });
    expect((await read()).firstRequest).toBeUndefined();
    await answer("2026-03-08T13:00:00Z", 0n, { status: 502 });
    await answer("2026-03-08T13:01:00Z", 5n, { model: "one" });
    await answer("2026-03-08T13:02:00Z", 6n, { model: "two" });
    await answer("2026-03-08T14:00:00Z", 0n, { status: 400, model: undefined, provider: undefined });
    const { firstRequest, lastRequest } = await read();
    expect(firstRequest).toMatchObject({ provider: "acme", model: "one", cost: 5n, status: 200 });
    expect(lastRequest).toMatchObject({ provider: null, model: null, cost: 0n, status: 400 });
  });

  it("leave out requests from the dashboard where those of keys are meant", async () => {
    const ownKey = keyId;
    keyId = await store.makeKey(accountId);
    await store.database.query("UPDATE api_keys SET dashboard = true WHERE id = $1", [keyId]);
    await answer("2026-03-08T13:00:00Z", 1n, { model: "playground" });
    expect(await read()).toMatchObject({ firstRequest: undefined, lastRequest: { model: "playground" } });
    await answer("2026-03-08T13:30:00Z", 1n, { model: "playground" });
    await answer("2026-03-08T13:31:00Z", 1n, { model: "own", keyId: ownKey });
    expect((await read()).firstRequest).toMatchObject({ model: "own" });
  });
});

describe("the step of creating a key", () => {
  it("is undone by revoking one that was never used, and stays done by one that was", async () => {
    const revoke = () => store.database.query("UPDATE api_keys SET revoked_at = now() WHERE id = $1", [keyId]);
    await revoke();
    expect((await read()).hasKey).toBe(false);
    await answer("2026-03-08T13:00:00Z");
    expect((await read()).hasKey).toBe(true);
  });
});
