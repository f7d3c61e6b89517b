import { PRICED_BY_SEGMENTS } from "@trunkline/core/parts.ts";
import { CLUSTER_CHECK } from "../clusters/cluster-check.ts";
import { listColumns } from "../database/sql.ts";
import { X402_CHECK } from "../payments/x402-payments.ts";
import { DIMENSIONS, ROLLUP_COLUMNS, sums, USAGE_COLUMN_NAMES, usageRows } from "../usage/usage-columns.ts";
import { ID_MARGIN_MS } from "../usage/usage-query.ts";
import type { AuditCheck } from "./audit-check.ts";
import { PAYMENT_CHECKS } from "./payment-checks.ts";
import { PAYOUT_CHECKS } from "./payout-checks.ts";
import { RETENTION_CHECKS } from "./retention-checks.ts";
import { TRANSFER_DIGEST } from "./seal-ledger.ts";

/** A price less the discount, rounded up as the service does. */
const discounted = (price: string) => `div(${price}::numeric * (10000 - r.discount) + 9999, 10000)`;

/** Everything with a price of its own: requests of one segment, and segments. A segment's hold is what earlier ones left of it. */
const CHARGED = `SELECT id, NULL::int AS leg, cost, held::numeric AS held, price_version, discount, ${listColumns(USAGE_COLUMN_NAMES)}
  FROM requests WHERE usage_source <> 'none' AND price_version IS DISTINCT FROM '${PRICED_BY_SEGMENTS}'
  UNION ALL
  SELECT l.request_id, l.leg, l.cost, q.held - (sum(l.cost) OVER (PARTITION BY l.request_id ORDER BY l.leg) - l.cost),
    l.price_version, l.discount, ${listColumns(USAGE_COLUMN_NAMES, "l")}
  FROM request_legs l JOIN requests q ON q.id = l.request_id`;

/**
 * The cost of each by its price, before the limit of the hold. Decimals are not divided, as that rounds. `images` is NULL
 * in requests that were stored before images were counted: there, any whole number of images is accepted.
 */
const PRICED = `SELECT r.id, r.leg, r.cost, r.held, r.images, r.price_version, ${discounted("p.per_image")} AS per_image, p.id IS NOT NULL OR r.price_version IN ('builtin', 'local') AS is_known,
    coalesce(div((r.input_tokens - r.cached_input_tokens - r.cache_write_tokens)::numeric * ${discounted("p.input_per_million")}
      + r.cached_input_tokens::numeric * ${discounted("coalesce(p.cached_input_per_million, p.input_per_million)")}
      + r.cache_write_tokens::numeric * ${discounted("coalesce(p.cache_write_per_million, p.input_per_million)")}
      + r.output_tokens::numeric * ${discounted("p.output_per_million")} + r.audio_ms::numeric * ${discounted("p.per_second")} * 1000 + 999999, 1000000)
      + ${discounted("p.per_request")}, 0) AS base
  FROM (${CHARGED}) r LEFT JOIN price_versions p ON p.id::text = r.price_version`;

const PRICES_CHECK: AuditCheck = {
  name: "prices",
  sentence:
    "Every cost, of a request or of one of its legs, is its price version times the accepted usage, cut off at the hold.",
  severity: "finding",
  sql: `SELECT format('request %s%s: ', id, ', leg ' || leg) || CASE WHEN is_known
      THEN format('cost %s, by price version %s it is %s', cost, price_version,
        least(base + coalesce(images, 0)::numeric * coalesce(per_image, 0), held))
      ELSE format('there is no price version %L', price_version) END AS example
    FROM (${PRICED}) priced
    WHERE is_known IS NOT TRUE OR (
      cost <> least(base + coalesce(images, 0)::numeric * coalesce(per_image, 0), held)
      AND NOT (images IS NULL AND per_image > 0 AND cost > base AND (cost = held OR mod(cost - base, per_image) = 0)))
    ORDER BY id, leg`,
};

const SUMMED = ["cost", ...USAGE_COLUMN_NAMES];

const SEGMENTS_CHECK: AuditCheck = {
  name: "legs",
  sentence: "A request of several legs is their sum and is named by the last one, and every leg is of such a request.",
  severity: "finding",
  sql: `SELECT CASE
      WHEN r.id IS NULL THEN format('request %s has %s legs and is not priced by them', l.request_id, l.legs)
      WHEN l.request_id IS NULL THEN format('request %s is priced by legs and has none', r.id)
      ELSE format('request %s of %s/%s costs %s; its %s legs cost %s, the last is of %s', r.id, r.provider, r.model, r.cost, l.legs, l.cost, l.finished_by)
      END AS example
    FROM (SELECT * FROM requests WHERE price_version = '${PRICED_BY_SEGMENTS}') r
    FULL JOIN (
      SELECT request_id, count(*) AS legs, max(leg) AS last, (array_agg(provider || '/' || model ORDER BY leg DESC))[1] AS finished_by,
        ${sums(SUMMED)}
      FROM request_legs GROUP BY request_id
    ) l ON l.request_id = r.id
    WHERE r.id IS NULL OR l.request_id IS NULL OR l.legs < 2 OR l.last <> l.legs OR l.finished_by <> r.provider || '/' || r.model
      OR (${listColumns(SUMMED, "r")}) IS DISTINCT FROM (${listColumns(SUMMED, "l")})
    ORDER BY coalesce(r.id, l.request_id)`,
};

/** Both sides of each transfer, as the amount that it adds to an account, after what the account had at the checkpoint. */
const SIDES = `SELECT id, credit AS account, amount FROM new_transfers
  UNION ALL SELECT id, debit, -amount FROM new_transfers
  UNION ALL SELECT (SELECT last_transfer FROM scope), account, balance FROM opening_balances`;

const SUMS = sums(ROLLUP_COLUMNS);

/** The sums of `usage_quarters`, computed again from the requests. */
const recomputedQuarters = (
  condition: string,
) => `SELECT account_id, date_bin('15 minutes', created_at, 'epoch') AS quarter, ${DIMENSIONS}, ${SUMS}
  FROM (${usageRows("requests", "request_legs")}) AS used ${condition} GROUP BY 1, 2, 3, 4, 5, 6`;
export const RECOMPUTED_QUARTERS = recomputedQuarters("");

/** Each instance has rows of its own: what is compared is their sum. */
const STORED_QUARTERS = `SELECT account_id, quarter, ${DIMENSIONS}, ${SUMS} FROM usage_quarters
  WHERE quarter >= (SELECT quarters_from FROM scope) GROUP BY 1, 2, 3, 4, 5, 6`;

const differ = (one: string, other: string) =>
  `(${listColumns(ROLLUP_COLUMNS, one)}) IS DISTINCT FROM (${listColumns(ROLLUP_COLUMNS, other)})`;
const CLOSED_QUARTERS =
  "usage_quarters WHERE quarter < (SELECT until FROM usage_closed) AND quarter >= (SELECT days_from FROM scope)";

/** All rules of the ledger. `OFFSET 0` makes the planner look each range of ids up in the index. */
export const AUDIT_CHECKS: readonly AuditCheck[] = [
  {
    name: "two-sides",
    sentence: "Every movement has two sides that exist, and an amount above zero.",
    severity: "finding",
    sql: `SELECT format('transfer %s: %s from %s to %s', t.id, t.amount, t.debit, t.credit) AS example
      FROM new_transfers t LEFT JOIN ledger_accounts d ON d.id = t.debit LEFT JOIN ledger_accounts c ON c.id = t.credit
      WHERE d.id IS NULL OR c.id IS NULL OR t.debit = t.credit OR t.amount <= 0 ORDER BY t.id`,
  },
  {
    name: "right-ways",
    sentence: "Every movement goes the way of its kind, and within one account or one instance.",
    severity: "finding",
    sql: `SELECT format('transfer %s: a %s from %s %s to %s %s', t.id, t.kind, d.kind, d.id, c.kind, c.id) AS example
      FROM new_transfers t JOIN ledger_accounts d ON d.id = t.debit JOIN ledger_accounts c ON c.id = t.credit
      WHERE NOT CASE t.kind
        WHEN 'grant' THEN d.kind = 'issued' AND c.kind = 'customer'
        WHEN 'redeem' THEN d.kind = 'issued' AND c.kind = 'customer'
        WHEN 'purchase' THEN d.kind = 'card' AND c.kind = 'customer'
        WHEN 'deposit' THEN d.kind = 'token' AND c.kind = 'customer'
        WHEN 'x402' THEN d.kind = 'x402' AND c.kind = 'customer'
        WHEN 'x402_void' THEN d.kind = 'customer' AND c.kind = 'x402'
        WHEN 'x402_lost' THEN d.kind = 'issued' AND c.kind = 'x402'
        WHEN 'refund' THEN d.kind = 'customer' AND c.kind = 'card'
        WHEN 'dispute' THEN d.kind = 'customer' AND c.kind = 'card'
        WHEN 'dispute_won' THEN d.kind = 'card' AND c.kind = 'customer'
        WHEN 'debt' THEN d.kind = 'debt' AND c.kind = 'card'
        WHEN 'debt_paid' THEN d.kind = 'customer' AND c.kind = 'debt' AND d.account_id = c.account_id
        WHEN 'earning' THEN d.kind = 'revenue' AND c.kind = 'payable'
        WHEN 'payout_begun' THEN d.kind = 'payable' AND c.kind = 'payout' AND d.account_id = c.account_id
        WHEN 'payout_sent' THEN d.kind = 'payout' AND c.kind = 'paid_out'
        WHEN 'payout_failed' THEN d.kind = 'payout' AND c.kind = 'payable' AND d.account_id = c.account_id
        WHEN 'lease' THEN d.kind = 'customer' AND c.kind = 'lease' AND d.account_id = c.account_id
        WHEN 'lease_return' THEN d.kind = 'lease' AND c.kind = 'customer' AND d.account_id = c.account_id
        WHEN 'charge' THEN d.kind = 'lease' AND c.kind = 'revenue' AND d.instance_id = c.instance_id
        WHEN 'cluster_out' THEN d.kind IN ('customer', 'payable') AND c.kind = 'transit'
        WHEN 'cluster_in' THEN d.kind = 'transit' AND c.kind IN ('customer', 'payable')
        ELSE false END ORDER BY t.id`,
  },
  {
    name: "zero-sum",
    sentence: "All balances together are zero.",
    severity: "finding",
    sql: `SELECT format('together they are %s', sum(balance)) AS example FROM ledger_accounts HAVING sum(balance) <> 0`,
  },
  {
    name: "balances",
    sentence: "Every balance is what was credited less what was debited.",
    severity: "finding",
    sql: `SELECT format('%s %s: the balance is %s, its movements add up to %s', a.kind, a.id, a.balance, coalesce(m.moved, 0)) AS example
      FROM ledger_accounts a LEFT JOIN (SELECT account, sum(amount) AS moved FROM (${SIDES}) s GROUP BY account) m ON m.account = a.id
      WHERE a.balance <> coalesce(m.moved, 0) ORDER BY a.id`,
  },
  {
    // Ids are in the order in which an account's balance changed: a transfer draws its id while it holds the lock on the
    // account that it debits.
    name: "never-below-zero",
    sentence:
      "No account but those that credits come from, what customers owe and what came from other clusters was ever below zero.",
    severity: "finding",
    sql: `SELECT format('%s %s: %s after transfer %s', a.kind, a.id, low.balance, low.id) AS example
      FROM (
        SELECT DISTINCT ON (account) account, id, balance
        FROM (SELECT account, id, sum(amount) OVER (PARTITION BY account ORDER BY id) AS balance FROM (${SIDES}) s) running
        WHERE balance < 0 ORDER BY account, id
      ) low JOIN ledger_accounts a ON a.id = low.account WHERE a.kind NOT IN ('issued', 'card', 'token', 'x402', 'debt', 'transit') ORDER BY a.id`,
  },
  {
    name: "one-charge",
    sentence:
      "Every request with a cost has one charge of that amount from a lease of its account, and every charge its request.",
    severity: "finding",
    sql: `SELECT CASE
        WHEN r.id IS NULL THEN format('transfer %s charges %s for request %s, which has no cost', c.id, c.amount, c.request_id)
        WHEN c.id IS NULL THEN format('request %s costs %s and has no charge', r.id, r.cost)
        WHEN c.amount <> r.cost THEN format('request %s costs %s, transfer %s charges %s', r.id, r.cost, c.id, c.amount)
        ELSE format('transfer %s charges another account for request %s', c.id, r.id) END AS example
      FROM audited_charges c
      FULL JOIN (SELECT id, account_id, cost FROM requests WHERE cost <> 0) r ON r.id = c.request_id
      LEFT JOIN ledger_accounts lease ON lease.id = c.debit
      WHERE r.id IS NULL OR c.id IS NULL OR c.amount <> r.cost OR lease.account_id IS DISTINCT FROM r.account_id
      UNION ALL
      SELECT format('request %s is charged %s times', request_id, count(*))
      FROM audited_charges GROUP BY request_id HAVING count(*) > 1`,
  },
  {
    name: "redemptions",
    sentence:
      "Every redemption has its one movement, of its code's amount to its account, every such movement its redemption, and no code was used more often than it may be.",
    severity: "finding",
    sql: `SELECT CASE
        WHEN r.code_id IS NULL THEN format('transfer %s redeems %s without a redemption', t.id, t.amount)
        WHEN t.id IS NULL THEN format('code %s was redeemed by account %s without a movement', r.code_id, r.account_id)
        ELSE format('code %s, account %s: transfer %s of %s does not fit', r.code_id, r.account_id, t.id, t.amount) END AS example
      FROM redemptions r FULL JOIN (SELECT * FROM ledger_transfers WHERE kind = 'redeem') t ON t.id = r.transfer_id
      LEFT JOIN redeem_codes k ON k.id = r.code_id LEFT JOIN ledger_accounts c ON c.id = t.credit
      WHERE r.code_id IS NULL OR t.id IS NULL OR k.id IS NULL OR t.amount <> k.amount OR c.account_id IS DISTINCT FROM r.account_id
      UNION ALL
      SELECT format('code %s says that it was used %s of %s times; it was redeemed %s times', k.id, k.used, k.uses, count(r.code_id))
      FROM redeem_codes k LEFT JOIN redemptions r ON r.code_id = k.id
      GROUP BY k.id HAVING k.used <> count(r.code_id) OR k.used > k.uses`,
  },
  ...PAYOUT_CHECKS,
  X402_CHECK,
  {
    name: "deposits",
    sentence:
      "Every credited deposit has its one movement, of its amount to its account, every such movement its deposit, and its amount is what arrived times the rate, rounded down.",
    severity: "finding",
    sql: `SELECT CASE
        WHEN d.id IS NULL THEN format('transfer %s credits %s without a deposit', t.id, t.amount)
        WHEN t.id IS NULL THEN format('deposit %s was credited without a movement', d.id)
        ELSE format('deposit %s, account %s: transfer %s of %s does not fit', d.id, d.account_id, t.id, t.amount) END AS example
      FROM (SELECT * FROM token_deposits WHERE state = 'credited') d
      FULL JOIN (SELECT * FROM ledger_transfers WHERE kind = 'deposit') t ON t.id = d.transfer_id
      LEFT JOIN ledger_accounts c ON c.id = t.credit
      WHERE d.id IS NULL OR t.id IS NULL OR t.amount <> d.amount OR c.account_id IS DISTINCT FROM d.account_id
      UNION ALL
      SELECT format('deposit %s of %s units at %s is recorded as %s', id, received, rate, amount)
      FROM token_deposits WHERE amount IS NOT NULL AND NOT by_operator
        AND amount IS DISTINCT FROM div(received * rate * 1000000000, 10::numeric ^ token_decimals::int)`,
  },
  ...PAYMENT_CHECKS,
  CLUSTER_CHECK,
  {
    name: "within-hold",
    sentence: "No request cost more than was held for it, or less than nothing.",
    severity: "finding",
    sql: `SELECT format('request %s: cost %s, held %s', id, cost, held) AS example FROM requests
      WHERE cost > held OR cost < 0 ORDER BY id`,
  },
  PRICES_CHECK,
  SEGMENTS_CHECK,
  {
    name: "free",
    sentence: "What no model did anything for cost nothing.",
    severity: "finding",
    sql: `SELECT format('request %s: cost %s, status %s, usage from %s', id, cost, status, usage_source) AS example FROM requests
      WHERE usage_source = 'none' AND cost <> 0 ORDER BY id`,
  },
  {
    name: "usage-sums",
    sentence: "The sums of usage are the sums of the requests.",
    severity: "finding",
    sql: `SELECT format('account %s, quarter %s, key %s, model %s/%s: the sums say %s requests, %s errors, %s and %s tokens, cost %s; the requests %s, %s, %s, %s, %s',
        account_id, to_char(quarter AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"'), key_id, provider, model,
        coalesce(u.requests, 0), coalesce(u.errors, 0), coalesce(u.input_tokens, 0), coalesce(u.output_tokens, 0), coalesce(u.cost, 0),
        coalesce(r.requests, 0), coalesce(r.errors, 0), coalesce(r.input_tokens, 0), coalesce(r.output_tokens, 0), coalesce(r.cost, 0)) AS example
      FROM (${STORED_QUARTERS}) u FULL JOIN (${recomputedQuarters("WHERE created_at >= (SELECT quarters_from FROM scope)")}) r USING (account_id, quarter, ${DIMENSIONS})
      WHERE ${differ("u", "r")}
      ORDER BY quarter, account_id`,
  },
  {
    name: "closed-sums",
    sentence: "The sums of closed days are the sums of their quarters of an hour.",
    severity: "finding",
    sql: `SELECT format('account %s, day %s, key %s, model %s/%s', account_id, day, key_id, provider, model) AS example
      FROM (SELECT * FROM usage_days WHERE day >= (SELECT days_from AT TIME ZONE 'UTC' FROM scope)) d FULL JOIN (
        SELECT account_id, (quarter AT TIME ZONE 'UTC')::date AS day, ${DIMENSIONS}, ${SUMS} FROM ${CLOSED_QUARTERS}
        GROUP BY 1, 2, 3, 4, 5, 6
      ) q USING (account_id, day, ${DIMENSIONS})
      WHERE ${differ("d", "q")}
      UNION ALL
      SELECT format('account %s, quarter %s', account_id, to_char(quarter AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"'))
      FROM (SELECT * FROM usage_account_quarters WHERE quarter >= (SELECT days_from FROM scope)) a FULL JOIN (
        SELECT account_id, quarter, ${SUMS} FROM ${CLOSED_QUARTERS} GROUP BY 1, 2
      ) q USING (account_id, quarter)
      WHERE ${differ("a", "q")}`,
  },
  {
    name: "arrivals",
    // The usage of part of a quarter of an hour is summed from the requests whose ids lie in that range.
    sentence: "Every request arrived when its id says.",
    severity: "finding",
    sql: `SELECT format('request %s: its id is %s s off its arrival', id, round(id_ms / 1000.0 - extract(epoch FROM created_at))) AS example
      FROM (SELECT id, created_at, ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint AS id_ms FROM requests) dated
      WHERE abs(id_ms - extract(epoch FROM created_at) * 1000) > ${ID_MARGIN_MS} ORDER BY id`,
  },
  {
    name: "leases",
    sentence: "No money lies in the lease of an instance that is gone.",
    severity: "finding",
    sql: `SELECT format('lease %s of account %s: %s', l.id, l.account_id, l.balance) AS example
      FROM ledger_accounts l LEFT JOIN instances i ON i.id = l.instance_id
      WHERE l.kind = 'lease' AND l.balance <> 0 AND i.id IS NULL ORDER BY l.id`,
  },
  {
    name: "seals",
    sentence: "Every seal fits what it covers and the seal before it.",
    severity: "finding",
    sql: `SELECT CASE WHEN s.id <> s.place THEN format('seal %s is in place %s', s.id, s.place)
        WHEN s.transfers <> c.transfers THEN format('seal %s covers %s transfers, %s are there (%s)', s.id, s.transfers, c.transfers, s.ids)
        ELSE format('seal %s does not fit transfers %s or the seal before it', s.id, s.ids) END AS example
      FROM (
        SELECT *, row_number() OVER (ORDER BY id) + greatest((SELECT last_seal FROM scope) - 1, 0) AS place, lag(digest) OVER (ORDER BY id) AS previous
        FROM ledger_seals WHERE id >= (SELECT last_seal FROM scope)
      ) s
      CROSS JOIN LATERAL (
        SELECT count(*) AS transfers, coalesce(string_agg(${TRANSFER_DIGEST}, ''::bytea ORDER BY t.id), '') AS digests
        FROM unnest(s.ids) AS range CROSS JOIN LATERAL (
          SELECT * FROM ledger_transfers WHERE id >= lower(range) AND id < upper(range) OFFSET 0
        ) t
      ) c
      WHERE s.id > (SELECT last_seal FROM scope)
        AND (s.id <> s.place OR s.transfers <> c.transfers OR s.digest <> sha256(coalesce(s.previous, '') || c.digests))
      ORDER BY s.id`,
  },
  ...RETENTION_CHECKS,
  {
    name: "sealed",
    sentence: "Everything older than ten minutes is under a seal.",
    // After a crash the next start seals what is left.
    severity: "note",
    sql: `SELECT format('transfer %s of %s', t.id, to_char(t.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')) AS example
      FROM (
        SELECT int8multirange(int8range((SELECT nullif(last_transfer, 0) FROM scope), NULL, '()')) - coalesce(range_agg(range), '{}') AS ranges
        FROM ledger_seals s CROSS JOIN LATERAL unnest(s.ids) AS range WHERE s.last_id >= (SELECT last_transfer FROM scope)
      ) open CROSS JOIN LATERAL unnest(open.ranges) AS gap CROSS JOIN LATERAL (
        SELECT id, created_at FROM ledger_transfers
        WHERE id >= coalesce(lower(gap), '-9223372036854775808'::bigint) AND id <= coalesce(upper(gap) - 1, 9223372036854775807)
        OFFSET 0
      ) t
      WHERE t.created_at < now() - interval '10 minutes' ORDER BY t.id`,
  },
];
