import { balancePool } from "@trunkline/core/funds-pool.ts";
import { newId } from "@trunkline/core/id.ts";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { sampleSettlement } from "../../../test/support/sample-settlement.ts";
import type { Settlement } from "../../ledger/billing/settlement.ts";
import { closeUsageDays } from "./close-usage.ts";
import { USAGE_GROUPS, type UsageGrouping, UsageReader, type UsageRow } from "./records.ts";
import type { UsageRange } from "./usage-source.ts";

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
  const stranger = await store.makeAccount();
  await ledger.write(
    requests.map((request) => ({ ...request, requestId: newId(), accountId: stranger, cost: 0n })),
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
  const sum = (read: (request: Settlement) => bigint) =>
    some.reduce((total, request) => total + read(request), 0n);
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
  if (grouping === "day")
    return new Date(request.createdAt.getTime() + 20_700_000).toISOString().slice(0, 10);
  if (grouping === "key") return request.keyId;
  return request[grouping] ?? "";
}

describe("the use in any range", () => {
  it("is the plain sum of its requests", async () => {
    await fc.assert(
      fc.asyncProperty(range, async (asked) => {
        expect(await usageReader.total(accountId, asked)).toEqual(sumOf(within(asked)));
      }),
      { numRuns: 150, endOnFailure: true },
    );
  });

  it("is the same split into groups", async () => {
    await fc.assert(
      fc.asyncProperty(range, fc.constantFrom(...USAGE_GROUPS), async (asked, grouping) => {
        const rows = await usageReader.breakdown(accountId, grouping, asked, "Asia/Kathmandu");
        const names = new Set(within(asked).map((request) => groupOf(request, grouping)));
        const sums = (row: UsageRow): UsageRow => ({
          requests: row.requests,
          errors: row.errors,
          input_tokens: row.input_tokens,
          output_tokens: row.output_tokens,
          cost: row.cost,
        });
        expect(Object.fromEntries(rows.map((row) => [row.group, sums(row)]))).toEqual(
          Object.fromEntries(
            [...names].map((name) => [
              name,
              sumOf(within(asked).filter((request) => groupOf(request, grouping) === name)),
            ]),
          ),
        );
      }),
      { numRuns: 100, endOnFailure: true },
    );
  });

  it("is all of it from the first day that can be written to the last", async () => {
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
    [
      "at the end of what can be written",
      Date.UTC(9999, 11, 31, 23, 59, 58),
      Date.UTC(9999, 11, 31, 23, 59, 59),
    ],
  ])("is zero %s", async (_which, from, to) => {
    const asked = { from: new Date(from), to: new Date(to) };
    expect(await usageReader.total(accountId, asked)).toEqual(sumOf([]));
    expect(await usageReader.breakdown(accountId, "model", asked, "UTC")).toEqual([]);
  });
});
