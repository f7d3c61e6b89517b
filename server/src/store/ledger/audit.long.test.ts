import { balancePool } from "@trunkline/core/funds-pool.ts";
import { newId } from "@trunkline/core/id.ts";
import { expect, it } from "vitest";
import { openFreshStore } from "../../../test/support/fresh-store.ts";
import { priceSettlements } from "../../../test/support/priced-settlements.ts";
import { auditLedger } from "./audit.ts";
import { sealLedger } from "./seal-ledger.ts";

const CHARGES = 200_000;

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

it("a long history is sealed and audited, and one changed row in it is found", {
  timeout: 300_000,
}, async () => {
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
