import { balancePool } from "@trunkline/core/funds-pool.ts";
import { newId } from "@trunkline/core/id.ts";
import { priceOf } from "@trunkline/core/price.ts";
import { anyPrice, anyUsage } from "@trunkline/testing/any-price.ts";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type FreshStore, openFreshStore } from "../../../test/support/fresh-store.ts";
import { openTraffic, step } from "../../../test/support/ledger-traffic.ts";
import { priceSettlements } from "../../../test/support/priced-settlements.ts";
import type { Settlement } from "../../ledger/billing/settlement.ts";
import { closeUsageDays } from "../usage/usage-rollups.ts";
import { auditLedger } from "./audit.ts";
import type { PostgresLedger } from "./ledger.ts";
import { sealLedger } from "./seal-ledger.ts";

describe("audit", () => {
  let store: FreshStore;
  let settle: Awaited<ReturnType<typeof priceSettlements>>;

  beforeEach(async () => {
    store = await openFreshStore();
    settle = await priceSettlements(store);
  });
  afterEach(() => store.close());

  /** Changes what is forbidden: the guards are off meanwhile. */
  async function tamper(statement: string, values: readonly unknown[] = []): Promise<void> {
    await store.database.transaction(async (connection) => {
      await connection.query("SET LOCAL session_replication_role = replica");
      await connection.query(statement, values);
    });
  }

  /** The checks that do not hold, each with its first example. */
  async function broken(): Promise<Record<string, string | undefined>> {
    const { findings } = await auditLedger(store.database);
    const failed = findings.filter(({ verdict }) => verdict !== "sound");
    return Object.fromEntries(failed.map(({ check, examples }) => [check, examples[0]]));
  }

  const NOTHING = { cost: 0n, inputTokens: 0, usageSource: "none" } as const;

  describe("a sound ledger", () => {
    it("are found sound before anything has happened", async () => {
      expect(await auditLedger(store.database)).toMatchObject({ transfers: 0n, seal: undefined });
      expect(await broken()).toEqual({});
    });

    it("are found sound after any traffic", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 20 }), fc.nat(19), async (steps, at) => {
          const traffic = await openTraffic(store, settle);
          for (const [index, next] of steps.entries()) {
            await traffic.take(next);
            if (index === at) await sealLedger(store.database);
          }
          expect(await broken()).toEqual({});
          await traffic.close();
          expect(await broken()).toEqual({});
        }),
        { numRuns: 6, endOnFailure: true },
      );
    });

    it("are found sound where days were closed, and more came late", async () => {
      const { ledger, charge } = await desk();
      expect(await closeUsageDays(store.database)).toBe(true);
      await ledger.write([charge({ cost: 3n }), charge({ cost: 4n, model: "other" })]);
      expect(await broken()).toEqual({});
    });

    it("may be audited while money moves", async () => {
      const { ledger, charge } = await desk();
      const moving = Array.from({ length: 20 }, () => ledger.write([charge({ cost: 3n })]));
      const audits = await Promise.all(Array.from({ length: 5 }, () => broken()));
      await Promise.all(moving);
      expect(audits).toEqual(audits.map(() => ({})));
    });

    it("may have costs of every kind", async () => {
      const { ledger, charge } = await desk();
      await ledger.write([
        // Half a nano-credit is rounded up, once.
        charge({ cost: 18n, inputTokens: 10, outputTokens: 3 }),
        charge({ cost: 2_010n, inputTokens: 10, images: 2 }),
        // Nine tokens out of the cache are 0.9, one is not; three milliseconds of audio are 0.6.
        charge({ cost: 3n, inputTokens: 10, cachedInputTokens: 9, audioMs: 3 }),
        // Six into the cache are 7.5, two out of it 0.2, and two are plain.
        charge({ cost: 10n, inputTokens: 10, cachedInputTokens: 2, cacheWriteTokens: 6 }),
        charge({ cost: 300n, inputTokens: 0, audioMs: 1_500 }),
        // Cut off at the hold.
        charge({ cost: 7n, held: 7n, inputTokens: 10 }),
        charge({ ...NOTHING, status: 502, errorType: "provider_error" }),
        charge({ ...NOTHING, status: 499, held: 10n }),
        charge({ ...NOTHING, priceVersion: undefined, status: 404, model: undefined, provider: undefined }),
        charge({ cost: 0n, inputTokens: 10, outputTokens: 500, priceVersion: "builtin" }),
      ]);
      expect(await broken()).toEqual({});
    });

    it("may have requests from before images were counted, for any whole number of them", async () => {
      const { ledger, charge } = await desk();
      const picture = charge({ cost: 2_010n, held: 5_000n, inputTokens: 10 });
      const other = charge({ cost: 2_011n, held: 5_000n, inputTokens: 10 });
      await ledger.write([picture, other]);
      await tamper("UPDATE requests SET images = NULL");
      expect(await broken()).toEqual({ prices: expect.stringContaining(other.requestId) });
    });
  });

  /** An account that has leased all of its money, with three charges in three batches. */
  async function desk() {
    const [accountId, keyId, instanceId] = [await store.makeAccount(10_000n), newId(), newId()];
    const ledger: PostgresLedger = await store.openLedger(instanceId);
    await ledger.extendLease(balancePool(accountId), 10_000n);
    const charge = (change: Partial<Settlement> & { readonly cost: bigint }) => settle({ accountId, keyId, ...change });
    const paid = charge({ cost: 30n });
    for (const settlement of [paid, charge({ cost: 40n }), charge({ cost: 50n })]) await ledger.write([settlement]);
    return { accountId, keyId, instanceId, ledger, charge, paid };
  }

  describe("damage", () => {
    // Balances that were changed together with the history below hide it from the sums, not from the other checks.
    const damages: readonly [string, string, Readonly<Record<string, RegExp>>][] = [
      [
        "a side that is not there",
        "UPDATE ledger_transfers SET credit = 999 WHERE kind = 'grant'",
        {
          "two-sides": /^transfer 1: 10000 from 1 to 999$/,
          balances: /customer/,
          "never-below-zero": /customer/,
        },
      ],
      [
        "a charge that earns for another instance",
        `WITH other AS (INSERT INTO ledger_accounts (kind, instance_id, balance) VALUES ('revenue', gen_random_uuid(), 30) RETURNING id),
         less AS (UPDATE ledger_accounts SET balance = balance - 30 WHERE kind = 'revenue')
       UPDATE ledger_transfers SET credit = other.id FROM other WHERE amount = 30`,
        { "right-ways": /^transfer 3: a charge from lease/ },
      ],
      [
        "a balance that was raised",
        "UPDATE ledger_accounts SET balance = balance + 1 WHERE kind = 'customer'",
        {
          "zero-sum": /^together they are 1$/,
          balances: /^customer \d+: the balance is 1, its movements add up to 0$/,
        },
      ],
      [
        "money that was moved from balance to balance",
        `UPDATE ledger_accounts SET balance = balance + CASE kind WHEN 'lease' THEN 5 ELSE -5 END WHERE kind IN ('lease', 'revenue')`,
        { balances: /^(lease|revenue)/ },
      ],
      [
        "a balance that was below zero for a moment",
        `ALTER TABLE ledger_transfers ALTER id DROP IDENTITY;
       UPDATE ledger_transfers SET id = 100 WHERE kind = 'lease'`,
        { "never-below-zero": /^lease \d+: -30 after transfer 3$/ },
      ],
      [
        "a cost without a charge",
        `UPDATE requests SET cost = 30, held = 30, input_tokens = 30 WHERE cost = 0;
       UPDATE usage_quarters SET cost = cost + 30, input_tokens = input_tokens + 30`,
        { "one-charge": /^request .* costs 30 and has no charge$/ },
      ],
      [
        "a charge without a request",
        `DELETE FROM requests WHERE cost = 30;
       UPDATE usage_quarters SET cost = cost - 30, input_tokens = input_tokens - 30, requests = requests - 1`,
        { "one-charge": /^transfer 3 charges 30 for request .*, which has no cost$/ },
      ],
      [
        "a charge of another amount",
        `UPDATE requests SET cost = 29, input_tokens = 29 WHERE cost = 30;
       UPDATE usage_quarters SET cost = cost - 1, input_tokens = input_tokens - 1`,
        { "one-charge": /^request .* costs 29, transfer 3 charges 30$/ },
      ],
      [
        "a charge to another account",
        `UPDATE requests SET account_id = gen_random_uuid() WHERE cost = 30;
       UPDATE usage_quarters SET cost = cost - 30, input_tokens = input_tokens - 30, requests = requests - 1`,
        { "one-charge": /^transfer 3 charges another account/, "usage-sums": /./ },
      ],
      [
        "a request that was charged twice",
        `DROP INDEX ledger_one_charge_per_request;
       UPDATE ledger_transfers SET request_id = (SELECT request_id FROM ledger_transfers WHERE amount = 30) WHERE amount = 40`,
        { "one-charge": /^request .* (costs 30, transfer 4 charges 40|costs 40 and has no charge)$/ },
      ],
      [
        "a cost above the hold",
        "ALTER TABLE requests DROP CONSTRAINT requests_check; UPDATE requests SET held = 29 WHERE cost = 30",
        { "within-hold": /cost 30, held 29$/, prices: /cost 30, by price version \d+ it is 29$/ },
      ],
      [
        "a cost that is not the price",
        "UPDATE price_versions SET input_per_million = 900000",
        { prices: /^request .*: cost \d+, by price version \d+ it is \d+$/ },
      ],
      [
        "a price version that is not there",
        "UPDATE requests SET price_version = 'none such' WHERE cost = 30",
        { prices: /there is no price version 'none such'$/ },
      ],
      [
        "a price version that is missing",
        "UPDATE requests SET price_version = NULL WHERE cost = 30",
        { prices: /there is no price version NULL$/ },
      ],
      [
        "images that were not made",
        "UPDATE requests SET images = 1, held = 2000 WHERE cost = 30",
        { prices: /cost 30, by price version \d+ it is 1030$/ },
      ],
      [
        "audio that was not used",
        "UPDATE requests SET audio_ms = 1001, held = 2000 WHERE cost = 30",
        { prices: /cost 30, by price version \d+ it is 231$/ },
      ],
      [
        "input that came out of no cache",
        "UPDATE requests SET cached_input_tokens = 20 WHERE cost = 30",
        { prices: /cost 30, by price version \d+ it is 12$/ },
      ],
      [
        "input that went into no cache",
        "UPDATE requests SET cache_write_tokens = 20, held = 2000 WHERE cost = 30",
        { prices: /cost 30, by price version \d+ it is 35$/ },
      ],
      [
        "a cost of nothing that was delivered",
        "UPDATE requests SET usage_source = 'none' WHERE cost = 30",
        { free: /cost 30, status 200, usage from none$/ },
      ],
      [
        "a cost of a client that was gone",
        "UPDATE requests SET status = 499, usage_source = 'none' WHERE cost = 30; UPDATE usage_quarters SET requests = requests - 1",
        { free: /cost 30, status 499/ },
      ],
      [
        "a usage sum that was changed",
        "UPDATE usage_quarters SET errors = errors + 1",
        { "usage-sums": /^account .* quarter 2026-01-15T12:00Z.* 1 errors/ },
      ],
      ["a usage sum that is missing", "DELETE FROM usage_quarters", { "usage-sums": /the sums say 0 requests/ }],
      [
        "a sum of a closed day that was changed",
        "UPDATE usage_days SET cost = cost + 1",
        { "closed-sums": /^account .*, day 2026-01-15, key .*, model acme\/model$/ },
      ],
      [
        "a sum of a closed quarter that is missing",
        "DELETE FROM usage_account_quarters",
        { "closed-sums": /^account .*, quarter 2026-01-15T12:00Z$/ },
      ],
      [
        "a request that did not arrive when its id says",
        `UPDATE requests SET created_at = created_at + interval '301 seconds' WHERE cost = 30`,
        { arrivals: /^request .*: its id is -301 s off its arrival$/ },
      ],
      ["a lease without an instance", "DELETE FROM instances", { leases: /^lease \d+ of account .*: 9880$/ }],
    ];

    it.each(damages)("is found: %s", async (_what, statement, expected) => {
      const { ledger, charge } = await desk();
      await ledger.write([charge({ cost: 0n, inputTokens: 0 })]);
      if (expected["closed-sums"] !== undefined) await closeUsageDays(store.database);
      expect(await broken()).toEqual({});
      await tamper(statement);
      const found = await broken();
      expect(Object.keys(found).toSorted()).toEqual(Object.keys(expected).toSorted());
      for (const [check, example] of Object.entries(expected)) expect(found[check]).toMatch(example);
    });

    it("is counted in full and shown in part", async () => {
      const { ledger, charge } = await desk();
      await ledger.write(Array.from({ length: 8 }, () => charge({ cost: 1n })));
      await tamper("UPDATE requests SET price_version = NULL");
      const finding = (await auditLedger(store.database)).findings.find(({ check }) => check === "prices");
      expect(finding).toMatchObject({ verdict: "broken", count: 11n });
      expect(finding?.examples).toHaveLength(5);
    });
  });

  describe("what is not sealed", () => {
    it("is noted once it is older than ten minutes, and is no finding against the ledger", async () => {
      await desk();
      expect(await broken()).toEqual({});
      await tamper("UPDATE ledger_transfers SET created_at = now() - interval '11 minutes' WHERE id >= 4");
      const { findings } = await auditLedger(store.database);
      const sealed = findings.find(({ check }) => check === "sealed");
      expect(sealed).toMatchObject({ verdict: "note", count: 2n });
      expect(sealed?.examples[0]).toMatch(/^transfer 4 of \d{4}-\d\d-\d\dT/);
      await sealLedger(store.database);
      expect(await broken()).toEqual({});
    });
  });
});

describe("audit.long", () => {
  const CHARGES = 40_000;

  // As the service would have written it, request by request, but in a few statements.
  const WRITE_HISTORY = `
WITH charge AS MATERIALIZED (
  SELECT (lpad(to_hex((extract(epoch FROM moment) * 1000)::bigint), 12, '0') || '70008' || lpad(to_hex(at), 15, '0'))::uuid AS id,
    at, 1 + at % 5 AS cost, moment
  FROM generate_series(1, $4::bigint) AS at CROSS JOIN LATERAL (SELECT timestamptz '2026-01-01' + at * interval '1 second' AS moment)
), recorded AS (
  INSERT INTO requests (id, account_id, key_id, path, task, model, provider, status, input_tokens, output_tokens, images,
    usage_source, price_version, held, cost, latency_ms, detail, created_at)
  SELECT id, $1, $2, '/v1/generate', 'text', 'model', 'acme', 200, cost, 0, 0, 'provider', $5, 10, cost, 1, '{}', moment FROM charge
), summed AS (
  INSERT INTO usage_quarters
  SELECT $1, date_bin('15 minutes', moment, 'epoch'), $2, 'model', 'acme', 'text', count(*), 0, sum(cost), 0, sum(cost)
  FROM charge GROUP BY 2
), moved AS (
  UPDATE ledger_accounts SET balance = balance + (SELECT sum(cost) FROM charge) * CASE kind WHEN 'lease' THEN -1 ELSE 1 END
  WHERE instance_id = $3
)
INSERT INTO ledger_transfers (kind, debit, credit, amount, request_id, created_at)
SELECT 'charge', lease.id, revenue.id, charge.cost, charge.id, charge.moment
FROM charge, ledger_accounts lease, ledger_accounts revenue
WHERE lease.kind = 'lease' AND lease.instance_id = $3 AND revenue.kind = 'revenue' AND revenue.instance_id = $3 ORDER BY at`;

  it("a long history is sealed and audited, and one changed row in it is found", async () => {
    const store = await openFreshStore();
    const settle = await priceSettlements(store);
    const [accountId, instanceId] = [await store.makeAccount(10_000_000n), newId()];
    const ledger = await store.openLedger(instanceId);
    await ledger.extendLease(balancePool(accountId), 10_000_000n);
    const { priceVersion } = settle({ cost: 0n });
    await store.database.transaction(async (connection) => {
      // Foreign keys are checked row by row, which would be most of the time.
      await connection.query("SET LOCAL session_replication_role = replica");
      await connection.query(WRITE_HISTORY, [accountId, newId(), instanceId, CHARGES, priceVersion]);
    });
    expect(await sealLedger(store.database)).toBe(CHARGES + 2);

    const audit = await auditLedger(store.database);
    expect(audit.transfers).toBe(BigInt(CHARGES) + 2n);
    expect(audit.findings.filter(({ verdict }) => verdict !== "sound")).toEqual([]);

    await store.database.query("ALTER TABLE ledger_transfers DISABLE TRIGGER ledger_transfers_append_only");
    await store.database.query("UPDATE ledger_transfers SET amount = amount + 1 WHERE id = $1", [CHARGES / 2]);
    const { findings } = await auditLedger(store.database);
    const broken = findings.filter(({ verdict }) => verdict === "broken").map(({ check }) => check);
    expect(broken).toEqual(["balances", "one-charge", "seals"]);
    await store.close();
  });
});

describe("audit.prices", () => {
  const PLENTY = 9n * 10n ** 18n;

  let store: FreshStore;
  let ledger: PostgresLedger;
  let accountId: string;

  beforeAll(async () => {
    store = await openFreshStore();
    accountId = await store.makeAccount(PLENTY);
    ledger = await store.openLedger();
    await ledger.extendLease(balancePool(accountId), PLENTY);
  });
  afterAll(() => store.close());

  const findings = async () => (await auditLedger(store.database)).findings;
  const wrongPrices = async () => (await findings()).find(({ check }) => check === "prices");

  async function tamper(statement: string): Promise<void> {
    await store.database.transaction(async (connection) => {
      await connection.query("SET LOCAL session_replication_role = replica");
      await connection.query(statement);
    });
  }

  it("the audit computes every cost as it was charged, to the nano-credit", async () => {
    const keyId = newId();
    let written = 0n;
    const answers = fc.array(fc.tuple(anyPrice, anyUsage), { minLength: 10, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(answers, async (used) => {
        for (const [price, usage] of used) {
          const settle = await priceSettlements(store, price);
          const cost = priceOf(price, usage);
          await ledger.write([settle({ accountId, keyId, ...usage, cost })]);
          written++;
        }
        expect((await findings()).filter(({ verdict }) => verdict !== "sound")).toEqual([]);
      }),
      { numRuns: 5, endOnFailure: true },
    );

    await tamper("UPDATE requests SET cost = cost + 1, held = held + 1");
    expect(await wrongPrices()).toMatchObject({ verdict: "broken", count: written });
    await tamper("UPDATE requests SET cost = greatest(cost - 2, 0)");
    const paid = await store.database.query<{ count: bigint }>(
      // What was for nothing is right again.
      "SELECT count(*) AS count FROM requests WHERE held > 1",
    );
    expect(await wrongPrices()).toMatchObject({ verdict: "broken", count: paid[0]?.count });
  });
});
