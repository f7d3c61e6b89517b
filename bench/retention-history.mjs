// @ts-check
/** Writes a history of charged requests straight into the tables, in the form in which the service writes them. */
import { randomUUID } from "node:crypto";
import { addToQuarters, DIMENSIONS, QUARTER_SUMS, usageRows } from "../server/src/store/usage/usage-columns.ts";

const DAYS = 90;
const ACCOUNTS = 50;
/** What the service notes of a usual request, about as long as it is. */
const DETAIL = {
  route: "x".repeat(60),
  candidates: Array.from({ length: 4 }, (_, n) => ({
    model: `model-${n}`,
    score: 0.71234,
    cost: 0.00012,
    why: "the cheapest above the floor",
  })),
  verdicts: [{ check: "input", score: 0.01 }],
  timing: { plan: 1.2, first: 230.1, total: 911.7 },
};

/**
 * @param {import("../server/src/store/database/database.ts").Database} database
 * @param {number} requests
 * @param {number} batch
 */
export async function writeLedgerHistory(database, requests, batch) {
  const instance = randomUUID();
  const model = randomUUID();
  await database.transaction(async (connection) => {
    await connection.query(
      `INSERT INTO accounts (id, name, provider) SELECT gen_random_uuid(), 'Bench', gen_random_uuid()::text FROM generate_series(1, $1)`,
      [ACCOUNTS],
    );
    await connection.query(
      `INSERT INTO models (id, account_id, provider, name, type, description, endpoint, auth_type, may_dial_private, capabilities,
         specialties, streaming, backups, limits, state)
       SELECT $1, accounts.id, provider, $1::uuid::text, 'text', '', 'http://127.0.0.1', 'none', true, '{}', '{}', false, '{}', '{}', 'active' FROM accounts ORDER BY accounts.id LIMIT 1`,
      [model],
    );
    await connection.query(
      `INSERT INTO price_versions (model_id, input_per_million, output_per_million, per_image, per_request) VALUES ($1, 1000000, 2000000, 0, 0)`,
      [model],
    );
    await connection.query("INSERT INTO instances (id) VALUES ($1)", [instance]);
    await connection.query("INSERT INTO ledger_accounts (kind, instance_id) VALUES ('revenue', $1)", [instance]);
    await connection.query(
      `INSERT INTO ledger_accounts (kind, account_id) SELECT 'customer', id FROM accounts
       WHERE NOT EXISTS (SELECT FROM ledger_accounts l WHERE l.kind = 'customer' AND l.account_id = accounts.id)`,
    );
    await connection.query(
      `INSERT INTO ledger_accounts (kind, account_id, instance_id) SELECT 'lease', account_id, $1 FROM ledger_accounts WHERE kind = 'customer'`,
      [instance],
    );
    // All credits that the requests will cost, and more, are in the leases.
    const amount = 10_000n * BigInt(requests);
    await connection.query(
      `INSERT INTO ledger_transfers (kind, debit, credit, amount)
       SELECT 'grant', (SELECT id FROM ledger_accounts WHERE kind = 'issued'), l.id, $1 FROM ledger_accounts l WHERE kind = 'customer' ORDER BY l.id`,
      [amount],
    );
    await connection.query(
      `INSERT INTO ledger_transfers (kind, debit, credit, amount)
       SELECT 'lease', c.id, l.id, $1 FROM ledger_accounts c JOIN ledger_accounts l ON l.kind = 'lease' AND l.account_id = c.account_id AND l.instance_id = $2
       WHERE c.kind = 'customer' ORDER BY c.id`,
      [amount, instance],
    );
    await connection.query(
      `UPDATE ledger_accounts SET balance = balance - (SELECT count(*) FROM accounts) * $1::bigint WHERE kind = 'issued'`,
      [amount],
    );
    await connection.query(
      "UPDATE ledger_accounts SET balance = balance + $1 WHERE kind = 'lease' AND instance_id = $2",
      [amount, instance],
    );
  });
  for (let written = 0; written < requests; written += batch) {
    await database.query(BATCH_STATEMENT, [instance, batch, written / requests, 1 / requests, JSON.stringify(DETAIL)]);
  }
}

const BATCH_STATEMENT = `
WITH leases AS (
  SELECT l.id, l.account_id, row_number() OVER (ORDER BY l.id) - 1 AS place, count(*) OVER () AS all_places
  FROM ledger_accounts l WHERE kind = 'lease' AND instance_id = $1
), model AS (
  SELECT m.provider, m.name, p.id::text AS price FROM models m JOIN price_versions p ON p.model_id = m.id ORDER BY p.id DESC LIMIT 1
), drawn AS (
  SELECT n, now() - interval '${DAYS} days' * (1 - $3::float8 - n * $4::float8) - interval '1 hour' AS arrived, 20 + n % 400 AS input, 50 + n % 300 AS output
  FROM generate_series(1, $2::int) AS n
), recorded AS (
  INSERT INTO requests (id, account_id, key_id, created_at, path, task, model, provider, status, input_tokens, output_tokens, cached_input_tokens,
    cache_write_tokens, audio_ms, images, discount, usage_source, price_version, held, cost, latency_ms, detail)
  SELECT (lpad(to_hex((extract(epoch FROM arrived) * 1000)::bigint), 12, '0') || '7' || substr(md5(random()::text), 1, 3) || '8' || substr(md5(random()::text), 1, 15))::uuid,
    l.account_id, l.account_id, date_trunc('milliseconds', arrived), '/v1/ai/request', 'chat', model.name, model.provider, 200, input, output, 0, 0, 0, 0, 0, 'provider', model.price,
    10000, input + 2 * output, 900, $5::json
  FROM drawn JOIN leases l ON l.place = n % l.all_places, model
  -- As they come: those of an account lie on as many pages, between those of others.
  ORDER BY n
  RETURNING *
), charged AS (
  INSERT INTO ledger_transfers (kind, debit, credit, amount, request_id)
  SELECT 'charge', l.id, (SELECT id FROM ledger_accounts WHERE kind = 'revenue' AND instance_id = $1), r.cost, r.id
  FROM recorded r JOIN leases l ON l.account_id = r.account_id RETURNING debit, credit, amount
), paid AS (
  UPDATE ledger_accounts a SET balance = balance - d.amount FROM (SELECT debit, sum(amount)::bigint AS amount FROM charged GROUP BY 1) d WHERE a.id = d.debit
), earned AS (
  UPDATE ledger_accounts a SET balance = balance + d.amount FROM (SELECT credit, sum(amount)::bigint AS amount FROM charged GROUP BY 1) d WHERE a.id = d.credit
)
${addToQuarters(`SELECT account_id, date_bin('15 minutes', created_at, 'epoch'), ${DIMENSIONS}, $1::uuid, ${QUARTER_SUMS}
  FROM (${usageRows("recorded")}) AS used GROUP BY 1, 2, 3, 4, 5, 6`)}`;
