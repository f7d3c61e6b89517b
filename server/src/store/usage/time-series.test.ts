import { balancePool } from "@trunkline/core/funds-pool.ts";
import { newId } from "@trunkline/core/id.ts";
import { bucketEdges, INTERVALS } from "@trunkline/core/time-zone.ts";
import { SERIES_GROUPS, type SeriesGrouping } from "@trunkline/core/usage-groups.ts";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { sampleSettlement } from "../../../test/support/sample-settlement.ts";
import type { Settlement } from "../../ledger/billing/settlement.ts";
import type { PostgresLedger } from "../ledger/ledger.ts";
import { LatencySeries, type SeriesPoint, UsageSeries } from "./time-series.ts";
import type { UsageRow } from "./usage-columns.ts";
import type { UsageFilter } from "./usage-query.ts";
import { UsageReader } from "./usage-reader.ts";
import { closeUsageDays } from "./usage-rollups.ts";

describe("usage-series.property", () => {
  const DAY_MS = 86_400_000;
  const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  /** Nearly three weeks of traffic, of which the last day can't be closed yet. */
  const [START, END] = [TODAY - 20 * DAY_MS, TODAY + 2 * 3_600_000];
  const KEYS = [newId(), newId()];
  const ZONES = ["UTC", "Europe/Berlin", "Asia/Kathmandu", "Pacific/Pago_Pago"];

  let store: FreshStore;
  let series: UsageSeries;
  let accountId: string;
  let requests: readonly Settlement[];

  beforeAll(async () => {
    store = await openFreshStore();
    series = new UsageSeries(store.database);
    accountId = await store.makeAccount(1_000_000_000n);
    const ledger = await store.openLedger();
    await ledger.extendLease(balancePool(accountId), 1_000_000_000n);
    const [made] = fc.sample(traffic, { numRuns: 1, seed: 7 });
    requests = (made ?? []).map((change) => sampleSettlement({ ...change, accountId }));
    await ledger.write(requests.slice(0, 300));
    expect(await closeUsageDays(store.database)).toBe(true);
    await ledger.write(requests.slice(300));
  });
  afterAll(() => store.close());

  const moment = fc.oneof(
    fc.integer({ min: START, max: END - 1 }),
    fc
      .tuple(fc.integer({ min: 0, max: 20 * 24 }), fc.constantFrom(-1, 0, 1))
      .map(([hour, off]) => Math.max(START, START + hour * 3_600_000 + off)),
  );

  /** Twelve models, so that some of them are among the others. */
  const traffic = fc.array(
    fc.record({
      createdAt: moment.map((ms) => new Date(ms)),
      status: fc.constantFrom(200, 200, 502, 499),
      keyId: fc.constantFrom(...KEYS),
      model: fc.option(
        fc.integer({ min: 1, max: 12 }).map((number) => `m-${number}`),
        { nil: undefined },
      ),
      provider: fc.constantFrom("acme", "other", undefined),
      task: fc.constantFrom("chat", "code"),
      inputTokens: fc.nat(1_000),
      outputTokens: fc.nat(1_000),
      cost: fc.bigInt({ min: 0n, max: 1_000n }),
      tags: fc.constantFrom(undefined, { team: "red" }, { team: "blue", "it's": '"x"' }, { other: "a" }),
    }),
    { minLength: 500, maxLength: 500 },
  );

  const query = fc.record({
    from: fc.option(moment, { nil: undefined }),
    to: fc.option(moment, { nil: undefined }),
    interval: fc.constantFrom(...INTERVALS),
    zone: fc.constantFrom(...ZONES),
    chosen: fc.constantFrom(...SERIES_GROUPS),
    filter: fc.record({
      model: fc.option(fc.constantFrom("m-1", "m-2"), { nil: undefined, freq: 3 }),
      provider: fc.option(fc.constantFrom("acme", "other"), { nil: undefined, freq: 3 }),
      keyId: fc.option(fc.constantFrom(...KEYS), { nil: undefined, freq: 3 }),
      task: fc.option(fc.constantFrom("chat", "code"), { nil: undefined, freq: 3 }),
      tags: fc.option(
        fc.constantFrom(
          [{ name: "team", value: undefined }],
          [
            { name: "team", value: "blue" },
            { name: "it's", value: '"x"' },
          ],
        ),
        { nil: undefined, freq: 3 },
      ),
    }),
  });

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

  const passes = (request: Settlement, filter: UsageFilter) =>
    (["model", "provider", "keyId", "task"] as const).every(
      (name) => filter[name] === undefined || request[name] === filter[name],
    ) &&
    (filter.tags ?? []).every(({ name, value }) => {
      const text = (request.tags as Readonly<Record<string, string>> | undefined)?.[name];
      return value === undefined ? text !== undefined : text === value;
    });

  function groupOf(request: Settlement, grouping: SeriesGrouping): string {
    if (grouping === "none") return "";
    if (grouping === "tag") return request.tags?.team ?? "";
    return (grouping === "key" ? request.keyId : request[grouping]) ?? "";
  }

  const isSomething = (row: UsageRow) => Object.values(row).some((value) => value !== 0n);
  const addUp = (pieces: readonly SeriesPoint[]) =>
    pieces.reduce<UsageRow>(
      (sum, piece) => ({
        requests: sum.requests + piece.requests,
        errors: sum.errors + piece.errors,
        input_tokens: sum.input_tokens + piece.input_tokens,
        output_tokens: sum.output_tokens + piece.output_tokens,
        cost: sum.cost + piece.cost,
      }),
      sumOf([]),
    );

  describe("a series of any range, zone, interval, grouping and filter", () => {
    it("is in each bucket and group the plain sum of its requests", async () => {
      await fc.assert(
        fc.asyncProperty(query, async ({ from, to, interval, zone, chosen, filter }) => {
          // Without a tag there is nothing to group by.
          const grouping = chosen === "tag" && filter.tags === undefined ? "none" : chosen;
          const edges = bucketEdges(from ?? START, Math.max(to ?? END, (from ?? START) + 1), interval, zone);
          const pieces = await series.points(accountId, {
            range: {
              from: from === undefined ? undefined : new Date(from),
              to: to === undefined ? undefined : new Date(to),
            },
            starts: edges.slice(0, -1),
            grouping,
            topBy: "requests",
            filter,
          });
          const counted = requests.filter((request) => {
            const at = request.createdAt.getTime();
            return (from === undefined || at >= from) && (to === undefined || at < to) && passes(request, filter);
          });
          expect(addUp(pieces)).toEqual(sumOf(counted));
          const named = new Set(pieces.flatMap(({ group }) => group ?? []));
          expect(named.size).toBeLessThanOrEqual(8);
          for (const [index, start] of edges.slice(0, -1).entries()) {
            const ofPart = counted.filter(
              ({ createdAt }) => createdAt.getTime() >= start && createdAt.getTime() < (edges[index + 1] ?? Infinity),
            );
            for (const group of [...named, null]) {
              const piece = pieces.find((one) => one.bucket === index + 1 && one.group === group);
              const expected = sumOf(
                ofPart.filter((request) => {
                  const name = groupOf(request, grouping);
                  return group === null ? !named.has(name) : name === group;
                }),
              );
              if (piece === undefined) expect(isSomething(expected)).toBe(false);
              else expect(addUp([piece])).toEqual(expected);
            }
          }
        }),
        { numRuns: 40, endOnFailure: true },
      );
    });

    it("names the largest groups, by the given measure", async () => {
      const read = async (topBy: "cost" | "errors") => {
        const pieces = await series.points(accountId, {
          range: { from: undefined, to: undefined },
          starts: [START],
          grouping: "model",
          topBy,
          filter: {},
        });
        return pieces.filter(({ group }) => group !== null).map((piece) => piece[topBy]);
      };
      for (const topBy of ["cost", "errors"] as const) {
        const shown = await read(topBy);
        expect(shown).toHaveLength(8);
        expect(shown).toEqual(shown.toSorted((a, b) => Number(b - a)));
      }
    });

    it("of a breakdown by day that is filtered is the plain sum as well", async () => {
      const rows = await new UsageReader(store.database).breakdown(
        accountId,
        "day",
        { from: undefined, to: undefined },
        "UTC",
        { model: "m-1", keyId: KEYS[0] },
      );
      const counted = requests.filter((request) => passes(request, { model: "m-1", keyId: KEYS[0] }));
      expect(counted.length).toBeGreaterThan(0);
      expect(rows.reduce((sum, { cost }) => sum + cost, 0n)).toBe(sumOf(counted).cost);
      for (const { group, requests: count } of rows) {
        const ofDay = counted.filter(({ createdAt }) => createdAt.toISOString().startsWith(group));
        expect(count).toBe(sumOf(ofDay).requests);
      }
    });

    it("begins with the first use", async () => {
      const first = Math.min(...requests.map(({ createdAt }) => createdAt.getTime()));
      expect(await series.firstUse(accountId)).toEqual(new Date(first - (first % 900_000)));
      expect(await series.firstUse(newId())).toBeUndefined();
    });
  });
});

describe("latencies", () => {
  const [FROM, MIDDLE, TO] = ["10:00", "11:00", "12:00"].map((time) => new Date(`2026-01-15T${time}:00Z`)) as [
    Date,
    Date,
    Date,
  ];
  let store: FreshStore;
  let ledger: PostgresLedger;

  beforeAll(async () => {
    store = await openFreshStore();
    ledger = await store.openLedger();
  });
  afterAll(() => store.close());

  async function accountWith(requests: readonly Partial<Settlement>[]): Promise<string> {
    const accountId = await store.makeAccount();
    const keyId = await store.makeKey(accountId);
    const written = requests.map((change) => sampleSettlement({ accountId, keyId, createdAt: FROM, ...change }));
    for (let from = 0; from < written.length; from += 250) await ledger.write(written.slice(from, from + 250));
    return accountId;
  }

  const read = (accountId: string, grouping: "none" | "model" = "none", filter = {}, measuredMax?: number) =>
    new LatencySeries(store.database, measuredMax).read(accountId, {
      from: FROM,
      to: TO,
      starts: [FROM.getTime(), MIDDLE.getTime()],
      grouping,
      filter,
    });

  describe("the latency of answers", () => {
    it("is reported for each bucket and for the whole range, of answers alone", async () => {
      const accountId = await accountWith([
        ...[10, 20, 30].map((latencyMs) => ({ latencyMs })),
        { latencyMs: 1_000, createdAt: MIDDLE },
        { latencyMs: 9_999, status: 502 },
        { latencyMs: 9_999, createdAt: TO },
      ]);
      const { oneIn, rows } = await read(accountId);
      expect(oneIn).toBe(1);
      expect(rows).toEqual([
        expect.objectContaining({ bucket: 1, requests: 3n, p50: 20, p95: 29, mean: 20, grouped: false }),
        expect.objectContaining({ bucket: 2, requests: 1n, p50: 1_000, p95: 1_000, mean: 1_000 }),
        expect.objectContaining({ bucket: null, requests: 4n, p50: 25, mean: 265 }),
      ]);
    });

    it("is reported by group, with the rest as one, and can be filtered", async () => {
      const models = Array.from({ length: 10 }, (_, index) => `m-${index}`);
      const accountId = await accountWith(
        models.flatMap((model, index) => Array.from({ length: 20 - index }, () => ({ model, latencyMs: index }))),
      );
      const { rows } = await read(accountId, "model");
      const whole = rows.filter(({ grouped, bucket }) => grouped && bucket === null);
      expect(whole.map(({ group, requests }) => [group, requests])).toEqual([
        ...models.slice(0, 8).map((model, index) => [model, BigInt(20 - index)]),
        [null, 23n],
      ]);
      const filtered = await read(accountId, "none", { model: "m-3" });
      expect(filtered.rows.at(-1)).toMatchObject({ bucket: null, requests: 17n, p50: 3 });
    });

    it("is empty without requests", async () => {
      expect(await read(await store.makeAccount(), "model")).toEqual({ oneIn: 1, rows: [] });
    });

    it("is estimated from a sample where there are too many", async () => {
      const accountId = await accountWith(Array.from({ length: 4_000 }, (_, index) => ({ latencyMs: index })));
      expect((await read(accountId, "none", {}, 4_000)).oneIn).toBe(1);
      const { oneIn, rows } = await read(accountId, "none", {}, 3_999);
      expect(oneIn).toBe(16);
      const measured = Number(rows.at(-1)?.requests);
      // 250 are expected; 4,000 draws of one in 16 are never this far off.
      expect(measured).toBeGreaterThan(120);
      expect(measured).toBeLessThan(400);
      expect(rows.at(-1)?.p50).toBeGreaterThan(1_000);
      expect(rows.at(-1)?.p50).toBeLessThan(3_000);
      // However many there are, some sample is taken.
      expect((await read(accountId, "none", {}, -1)).oneIn).toBe(4096);
    });
  });
});
