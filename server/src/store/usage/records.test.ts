import { balancePool } from "@trunkline/core/funds-pool.ts";
import { newId } from "@trunkline/core/id.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { sampleSettlement } from "../../../test/support/sample-settlement.ts";
import type { Settlement } from "../../ledger/billing/settlement.ts";
import type { PostgresLedger } from "../ledger/ledger.ts";
import { closeUsageDays } from "./close-usage.ts";
import { UsageReader } from "./records.ts";

const EVER = { from: undefined, to: undefined };
let store: FreshStore;
let ledger: PostgresLedger;
let usageReader: UsageReader;

beforeAll(async () => {
  store = await openFreshStore();
  ledger = await store.openLedger();
  usageReader = new UsageReader(store.database);
});
afterAll(() => store.close());

/** An account with these requests on record, each for one nano-credit unless said otherwise. */
async function accountWith(...requests: Partial<Settlement>[]): Promise<string> {
  const accountId = await store.makeAccount(1_000_000n);
  await ledger.extendLease(balancePool(accountId), 1_000_000n);
  const keyId = newId();
  await ledger.write(requests.map((change) => sampleSettlement({ accountId, keyId, cost: 1n, ...change })));
  return accountId;
}

const at = (...moments: string[]) => moments.map((moment) => ({ createdAt: new Date(moment) }));
const rangeOf = (from: string, to: string) => ({ from: new Date(from), to: new Date(to) });

describe("the sum of an account's use", () => {
  it("counts answers, errors, tokens and cost, and nobody else's", async () => {
    const accountId = await accountWith({}, {}, { status: 502, cost: 0n }, { status: 499, cost: 0n });
    await accountWith({}, {});
    expect(await usageReader.total(accountId, EVER)).toEqual({
      requests: 2n,
      errors: 1n,
      input_tokens: 40n,
      output_tokens: 80n,
      cost: 2n,
    });
  });

  it("is zero, not nothing, where there was none", async () => {
    expect(await usageReader.total(await store.makeAccount(), EVER)).toEqual({
      requests: 0n,
      errors: 0n,
      input_tokens: 0n,
      output_tokens: 0n,
      cost: 0n,
    });
    expect(await usageReader.breakdown(await store.makeAccount(), "day", EVER, "UTC")).toEqual([]);
  });

  it("of a range includes its first moment and excludes its last", async () => {
    const accountId = await accountWith(
      ...at(
        "2026-01-14T23:59:59.999Z",
        "2026-01-15T00:00:00Z",
        "2026-01-15T23:59:59.999Z",
        "2026-01-16T00:00:00Z",
      ),
    );
    const count = async (from?: string, to?: string) => {
      const range = {
        from: from === undefined ? undefined : new Date(from),
        to: to === undefined ? undefined : new Date(to),
      };
      return (await usageReader.total(accountId, range))?.requests;
    };
    expect(await count("2026-01-15T00:00:00Z", "2026-01-16T00:00:00Z")).toBe(2n);
    expect(await count("2026-01-15T00:00:00Z")).toBe(3n);
    expect(await count(undefined, "2026-01-15T00:00:00Z")).toBe(1n);
    expect(await count("2026-01-16T00:15:00Z")).toBe(0n);
  });
});

describe("use by day", () => {
  const days = async (accountId: string, zone: string) => {
    const rows = await usageReader.breakdown(accountId, "day", EVER, zone);
    return rows.map(({ group, requests }) => [group, requests]);
  };

  it("is in the order of the days", async () => {
    const accountId = await accountWith(
      ...at("2026-01-16T12:00:00Z", "2026-01-14T12:00:00Z", "2026-01-15T12:00:00Z", "2026-01-15T13:00:00Z"),
    );
    expect(await days(accountId, "UTC")).toEqual([
      ["2026-01-14", 1n],
      ["2026-01-15", 2n],
      ["2026-01-16", 1n],
    ]);
  });

  it("turns at midnight of the zone, also of one that is half an hour off", async () => {
    // Midnight in India is half past six in the evening of the day before.
    const accountId = await accountWith(...at("2026-01-15T18:29:59Z", "2026-01-15T18:30:00Z"));
    expect(await days(accountId, "Asia/Kolkata")).toEqual([
      ["2026-01-15", 1n],
      ["2026-01-16", 1n],
    ]);
    expect(await days(accountId, "UTC")).toEqual([["2026-01-15", 2n]]);
  });

  it("turns right around a zone that is a quarter of an hour off", async () => {
    const accountId = await accountWith(...at("2026-01-15T18:14:59Z", "2026-01-15T18:15:00Z"));
    expect(await days(accountId, "Asia/Kathmandu")).toEqual([
      ["2026-01-15", 1n],
      ["2026-01-16", 1n],
    ]);
  });

  it("knows that a day is 23 hours long where the clocks go forward, and 25 where they go back", async () => {
    const accountId = await accountWith(
      // 29 March 2026 in Berlin lasts from 23:00 to 22:00 UTC, 25 October from 22:00 to 23:00.
      ...at("2026-03-28T22:59:59Z", "2026-03-28T23:00:00Z", "2026-03-29T21:59:59Z", "2026-03-29T22:00:00Z"),
      ...at("2026-10-24T21:59:59Z", "2026-10-24T22:00:00Z", "2026-10-25T22:59:59Z", "2026-10-25T23:00:00Z"),
    );
    expect(await days(accountId, "Europe/Berlin")).toEqual([
      ["2026-03-28", 1n],
      ["2026-03-29", 2n],
      ["2026-03-30", 1n],
      ["2026-10-24", 1n],
      ["2026-10-25", 2n],
      ["2026-10-26", 1n],
    ]);
  });

  it("can be asked for in every zone that the runtime knows", async () => {
    const rows = await store.database.query<{ name: string }>("SELECT name FROM pg_timezone_names");
    const known = new Set(rows.map(({ name }) => name.toLowerCase()));
    expect(Intl.supportedValuesOf("timeZone").filter((zone) => !known.has(zone.toLowerCase()))).toEqual([]);
  });
});

describe("use by anything else", () => {
  it("is grouped, the dearest first", async () => {
    const keyId = newId();
    const accountId = await accountWith(
      { model: "cheap", provider: "acme", task: "chat", cost: 5n },
      { model: "dear", provider: "other", task: "chat", cost: 50n },
      { model: "cheap", provider: "other", task: "code", cost: 5n, keyId },
    );
    const groups = async (grouping: "model" | "provider" | "task" | "key") =>
      (await usageReader.breakdown(accountId, grouping, EVER, "UTC")).map(({ group, cost }) => [group, cost]);
    expect(await groups("model")).toEqual([
      ["dear", 50n],
      ["cheap", 10n],
    ]);
    expect(await groups("provider")).toEqual([
      ["other", 55n],
      ["acme", 5n],
    ]);
    expect(await groups("task")).toEqual([
      ["chat", 55n],
      ["code", 5n],
    ]);
    expect(await groups("key")).toEqual([
      [expect.any(String), 55n],
      [keyId, 5n],
    ]);
  });

  it("tells the names of keys, of revoked ones too", async () => {
    const accountId = await accountWith();
    const keyId = await store.makeKey(accountId);
    await store.database.query("UPDATE api_keys SET revoked_at = now() WHERE id = $1", [keyId]);
    await ledger.write([
      sampleSettlement({ accountId, keyId }),
      sampleSettlement({ accountId, keyId: newId() }),
    ]);
    const rows = await usageReader.breakdown(accountId, "key", EVER, "UTC");
    expect(new Set(rows.map(({ key_name }) => key_name))).toEqual(new Set(["Test", null]));
  });

  it("keeps to the range", async () => {
    const accountId = await accountWith(
      { model: "early", createdAt: new Date("2026-01-01T00:00:00Z") },
      { model: "late", createdAt: new Date("2026-02-01T00:00:00Z") },
    );
    const rows = await usageReader.breakdown(
      accountId,
      "model",
      rangeOf("2026-01-15T00:00:00Z", "2026-03-01T00:00:00Z"),
      "UTC",
    );
    expect(rows.map(({ group }) => group)).toEqual(["late"]);
  });
});

describe("how a model has done", () => {
  it("is counted for all clients together, in closed days as in open ones", async () => {
    const provider = `p-${newId()}`;
    const model = { provider, name: "model" };
    await accountWith({ provider }, { provider, status: 502, cost: 0n }, { provider, model: "other" });
    await closeUsageDays(store.database);
    await accountWith({ provider, createdAt: new Date() }, { provider: "another" });
    expect(await usageReader.countsOf(model)).toEqual({ requests: 2, errors: 1 });
    expect(await usageReader.countsOf({ provider, name: "none" })).toEqual({ requests: 0, errors: 0 });
  });
});
