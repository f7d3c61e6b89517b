import { balancePool, LeaseLost } from "@trunkline/core/funds-pool.ts";
import { newId } from "@trunkline/core/id.ts";
import { FREE_PRICE, type Price } from "@trunkline/core/model.ts";
import type { ChargedUsage } from "@trunkline/core/usage.ts";
import { anyPrice, anyUsage } from "@trunkline/testing/any-price.ts";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type FreshStore, isSomeoneWaiting, openFreshStore } from "../../../test/support/fresh-store.ts";
import { openLeasedAccount } from "../../../test/support/leased-account.ts";
import { expectSoundLedger } from "../../../test/support/ledger-state.ts";
import { priceSettlements } from "../../../test/support/priced-settlements.ts";
import { sampleSettlement } from "../../../test/support/sample-settlement.ts";
import { type PricedUse, settlementOfSegments } from "../../../test/support/settled-segments.ts";
import type { Settlement } from "../../ledger/billing/settlement.ts";
import { RequestLog } from "../usage/request-log.ts";
import { UsageReader } from "../usage/usage-reader.ts";
import { auditLedger } from "./audit.ts";
import { PostgresIdempotentRuns } from "./idempotent-runs.ts";
import { grantCredits } from "./ledger.ts";

describe("ledger", () => {
  let store: FreshStore;

  beforeAll(async () => {
    store = await openFreshStore();
  });
  afterEach(() => expectSoundLedger(store.database));
  afterAll(() => store.close());

  describe("a charge that is given back", () => {
    it("is given back once, and only where there is one", async () => {
      const account = await store.makeAccount(100n);
      const ledger = await store.openLedger();
      const charged = sampleSettlement({
        requestId: newId(),
        accountId: account,
        keyId: newId(),
        held: 30n,
        cost: 30n,
      });
      await ledger.giveBackCharge(charged);
      await ledger.extendLease(balancePool(account), 30n);
      await ledger.write([charged]);
      // A settlement without a charge comes too late, and changes nothing.
      await ledger.write([{ ...charged, cost: 0n }]);
      const before = (await ledger.readPool(balancePool(account))).total;
      await Promise.all([ledger.giveBackCharge(charged), ledger.giveBackCharge(charged)]);
      await ledger.giveBackCharge(charged);
      expect((await ledger.readPool(balancePool(account))).total).toBe(before + 30n);
      expect(before + 30n).toBe(100n);
    });
  });

  describe("a grant", () => {
    it("puts credits on an account, again and again", async () => {
      const account = await store.makeAccount();
      const ledger = await store.openLedger();
      expect(await ledger.readPool(balancePool(account))).toMatchObject({ total: 0n, unleased: 0n });
      await grantCredits(store.database, account, 5n, "a first one");
      await grantCredits(store.database, account, 7n, "a second one");
      expect(await ledger.readPool(balancePool(account))).toMatchObject({ total: 12n, unleased: 12n });
    });

    it.each([0n, -5n])("of %d is refused, and nothing moves", async (amount) => {
      const account = await store.makeAccount(100n);
      const ledger = await store.openLedger();
      await expect(grantCredits(store.database, account, amount, "odd")).rejects.toThrow();
      expect(await ledger.readPool(balancePool(account))).toMatchObject({ total: 100n, unleased: 100n });
    });

    it("to an account that does not exist is refused", async () => {
      await expect(grantCredits(store.database, newId(), 5n, "nobody")).rejects.toThrow();
    });

    it("arrives whole although many come at once", async () => {
      const account = await store.makeAccount();
      await Promise.all(Array.from({ length: 20 }, () => grantCredits(store.database, account, 3n, "one of many")));
      expect((await (await store.openLedger()).readPool(balancePool(account))).total).toBe(60n);
    });
  });

  describe("a lease", () => {
    it("is an eighth of what is left while there is plenty, and at least what is needed", async () => {
      const account = await store.makeAccount(800n);
      const ledger = await store.openLedger();
      expect(await ledger.extendLease(balancePool(account), 10n)).toBe(100n);
      expect(await ledger.extendLease(balancePool(account), 10n)).toBe(87n);
      expect(await ledger.extendLease(balancePool(account), 500n)).toBe(500n);
      expect((await ledger.readPool(balancePool(account))).mine).toBe(687n);
      expect(await ledger.readPool(balancePool(account))).toMatchObject({ total: 800n, unleased: 113n });
    });

    it("takes the very last credit, and then moves nothing", async () => {
      const account = await store.makeAccount(10n);
      const ledger = await store.openLedger();
      expect(await ledger.extendLease(balancePool(account), 10n)).toBe(10n);
      expect(await ledger.extendLease(balancePool(account), 1n)).toBe(0n);
      expect(await ledger.readPool(balancePool(account))).toMatchObject({ total: 10n, unleased: 0n });
    });

    it("moves nothing where the balance is below the need, also for an account unknown to the ledger", async () => {
      const ledger = await store.openLedger();
      expect(await ledger.extendLease(balancePool(await store.makeAccount(9n)), 10n)).toBe(0n);
      expect(await ledger.extendLease(balancePool(await store.makeAccount()), 1n)).toBe(0n);
      expect(await ledger.extendLease(balancePool(newId()), 1n)).toBe(0n);
      expect((await ledger.readPool(balancePool(newId()))).mine).toBe(0n);
    });

    it("is each instance's own", async () => {
      const account = await store.makeAccount(80n);
      const [one, other] = [await store.openLedger(), await store.openLedger()];
      await one.extendLease(balancePool(account), 30n);
      expect((await one.readPool(balancePool(account))).mine).toBe(30n);
      expect((await other.readPool(balancePool(account))).mine).toBe(0n);
      expect(await other.readPool(balancePool(account))).toMatchObject({ total: 80n, unleased: 50n });
    });

    it("never overdraws, with many instances at once", async () => {
      const account = await store.makeAccount(1_000n);
      const ledgers = await Promise.all(Array.from({ length: 4 }, () => store.openLedger()));
      const taken = await Promise.all(
        Array.from(
          { length: 80 },
          async (_, index) =>
            (await ledgers[index % 4]?.extendLease(balancePool(account), BigInt(1 + ((index * 7) % 40)))) ?? 0n,
        ),
      );
      const sum = taken.reduce((total, amount) => total + amount, 0n);
      const leases = await Promise.all(
        ledgers.map(async (ledger) => (await ledger.readPool(balancePool(account))).mine),
      );
      expect(leases.reduce((total, amount) => total + amount, 0n)).toBe(sum);
      const { total, unleased } = (await ledgers[0]?.readPool(balancePool(account))) ?? {
        total: 0n,
        unleased: -1n,
      };
      expect(total).toBe(1_000n);
      expect(unleased).toBe(1_000n - sum);
      expect(unleased).toBeGreaterThanOrEqual(0n);
      // A lease that got nothing asked for more than was left at that moment: what is left now is less than the largest request.
      expect(unleased).toBeLessThan(40n);
    });

    it("waits for a grant in progress, and then counts it", async () => {
      const account = await store.makeAccount(8n);
      const ledger = await store.openLedger();
      const lease = await store.database.transaction(async (connection) => {
        await grantCredits(connection, account, 1_128n, "on its way");
        const waiting = ledger.extendLease(balancePool(account), 5n);
        await expect.poll(() => isSomeoneWaiting(store)).toBe(true);
        return { waiting };
      });
      expect(await lease.waiting).toBe(142n);
      expect(await ledger.readPool(balancePool(account))).toMatchObject({ total: 1_136n, unleased: 994n });
    });
  });

  describe("the history", () => {
    it.each([
      "UPDATE ledger_transfers SET amount = amount",
      "DELETE FROM ledger_transfers",
      "TRUNCATE ledger_transfers CASCADE",
    ])("can't be rewritten by %s", async (sql) => {
      await store.makeAccount(5n);
      await expect(store.database.query(sql)).rejects.toThrow("append-only");
    });

    it.each(["UPDATE price_versions SET per_image = 0", "DELETE FROM price_versions", "TRUNCATE price_versions"])(
      "of prices can't be rewritten by %s",
      async (sql) => {
        await expect(store.database.query(sql)).rejects.toThrow("append-only");
      },
    );

    it("does not let a balance fall below zero, even by hand", async () => {
      const account = await store.makeAccount(5n);
      const sql = "UPDATE ledger_accounts SET balance = -1 WHERE account_id = $1";
      await expect(store.database.query(sql, [account])).rejects.toMatchObject({ code: "23514" });
    });
  });
});

describe("ledger.legs", () => {
  const PLENTY = 10n ** 18n;
  const USAGE: ChargedUsage = {
    inputTokens: 10,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 20,
    images: 0,
    audioMs: 0,
  };

  let store: FreshStore;
  let cheap: PricedUse;
  let dear: PricedUse;

  /** A model with a price of its own, of which this was used. */
  async function useOf(model: string, price: Omit<Price, "version">, usage = USAGE): Promise<PricedUse> {
    const settle = await priceSettlements(store, price);
    return { model, price: { ...price, version: settle({ cost: 0n }).priceVersion ?? "" }, usage };
  }

  beforeAll(async () => {
    store = await openFreshStore();
    cheap = await useOf("cheap", {
      ...FREE_PRICE,
      inputPerMillion: 1_000_000n,
      outputPerMillion: 1_000_000n,
    });
    dear = await useOf("dear", {
      ...FREE_PRICE,
      inputPerMillion: 10_000_000n,
      outputPerMillion: 10_000_000n,
    });
  });
  afterEach(() => expectSoundLedger(store.database));
  afterAll(() => store.close());

  async function desk(balance = PLENTY) {
    const [accountId, keyId] = [await store.makeAccount(balance), newId()];
    const ledger = await store.openLedger();
    await ledger.extendLease(balancePool(accountId), balance);
    const quarters = () =>
      store.database.query(
        `SELECT model, requests, errors, input_tokens, output_tokens, cost FROM usage_quarters
       WHERE account_id = $1 ORDER BY model`,
        [accountId],
      );
    return { accountId, keyId, ledger, quarters };
  }

  const broken = async () => (await auditLedger(store.database)).findings.filter(({ verdict }) => verdict === "broken");

  async function tamper(statement: string): Promise<void> {
    await store.database.transaction(async (connection) => {
      await connection.query("SET LOCAL session_replication_role = replica");
      await connection.query(statement);
    });
  }

  describe("a request of several legs", () => {
    it("is charged once, and each leg is summed for its own model", async () => {
      const { accountId, keyId, ledger, quarters } = await desk(1_000n);
      const settlement = settlementOfSegments([cheap, dear], 500n, { accountId, keyId });
      await ledger.write([settlement, sampleSettlement({ accountId, keyId, model: "plain", priceVersion: "builtin" })]);
      expect((await ledger.readPool(balancePool(accountId))).mine).toBe(670n);
      expect(await quarters()).toEqual([
        { model: "cheap", requests: 0n, errors: 0n, input_tokens: 10n, output_tokens: 20n, cost: 30n },
        { model: "dear", requests: 1n, errors: 0n, input_tokens: 10n, output_tokens: 20n, cost: 300n },
        { model: "plain", requests: 1n, errors: 0n, input_tokens: 10n, output_tokens: 20n, cost: 0n },
      ]);
      const record = await new RequestLog(store.database).find(accountId, settlement.requestId);
      expect(record).toMatchObject({ model: "dear", price_version: "legs", cost: 330n, input_tokens: 20n });
      expect(record?.legs).toMatchObject([
        {
          model: "cheap",
          outcome: "cut-off",
          price_version: cheap.price.version,
          cost: 30n,
          output_tokens: 20n,
        },
        { model: "dear", outcome: "answered", price_version: dear.price.version, cost: 300n },
      ]);
    });

    it("is written once, although it is written again, apart or together", async () => {
      const { accountId, keyId, ledger, quarters } = await desk(1_000n);
      const settlement = settlementOfSegments([cheap, dear], 500n, { accountId, keyId });
      await ledger.write([settlement, settlement]);
      await ledger.write([settlement]);
      expect((await ledger.readPool(balancePool(accountId))).mine).toBe(670n);
      expect(await quarters()).toMatchObject([{ cost: 30n }, { cost: 300n }]);
    });

    it("counts for each of its models also where a range ends within its quarter of an hour", async () => {
      const { accountId, keyId, ledger } = await desk(1_000n);
      const createdAt = new Date("2026-01-15T12:05:00Z");
      await ledger.write([settlementOfSegments([cheap, dear], 500n, { accountId, keyId, createdAt })]);
      const range = { from: new Date("2026-01-15T12:01:00Z"), to: new Date("2026-01-15T12:10:00Z") };
      const usageReader = new UsageReader(store.database);
      expect(await usageReader.breakdown(accountId, "model", range, "UTC")).toMatchObject([
        { group: "dear", requests: 1n, cost: 300n, input_tokens: 10n },
        { group: "cheap", requests: 0n, cost: 30n, input_tokens: 10n },
      ]);
      expect(await usageReader.total(accountId, range)).toMatchObject({ requests: 1n, cost: 330n });
    });
  });

  describe("the audit", () => {
    it("computes every leg as it was charged, also where the hold limited it", async () => {
      const { accountId, keyId, ledger } = await desk();
      const uses = fc.array(fc.tuple(anyPrice, anyUsage), { minLength: 2, maxLength: 4 });
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(uses, fc.nat(120)), { minLength: 3, maxLength: 6 }), async (drawn) => {
          for (const [legs, percent] of drawn) {
            const priced: PricedUse[] = [];
            for (const [price, usage] of legs) priced.push(await useOf(newId(), price, usage));
            const whole = settlementOfSegments(priced, PLENTY).cost;
            const held = (whole * BigInt(percent)) / 100n;
            await ledger.write([
              settlementOfSegments(priced, held > 10n ** 13n ? 10n ** 13n : held, { accountId, keyId }),
            ]);
          }
          expect(await broken()).toEqual([]);
        }),
        { numRuns: 5, endOnFailure: true },
      );
    });

    it.each([
      [
        "a leg that costs more than its price",
        "UPDATE request_legs SET cost = cost + 1 WHERE leg = 1",
        ["prices", "legs", "usage-sums"],
      ],
      ["a leg of another price", "UPDATE request_legs SET price_version = '0' WHERE leg = 1", ["prices"]],
      [
        "a leg that used more",
        "UPDATE request_legs SET output_tokens = output_tokens + 1 WHERE leg = 2",
        ["prices", "legs", "usage-sums"],
      ],
      ["a leg that is gone", "DELETE FROM request_legs WHERE leg = 1", ["legs", "usage-sums"]],
      ["a leg of another model", "UPDATE request_legs SET model = 'other' WHERE leg = 2", ["legs", "usage-sums"]],
      [
        "a leg of no request",
        "UPDATE request_legs SET request_id = gen_random_uuid() WHERE leg = 2",
        ["legs", "usage-sums"],
      ],
    ])("finds %s", async (_what, statement, checks) => {
      const { accountId, keyId, ledger } = await desk();
      await ledger.write([settlementOfSegments([cheap, dear], 500n, { accountId, keyId })]);
      expect(await broken()).toEqual([]);
      await store.database.query("CREATE TABLE kept_legs AS SELECT * FROM request_legs");
      await tamper(statement);
      const found = (await broken()).map(({ check }) => check);
      await tamper("DELETE FROM request_legs; INSERT INTO request_legs SELECT * FROM kept_legs; DROP TABLE kept_legs");
      expect(found).toEqual(expect.arrayContaining(checks));
      expect(await broken()).toEqual([]);
    });
  });
});

describe("ledger.write", () => {
  let store: FreshStore;

  beforeAll(async () => {
    store = await openFreshStore();
  });
  afterEach(() => expectSoundLedger(store.database));
  afterAll(() => store.close());

  const desk = (balance?: bigint) => openLeasedAccount(store, balance);

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

    it("changes balances without writing an index, as none looks at them", async () => {
      const indexes = await store.database.query<{ definition: string }>(
        "SELECT pg_get_indexdef(indexrelid) AS definition FROM pg_index WHERE indrelid = 'ledger_accounts'::regclass",
      );
      const definitions = indexes.map(({ definition }) => definition);
      expect(definitions.length).toBeGreaterThan(0);
      expect(definitions.filter((definition) => /\bbalance\b/.test(definition))).toEqual([]);
    });

    it("keeps every field of a request as it was", async () => {
      const task = "a \"task\", \\ {in} 'braces'\nand lines";
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
        // The batch goes as texts of arrays: nothing in a value may end it.
        task,
        model: "NULL",
        priceVersion: undefined,
        tags: { team: 'a "b" \\ {c}\n😀' },
      });
      await ledger.write([settlement]);
      expect(await rows("requests")).toEqual([
        {
          id: settlement.requestId,
          account_id: settlement.accountId,
          key_id: settlement.keyId,
          path: "/v1/generate",
          task,
          model: "NULL",
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
          tags: { team: 'a "b" \\ {c}\n😀' },
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
      ["more input into a cache than there was", { inputTokens: 10, cachedInputTokens: 5, cacheWriteTokens: 6 }],
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
      await expect(ledger.write([settle(bad)])).rejects.toThrow();
      expect((await ledger.readPool(balancePool(accountId))).mine).toBe(1_000n);
      expect(await rows("requests")).toEqual([]);
      expect(await rows("usage_quarters")).toEqual([]);
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
      const otherAccount = await store.openLedger();
      await otherAccount.write([settle()]);
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
      expect((await ledgers[0]?.readPool(balancePool(accountId)))?.total).toBe(1_000_000n - (rows[0]?.recorded ?? 0n));
    });
  });
});
