import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { sampleSettlement } from "../../../test/support/sample-settlement.ts";
import type { Settlement } from "../../ledger/billing/settlement.ts";
import type { PostgresLedger } from "../ledger/ledger.ts";
import { LatencySeries } from "./latencies.ts";

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
  const written = requests.map((change) =>
    sampleSettlement({ accountId, keyId, createdAt: FROM, ...change }),
  );
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

describe("how long answers took", () => {
  it("is told for each part of a range and for the whole, of answers alone", async () => {
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

  it("is told by group, with the rest as one, and can be filtered", async () => {
    const models = Array.from({ length: 10 }, (_, index) => `m-${index}`);
    const accountId = await accountWith(
      models.flatMap((model, index) =>
        Array.from({ length: 20 - index }, () => ({ model, latencyMs: index })),
      ),
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

  it("is nothing where there was nothing", async () => {
    expect(await read(await store.makeAccount(), "model")).toEqual({ oneIn: 1, rows: [] });
  });

  it("is told by a sample where there are too many, which says much the same", async () => {
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
