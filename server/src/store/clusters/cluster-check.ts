import type { AuditCheck } from "../ledger/audit-check.ts";

/** The rule of one cluster: what moved to and from others is written down, once. */
export const CLUSTER_CHECK: AuditCheck = {
  name: "cluster-transfers",
  sentence:
    "Every movement to or from another cluster is noted with its id, account and amount, and every note has its movement.",
  severity: "finding",
  sql: `SELECT CASE
      WHEN n.id IS NULL THEN format('transfer %s, a %s of %s, is not noted', t.id, t.kind, t.amount)
      WHEN t.id IS NULL THEN format('%s %s of %s has no movement', n.side, n.id, n.amount)
      ELSE format('%s %s of %s: transfer %s, a %s of %s, does not fit', n.side, n.id, n.amount, t.id, t.kind, t.amount) END AS example
    FROM cluster_transfers n FULL JOIN (
      SELECT t.id, t.kind, t.amount, coalesce(d.account_id, c.account_id) AS account_id, CASE WHEN d.kind = 'transit' THEN c.kind ELSE d.kind END AS moved
      FROM ledger_transfers t JOIN ledger_accounts d ON d.id = t.debit JOIN ledger_accounts c ON c.id = t.credit
      WHERE t.kind IN ('cluster_out', 'cluster_in')
    ) t ON t.id = n.transfer_id
    WHERE n.id IS NULL OR t.id IS NULL
      OR (t.kind, t.amount, t.account_id, t.moved) IS DISTINCT FROM ('cluster_' || n.side, n.amount, n.account_id, n.kind)`,
};
