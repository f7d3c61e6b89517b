import { balancePool, LeaseLost } from "@trunkline/core/funds-pool.ts";
import { newId } from "@trunkline/core/id.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { expectSoundBooks } from "../../../test/support/books.ts";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { sampleSettlement } from "../../../test/support/sample-settlement.ts";
import type { Settlement } from "../../ledger/billing/settlement.ts";
import { PostgresIdempotentRuns } from "./idempotent-runs.ts";

let store: FreshStore;

beforeAll(async () => {
  store = await openFreshStore();
});
afterEach(() => expectSoundBooks(store.database));
afterAll(() => store.close());

/** An account, and an instance that has leased all of its money. */
async function desk(balance = 1_000n) {
  const [accountId, keyId, instanceId] = [await store.makeAccount(balance), newId(), newId()];
  const ledger = await store.openLedger(instanceId);
  await ledger.extendLease(balancePool(accountId), balance);
  const settle = (change: Partial<Settlement> = {}) => sampleSettlement({ accountId, keyId, ...change });
  const rows = (table: string) =>
    store.database.query(`SELECT * FROM ${table} WHERE account_id = $1`, [accountId]);
  return { accountId, keyId, instanceId, ledger, settle, rows };
}

describe("a batch", () => {
  it("is charged, recorded and summed in one go", async () => {
    const { accountId, ledger, settle, rows } = await desk();
    await ledger.write([
      settle({ cost: 30n }),
      settle({ cost: 20n }),
      settle({ cost: 0n, status: 502, errorType: "provider_error" }),
      settle({ cost: 0n, status: 499 }),
      settle({ cost: 5n, model: undefined, provider: undefined }),
    ]);
    expect((await ledger.readPool(balancePool(accountId))).mine).toBe(945n);
    expect(await ledger.readPool(balancePool(accountId))).toMatchObject({ total: 945n, unleased: 0n });
    expect(await rows("requests")).toHaveLength(5);
    expect(await rows("usage_quarters")).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          model: "model",
          requests: 2n,
          errors: 1n,
          input_tokens: 40n,
          output_tokens: 80n,
          cost: 50n,
        }),
        expect.objectContaining({ model: "", requests: 1n, errors: 0n, cost: 5n }),
      ]),
    );
  });

  it("keeps every field of a request as it was", async () => {
    const { ledger, settle, rows } = await desk();
    const createdAt = new Date("2026-03-29T01:59:59.987Z");
    const detail = {
      text: 'quotes " and \\ and {braces}, a comma',
      emoji: "😀",
      zero: "\u0000",
      lone: "\ud800",
      lines: "one\ntwo\r\n\u2028three",
      list: [1, null],
      empty: {},
    };
    const settlement = settle({
      createdAt,
      detail,
      cost: 7n,
      held: 9n,
      images: 3,
      cachedInputTokens: 4,
      cacheWriteTokens: 5,
      audioMs: 1_234,
      discount: 5_000,
      latencyMs: 0.125,
      task: "a 'task'",
      priceVersion: undefined,
    });
    await ledger.write([settlement]);
    expect(await rows("requests")).toEqual([
      {
        id: settlement.requestId,
        account_id: settlement.accountId,
        key_id: settlement.keyId,
        path: "/v1/generate",
        task: "a 'task'",
        model: "model",
        provider: "acme",
        status: 200,
        error_type: null,
        input_tokens: 10n,
        output_tokens: 20n,
        images: 3,
        usage_source: "provider",
        price_version: null,
        held: 9n,
        cost: 7n,
        latency_ms: 0.125,
        detail,
        created_at: createdAt,
        cached_input_tokens: 4n,
        cache_write_tokens: 5n,
        audio_ms: 1_234n,
        discount: 5_000,
      },
    ]);
  });

  it("gives each request its own detail", async () => {
    const { ledger, settle, rows } = await desk();
    const batch = ["one\ntwo", "", "three"].map((text) => settle({ detail: { text } }));
    await ledger.write(batch);
    const kept = new Map((await rows("requests")).map(({ id, detail }) => [id, detail]));
    expect(kept).toEqual(new Map(batch.map(({ requestId, detail }) => [requestId, detail])));
  });

  it("charges once per request, although it is written twice, apart or together", async () => {
    const { accountId, ledger, settle, rows } = await desk();
    const [one, other] = [settle({ cost: 30n }), settle({ cost: 20n })];
    await ledger.write([one, one]);
    await ledger.write([one]);
    await ledger.write([other, one, other]);
    expect((await ledger.readPool(balancePool(accountId))).mine).toBe(950n);
    expect(await rows("requests")).toHaveLength(2);
    expect(await rows("usage_quarters")).toMatchObject([{ requests: 2n, cost: 50n }]);
  });

  it("charges once although the same batch is written twice at the same moment", async () => {
    const { accountId, ledger, settle } = await desk();
    const batch = Array.from({ length: 10 }, () => settle({ cost: 10n }));
    await Promise.all([ledger.write(batch), ledger.write(batch), ledger.write(batch)]);
    expect((await ledger.readPool(balancePool(accountId))).mine).toBe(900n);
  });

  it.each<[string, Partial<Settlement>]>([
    ["a charge beyond the lease", { cost: 1_001n }],
    ["a charge beyond what was held", { cost: 50n, held: 49n }],
    ["more input out of a cache than there was", { inputTokens: 10, cachedInputTokens: 11 }],
    [
      "more input into a cache than there was",
      { inputTokens: 10, cachedInputTokens: 5, cacheWriteTokens: 6 },
    ],
    ["less than no input into a cache", { inputTokens: 10, cacheWriteTokens: -1 }],
    ["a charge to an account that nothing was leased of", { cost: 1n, accountId: newId() }],
  ])("is refused whole for %s: nothing of it is written", async (_why, bad) => {
    const { accountId, instanceId, ledger, settle, rows } = await desk();
    const runs = new PostgresIdempotentRuns(store.database, instanceId);
    const good = settle({ cost: 10n, idempotent: { key: "k", answer: { parts: [] } } });
    const claim = {
      accountId,
      path: good.path,
      key: "k",
      fingerprint: Buffer.alloc(32),
      requestId: good.requestId,
    };
    await runs.claim(claim);
    await expect(ledger.write([good, settle(bad)])).rejects.toThrow();
    expect((await ledger.readPool(balancePool(accountId))).mine).toBe(1_000n);
    expect(await rows("requests")).toEqual([]);
    expect(await rows("usage_quarters")).toEqual([]);
    expect(await runs.claim({ ...claim, requestId: newId() })).toEqual({ kind: "running" });
  });

  it("is refused whole where only its sum is beyond the lease", async () => {
    const { accountId, ledger, settle } = await desk(100n);
    await expect(ledger.write([settle({ cost: 60n }), settle({ cost: 60n })])).rejects.toThrow(LeaseLost);
    expect((await ledger.readPool(balancePool(accountId))).mine).toBe(100n);
    await ledger.write([settle({ cost: 60n }), settle({ cost: 40n })]);
    expect((await ledger.readPool(balancePool(accountId))).mine).toBe(0n);
  });

  it("of free requests needs no lease", async () => {
    const { settle, rows } = await desk();
    const stranger = await store.openLedger();
    await stranger.write([settle()]);
    expect(await rows("requests")).toHaveLength(1);
  });

  it("keeps idempotent answers, and only for the very request that claimed the key", async () => {
    const { accountId, instanceId, ledger, settle } = await desk();
    const runs = new PostgresIdempotentRuns(store.database, instanceId);
    const settlement = settle({
      idempotent: { key: "k", answer: { parts: [{ type: "text", text: "\u0000😀" }] } },
    });
    const claim = {
      accountId,
      path: settlement.path,
      key: "k",
      fingerprint: Buffer.alloc(32),
      requestId: settlement.requestId,
    };
    await runs.claim(claim);
    await ledger.write([settle({ idempotent: { key: "k", answer: "of another request" } })]);
    expect(await runs.claim({ ...claim, requestId: newId() })).toEqual({ kind: "running" });
    await ledger.write([settlement, settle(), settle({ cost: 1n })]);
    expect(await runs.claim({ ...claim, requestId: newId() })).toEqual({
      kind: "answered",
      answer: { parts: [{ type: "text", text: "\u0000😀" }] },
    });
  });

  it("may be as large as the largest, and empty", async () => {
    const { accountId, ledger, settle } = await desk(10_000n);
    await ledger.write(Array.from({ length: 256 }, () => settle({ cost: 2n })));
    await ledger.write([]);
    expect((await ledger.readPool(balancePool(accountId))).mine).toBe(10_000n - 512n);
  });
});

describe("several instances that write at once", () => {
  it("for the same keys and models get through, whatever the order of their rows", async () => {
    const accountId = await store.makeAccount(1_000_000n);
    const keys = Array.from({ length: 40 }, () => newId());
    const ledgers = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const ledger = await store.openLedger();
        await ledger.extendLease(balancePool(accountId), 100_000n);
        return ledger;
      }),
    );
    for (let round = 0; round < 15; round++) {
      await Promise.all(
        ledgers.map((ledger, index) => {
          const count = 10 + ((round * 7 + index * 11) % 30);
          const rotated = [...keys.slice(round * index), ...keys].slice(0, count);
          const ordered = index === 1 ? rotated.reverse() : rotated;
          return ledger.write(ordered.map((keyId) => sampleSettlement({ accountId, keyId, cost: 1n })));
        }),
      );
    }
    const rows = await store.database.query<{ cost: bigint; recorded: bigint }>(
      `SELECT (SELECT sum(cost)::bigint FROM usage_quarters WHERE account_id = $1) AS cost,
         (SELECT sum(cost)::bigint FROM requests WHERE account_id = $1) AS recorded`,
      [accountId],
    );
    expect(rows[0]?.cost).toBe(rows[0]?.recorded);
    expect((await ledgers[0]?.readPool(balancePool(accountId)))?.total).toBe(
      1_000_000n - (rows[0]?.recorded ?? 0n),
    );
  });
});
