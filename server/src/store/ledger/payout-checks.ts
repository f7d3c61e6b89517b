import type { AuditCheck } from "./audit-check.ts";
import { earningPartsUnder } from "./provider-earnings.ts";

/** The seals whose charges were read for earnings, as far as they are audited. */
const READ_SEALS = `s.id > (SELECT before_seal FROM earnings_progress) AND s.id <= (SELECT last_seal FROM earnings_progress)
  AND s.sealed_at >= (SELECT sealed_from FROM scope)`;

/** The rules of what providers earn and are paid. */
export const PAYOUT_CHECKS: readonly AuditCheck[] = [
  {
    name: "earnings",
    sentence:
      "Every charged leg of another account's model, under the seals that were read, has its one earning of what was paid, less the fee and rounded down, and every earning its charge.",
    severity: "finding",
    sql: `SELECT CASE
        WHEN c.request_id IS NULL THEN format('request %s, leg %s earned %s without a charge', e.request_id, e.leg, e.net)
        WHEN e.request_id IS NULL THEN format('request %s, leg %s of provider %s cost %s and earned nothing', c.request_id, c.leg, c.account_id, c.cost)
        ELSE format('request %s, leg %s cost %s, the earning says %s and %s', c.request_id, c.leg, c.cost, e.gross, e.net) END AS example
      FROM audited_earnings e FULL JOIN (
        SELECT r.id AS request_id, part.leg, owner.id AS account_id, part.cost, t.credit AS revenue
        FROM ${earningPartsUnder(READ_SEALS)} WHERE part.cost > 0
      ) c ON c.request_id = e.request_id AND c.leg = e.leg
      LEFT JOIN ledger_transfers moved ON moved.id = e.transfer_id
      WHERE c.request_id IS NULL OR e.request_id IS NULL OR e.gross <> c.cost OR e.account_id <> c.account_id
        OR e.net <> div(c.cost::numeric * (1000000 - e.fee_ppm), 1000000) OR moved.debit <> c.revenue`,
  },
  {
    name: "earning-movements",
    sentence:
      "Every movement of earnings is the sum of its earnings, to their provider, and every earning has its movement.",
    severity: "finding",
    sql: `SELECT format('transfer %s moves %s to %s, its earnings are %s of %s', t.id, t.amount, c.account_id, e.net, e.accounts) AS example
      FROM (SELECT * FROM ledger_transfers WHERE kind = 'earning') t LEFT JOIN ledger_accounts c ON c.id = t.credit
      FULL JOIN (
        SELECT transfer_id, sum(net) AS net, array_agg(DISTINCT account_id) AS accounts
        FROM provider_earnings WHERE transfer_id IS NOT NULL GROUP BY 1
      ) e ON e.transfer_id = t.id
      WHERE t.amount IS DISTINCT FROM e.net OR ARRAY[c.account_id] IS DISTINCT FROM e.accounts ORDER BY t.id`,
  },
  {
    name: "payouts",
    sentence:
      "Every payout was taken once from what its provider was owed, ended once as it says, in its amount, and every such movement has its payout.",
    severity: "finding",
    sql: `SELECT CASE
        WHEN t.id IS NULL THEN format('payout %s, %s of %s, lacks the transfer %s', p.id, p.state, p.amount, p.transfer_id)
        WHEN p.id IS NULL THEN format('transfer %s, a %s of %s, has no payout', t.id, t.kind, t.amount)
        ELSE format('payout %s, %s of %s: transfer %s, a %s of %s, does not fit', p.id, p.state, p.amount, t.id, t.kind, t.amount) END AS example
      FROM (
        SELECT t.*, coalesce(d.account_id, c.account_id) AS account_id FROM ledger_transfers t
        JOIN ledger_accounts d ON d.id = t.debit JOIN ledger_accounts c ON c.id = t.credit
        WHERE t.kind IN ('payout_begun', 'payout_sent', 'payout_failed')
      ) t FULL JOIN (
        SELECT id, account_id, amount, state, begun_transfer AS transfer_id, 'payout_begun' AS kind FROM payouts
        UNION ALL
        SELECT id, account_id, amount, state, ended_transfer, 'payout_' || state FROM payouts WHERE state IN ('sent', 'failed')
      ) p ON p.transfer_id = t.id
      WHERE t.id IS NULL OR p.id IS NULL OR (t.kind, t.amount, t.account_id) IS DISTINCT FROM (p.kind, p.amount, p.account_id)
      ORDER BY t.id`,
  },
];
