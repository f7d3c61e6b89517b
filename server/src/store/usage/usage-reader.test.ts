import { balancePool } from "@trunkline/core/funds-pool.ts";
import { newId } from "@trunkline/core/id.ts";
import { USAGE_GROUPS, type UsageGrouping } from "@trunkline/core/usage-groups.ts";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { sampleSettlement } from "../../../test/support/sample-settlement.ts";
import type { Settlement } from "../../ledger/billing/settlement.ts";
import type { PostgresLedger } from "../ledger/ledger.ts";
import type { UsageRow } from "./usage-columns.ts";
import type { UsageRange } from "./usage-query.ts";
import { UsageReader } from "./usage-reader.ts";
import { closeUsageDays } from "./usage-rollups.ts";

describe("usage.property", () => {
  const QUARTER_MS = 900_000;
  /** Nearly three days of traffic, of which the last can't be closed yet. */
  const TODAY = Math.floor(Date.now() / 86_400_000) * 86_400_000;
  const [FIRST, LAST] = [-62 * 4, 2 * 4];
  const [START, END] = [TODAY + FIRST * QUARTER_MS, TODAY + LAST * QUARTER_MS];
  const STATUSES = [200, 200, 200, 502, 499, 403];
  const KEYS = [newId(), newId()];

  let store: FreshStore;
  let usageReader: UsageReader;
  let accountId: string;
  let requests: readonly Settlement[];

  beforeAll(async () => {
    store = await openFreshStore();
    usageReader = new UsageReader(store.database);
    accountId = await store.makeAccount(1_000_000_000n);
    const ledger = await store.openLedger();
    await ledger.extendLease(balancePool(accountId), 1_000_000_000n);
    const [made] = fc.sample(traffic(accountId), { numRuns: 1, seed: 7 });
    requests = made ?? [];
    await ledger.write(requests.slice(0, requests.length / 2));
    expect(await closeUsageDays(store.database)).toBe(true);
    // What comes late finds its day closed.
    await ledger.write(requests.slice(requests.length / 2));
    const otherAccount = await store.makeAccount();
    await ledger.write(
      requests.map((request) => ({ ...request, requestId: newId(), accountId: otherAccount, cost: 0n })),
    );
  });
  afterAll(() => store.close());

  /** Moments, most of them where it matters: at the turn of a quarter or a day, and a millisecond off it. */
  const moment = fc.oneof(
    fc.integer({ min: START - QUARTER_MS, max: END + QUARTER_MS }),
    fc
      .tuple(
        fc.oneof(fc.integer({ min: FIRST - 1, max: LAST + 1 }), fc.constantFrom(-192, -96, 0)),
        fc.constantFrom(-1, 0, 1),
      )
      .map(([quarter, off]) => TODAY + quarter * QUARTER_MS + off),
  );

  function traffic(owner: string): fc.Arbitrary<Settlement[]> {
    const request = fc
      .record({
        at: moment.filter((at) => at >= START && at < END),
        status: fc.constantFrom(...STATUSES),
        keyId: fc.constantFrom(...KEYS),
        model: fc.constantFrom("small", "large", undefined),
        provider: fc.constantFrom("acme", "other", undefined),
        task: fc.constantFrom("chat", "code"),
        inputTokens: fc.nat(1_000),
        outputTokens: fc.nat(1_000),
        cost: fc.bigInt({ min: 0n, max: 1_000n }),
        tags: fc.constantFrom(undefined, { team: "red" }, { team: "blue", "it's": '"x"' }, { other: "a" }),
      })
      .map(({ at, ...change }) => sampleSettlement({ accountId: owner, createdAt: new Date(at), ...change }));
    return fc.array(request, { minLength: 500, maxLength: 500 });
  }

  const range: fc.Arbitrary<UsageRange> = fc.record({
    from: fc.option(
      moment.map((ms) => new Date(ms)),
      { nil: undefined },
    ),
    to: fc.option(
      moment.map((ms) => new Date(ms)),
      { nil: undefined },
    ),
  });

  const within = ({ from, to }: UsageRange) =>
    requests.filter(
      ({ createdAt }) => (from === undefined || createdAt >= from) && (to === undefined || createdAt < to),
    );

  /** The plain sum, request by request. */
  function sumOf(some: readonly Settlement[]): UsageRow {
    const sum = (read: (request: Settlement) => bigint) => some.reduce((total, request) => total + read(request), 0n);
    return {
      requests: sum(({ status }) => (status < 400 ? 1n : 0n)),
      errors: sum(({ status }) => (status >= 400 && status !== 499 ? 1n : 0n)),
      input_tokens: sum(({ inputTokens }) => BigInt(inputTokens)),
      output_tokens: sum(({ outputTokens }) => BigInt(outputTokens)),
      cost: sum(({ cost }) => cost),
    };
  }

  function groupOf(request: Settlement, grouping: UsageGrouping): string {
    // Kathmandu is 5 hours and 45 minutes ahead of UTC, all year round.
    if (grouping === "day") return new Date(request.createdAt.getTime() + 20_700_000).toISOString().slice(0, 10);
    if (grouping === "key") return request.keyId;
    return (grouping === "tag" ? request.tags?.team : request[grouping]) ?? "";
  }

  describe("the usage in any range", () => {
    it("is the plain sum of its requests", async () => {
      await fc.assert(
        fc.asyncProperty(range, async (asked) => {
          expect(await usageReader.total(accountId, asked)).toEqual(sumOf(within(asked)));
        }),
        { numRuns: 40, endOnFailure: true },
      );
    });

    it("is the same split into groups", async () => {
      await fc.assert(
        fc.asyncProperty(range, fc.constantFrom(...USAGE_GROUPS), async (asked, grouping) => {
          const tags = grouping === "tag" ? [{ name: "team", value: undefined }] : undefined;
          const rows = await usageReader.breakdown(accountId, grouping, asked, "Asia/Kathmandu", { tags });
          const counted = within(asked).filter((request) => tags === undefined || groupOf(request, "tag") !== "");
          const names = new Set(counted.map((request) => groupOf(request, grouping)));
          const sums = (row: UsageRow): UsageRow => ({
            requests: row.requests,
            errors: row.errors,
            input_tokens: row.input_tokens,
            output_tokens: row.output_tokens,
            cost: row.cost,
          });
          expect(Object.fromEntries(rows.map((row) => [row.group, sums(row)]))).toEqual(
            Object.fromEntries(
              [...names].map((name) => [name, sumOf(counted.filter((request) => groupOf(request, grouping) === name))]),
            ),
          );
        }),
        { numRuns: 30, endOnFailure: true },
      );
    });

    it("is complete from the first possible day to the last", async () => {
      const asked = { from: new Date("0000-01-01T00:00:00Z"), to: new Date("9999-12-31T23:59:59Z") };
      expect(await usageReader.total(accountId, asked)).toEqual(sumOf(requests));
      const rows = await usageReader.breakdown(accountId, "task", asked, "UTC");
      expect(rows.reduce((sum, { cost }) => sum + cost, 0n)).toBe(sumOf(requests).cost);
    });

    it.each([
      ["before everything", START - 7 * QUARTER_MS - 5, START - 1],
      ["after everything", END + 1, END + 9 * QUARTER_MS],
      ["that ends before it begins", START + 3 * QUARTER_MS + 7, START + 5],
      ["of no time at all", START + 7, START + 7],
      ["in a time that no id can have", -1_000_000_001, -7],
      ["at the end of what can be written", Date.UTC(9999, 11, 31, 23, 59, 58), Date.UTC(9999, 11, 31, 23, 59, 59)],
    ])("is zero %s", async (_which, from, to) => {
      const asked = { from: new Date(from), to: new Date(to) };
      expect(await usageReader.total(accountId, asked)).toEqual(sumOf([]));
      expect(await usageReader.breakdown(accountId, "model", asked, "UTC")).toEqual([]);
    });
  });
});

describe("records", () => {
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

  describe("the sum of an account's usage", () => {
    it("counts answers, errors, tokens and cost, of no other account", async () => {
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
        ...at("2026-01-14T23:59:59.999Z", "2026-01-15T00:00:00Z", "2026-01-15T23:59:59.999Z", "2026-01-16T00:00:00Z"),
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

  describe("usage by day", () => {
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

  describe("usage by another grouping", () => {
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

    it("has the names of keys, of revoked ones too", async () => {
      const accountId = await accountWith();
      const keyId = await store.makeKey(accountId);
      await store.database.query("UPDATE api_keys SET revoked_at = now() WHERE id = $1", [keyId]);
      await ledger.write([sampleSettlement({ accountId, keyId }), sampleSettlement({ accountId, keyId: newId() })]);
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

  describe("the counts of a model", () => {
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
});
