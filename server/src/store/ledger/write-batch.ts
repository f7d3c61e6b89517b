import type { SettledSegment, Settlement } from "../../ledger/billing/settlement.ts";
import { usageRows } from "../usage/usage-query.ts";
import { storedStart } from "./leases.ts";

/** The legs of those requests of a batch that have some, for those that were written just now. */
const SEGMENTS_WRITTEN = `legged AS (
  INSERT INTO request_legs (request_id, leg, provider, model, price_version, discount, input_tokens, cached_input_tokens,
    cache_write_tokens, output_tokens, images, audio_ms, usage_source, cost, outcome)
  SELECT recorded.id, leg, l.provider, l.model, l.price_version, l.discount, l.input_tokens, l.cached_input_tokens,
    l.cache_write_tokens, l.output_tokens, l.images, l.audio_ms, l.usage_source, l.cost, l.outcome
  FROM recorded JOIN batch USING (id) CROSS JOIN LATERAL json_to_recordset(batch.legs) AS l (leg int, provider text, model text,
    price_version text, discount int, input_tokens bigint, cached_input_tokens bigint, cache_write_tokens bigint,
    output_tokens bigint, images int, audio_ms bigint, usage_source text, cost bigint, outcome text)
  ON CONFLICT (request_id, leg) DO NOTHING
  RETURNING request_id, model, provider, input_tokens, output_tokens, cost
)`;

/** What was recorded, piece by piece, where some of it has legs. */
const SEGMENT_USAGE_ROWS = `(${usageRows("recorded", "legged")}) AS piece`;

/** The legs of one request as the statement takes them. */
function segmentRowsOf(legs: readonly SettledSegment[]) {
  return legs.map((leg, index) => ({
    leg: index + 1,
    provider: leg.provider,
    model: leg.model,
    price_version: leg.priceVersion,
    discount: leg.discount,
    input_tokens: leg.inputTokens,
    cached_input_tokens: leg.cachedInputTokens,
    cache_write_tokens: leg.cacheWriteTokens,
    output_tokens: leg.outputTokens,
    images: leg.images,
    audio_ms: leg.audioMs,
    usage_source: leg.usageSource,
    cost: String(leg.cost),
    outcome: leg.outcome,
  }));
}

/**
 * One statement for a whole batch, so that all of it is there or nothing. A charge whose lease is gone, or would fall
 * below zero, fails it; a request that was already written is passed over together with its charge and its sums; so is
 * one whose idempotency key belongs to another run by now: those are what the statement answers with.
 * What most batches have nothing of, budgets, idempotency keys and legs, is in the statement only where it is needed.
 */
export function statementFor(batch: readonly Settlement[]): { readonly name: string; readonly text: string } {
  const withKeys = batch.some(({ idempotent }) => idempotent !== undefined);
  const withBudgets = batch.some(({ budget }) => budget !== undefined);
  const withLegs = batch.some(({ legs }) => legs.length > 0);
  return STATEMENTS[(withKeys ? 1 : 0) + (withBudgets ? 2 : 0) + (withLegs ? 4 : 0)] ?? FULL_STATEMENT;
}

const batchRows = (more: string) => `batch AS (
  SELECT *, unnest AS detail FROM ROWS FROM (
    json_to_recordset($3::json) AS (id uuid, account_id uuid, key_id uuid, created_at timestamptz, path text, task text,
      model text, provider text, status int, error_type text, input_tokens bigint, output_tokens bigint, images int,
      cached_input_tokens bigint, cache_write_tokens bigint, audio_ms bigint, discount int, usage_source text, price_version text, held bigint, cost bigint,
      latency_ms double precision, idempotency_key text, answer text, budget_period text, budget_starts_at timestamptz${more}),
    unnest(string_to_array($4, E'\\n'))
  ) AS t
)`;

const CLAIMED = `claimed AS (
  SELECT k.request_id FROM batch CROSS JOIN LATERAL (
    SELECT request_id FROM idempotency_keys k
    WHERE k.account_id = batch.account_id AND k.path = batch.path AND k.key = batch.idempotency_key AND k.request_id = batch.id
    FOR UPDATE
  ) k WHERE batch.idempotency_key IS NOT NULL
)`;

const recorded = (condition: string, more: string) => `recorded AS (
  INSERT INTO requests (id, account_id, key_id, created_at, path, task, model, provider, status, error_type, input_tokens,
    output_tokens, images, cached_input_tokens, cache_write_tokens, audio_ms, discount, usage_source, price_version, held, cost, latency_ms, detail)
  SELECT id, account_id, key_id, created_at, path, task, model, provider, status, error_type, input_tokens, output_tokens,
    images, cached_input_tokens, cache_write_tokens, audio_ms, discount, usage_source, price_version, held, cost, latency_ms, detail::json FROM batch
  ${condition}
  ON CONFLICT (id) DO NOTHING
  RETURNING id, account_id, key_id, created_at, task, model, provider, status, input_tokens, output_tokens, cost, latency_ms${more}
)`;

const CHARGED = `leases AS (
  -- Locked before a charge draws its number: numbers follow the order in which a lease's balance changed.
  SELECT id, account_id FROM ledger_accounts
  WHERE kind = 'lease' AND instance_id = $1 AND account_id IN (SELECT account_id FROM recorded WHERE cost > 0)
  ORDER BY id FOR UPDATE
), charged AS (
  INSERT INTO ledger_transfers (kind, debit, credit, amount, request_id)
  SELECT 'charge', leases.id, $2, recorded.cost, recorded.id
  FROM recorded LEFT JOIN leases ON leases.account_id = recorded.account_id
  WHERE recorded.cost > 0
  RETURNING debit, amount
), drawn AS (
  UPDATE ledger_accounts a SET balance = a.balance - d.amount
  FROM (SELECT debit, sum(amount)::bigint AS amount FROM charged GROUP BY debit) d WHERE a.id = d.debit
), earned AS (
  UPDATE ledger_accounts SET balance = balance + (SELECT sum(amount)::bigint FROM charged)
  WHERE id = $2 AND EXISTS (SELECT 1 FROM charged)
)`;

const BUDGETED = `budgeted AS (
  UPDATE budget_leases b SET amount = b.amount - d.amount
  FROM (
    SELECT batch.key_id, batch.budget_period, batch.budget_starts_at, sum(recorded.cost)::bigint AS amount
    FROM recorded JOIN batch USING (id) WHERE batch.budget_period IS NOT NULL AND recorded.cost > 0 GROUP BY 1, 2, 3
  ) d
  WHERE b.instance_id = $1 AND b.key_id = d.key_id AND b.period = d.budget_period AND b.starts_at = d.budget_starts_at
)`;

/** Each recorded request as a piece of the sums. */
const USAGE_ROWS = `(
    SELECT account_id, created_at, key_id, coalesce(model, '') AS model, coalesce(provider, '') AS provider, task, (status < 400)::int AS requests,
      (status >= 400 AND status <> 499)::int AS errors, input_tokens, output_tokens, cost,
      CASE WHEN status < 400 THEN latency_ms ELSE 0 END AS latency_ms FROM recorded
  ) AS piece`;

const summedFrom = (pieces: string) => `summed AS (
  INSERT INTO usage_quarters AS u (account_id, quarter, key_id, model, provider, task, instance_id, requests, errors, input_tokens, output_tokens, cost, latency_ms)
  SELECT account_id, date_bin('15 minutes', created_at, 'epoch'), key_id, model, provider, task, $1,
    sum(requests), sum(errors), sum(input_tokens), sum(output_tokens), sum(cost), sum(latency_ms)
  FROM ${pieces} GROUP BY 1, 2, 3, 4, 5, 6
  ON CONFLICT (account_id, quarter, key_id, model, provider, task, instance_id) DO UPDATE SET
    requests = u.requests + EXCLUDED.requests, errors = u.errors + EXCLUDED.errors,
    input_tokens = u.input_tokens + EXCLUDED.input_tokens, output_tokens = u.output_tokens + EXCLUDED.output_tokens,
    cost = u.cost + EXCLUDED.cost, latency_ms = u.latency_ms + EXCLUDED.latency_ms
)`;

const ANSWERED = `answered AS (
  UPDATE idempotency_keys k SET answer = batch.answer::json
  FROM batch WHERE batch.idempotency_key IS NOT NULL AND k.account_id = batch.account_id AND k.path = batch.path
    AND k.key = batch.idempotency_key AND k.request_id = batch.id
)`;

function compose(withKeys: boolean, withBudgets: boolean, withLegs: boolean) {
  const parts = [
    batchRows(withLegs ? ", legs json" : ""),
    ...(withKeys ? [CLAIMED] : []),
    recorded(
      withKeys ? "WHERE idempotency_key IS NULL OR id IN (SELECT request_id FROM claimed)" : "",
      withLegs ? ", price_version" : "",
    ),
    CHARGED,
    ...(withBudgets ? [BUDGETED] : []),
    ...(withLegs ? [SEGMENTS_WRITTEN] : []),
    summedFrom(withLegs ? SEGMENT_USAGE_ROWS : USAGE_ROWS),
    ...(withKeys ? [ANSWERED] : []),
  ];
  const lost = withKeys
    ? "SELECT id FROM batch WHERE idempotency_key IS NOT NULL AND id NOT IN (SELECT request_id FROM claimed)"
    : "SELECT id FROM batch WHERE false";
  const name = `write-batch${withKeys ? "-keys" : ""}${withBudgets ? "-budgets" : ""}${withLegs ? "-legs" : ""}`;
  return { name, text: `WITH ${parts.join(", ")} ${lost}` };
}

const FULL_STATEMENT = compose(true, true, true);
const STATEMENTS = [false, true].flatMap((withLegs) =>
  [false, true].flatMap((withBudgets) => [false, true].map((withKeys) => compose(withKeys, withBudgets, withLegs))),
);

/**
 * A batch as the statement takes it, after the instance and its revenue account: the rows, and beside them their details,
 * which are most of it. As JSON within JSON each would be escaped, and read, twice; JSON has no line breaks, so that
 * lines hold them.
 */
export function batchParameters(batch: readonly Settlement[]): readonly [rows: string, details: string] {
  const details = batch.map(({ detail }) => JSON.stringify(detail));
  return [JSON.stringify(batch.map(rowOf)), details.join("\n")];
}

/** An answer, which is JSON itself, goes as text: PostgreSQL then keeps every escape in it, and trips over none. */
function rowOf(settlement: Settlement) {
  const { budget, idempotent, legs } = settlement;
  return {
    id: settlement.requestId,
    account_id: settlement.accountId,
    key_id: settlement.keyId,
    created_at: settlement.createdAt,
    path: settlement.path,
    task: settlement.task,
    model: settlement.model,
    provider: settlement.provider,
    status: settlement.status,
    error_type: settlement.errorType,
    input_tokens: settlement.inputTokens,
    output_tokens: settlement.outputTokens,
    images: settlement.images,
    cached_input_tokens: settlement.cachedInputTokens,
    cache_write_tokens: settlement.cacheWriteTokens,
    audio_ms: settlement.audioMs,
    discount: settlement.discount,
    usage_source: settlement.usageSource,
    price_version: settlement.priceVersion,
    held: String(settlement.held),
    cost: String(settlement.cost),
    latency_ms: settlement.latencyMs,
    ...(idempotent === undefined ? {} : { idempotency_key: idempotent.key, answer: JSON.stringify(idempotent.answer) }),
    ...(budget === undefined ? {} : { budget_period: budget.period, budget_starts_at: storedStart(budget.startsAt) }),
    ...(legs.length === 0 ? {} : { legs: segmentRowsOf(legs) }),
  };
}
