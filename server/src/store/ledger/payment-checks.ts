import type { AuditCheck } from "./audit-check.ts";

/** The rules of credits that are paid for. */
export const PAYMENT_CHECKS: readonly AuditCheck[] = [
  {
    name: "card-orders",
    sentence:
      "Every paid order has its one purchase of its amount to its account, what was taken back of it has its movements, and every such movement its order.",
    severity: "finding",
    sql: `SELECT CASE
        WHEN m.transfer_id IS NULL THEN format('transfer %s: a %s of %s without an order', t.id, t.kind, t.amount)
        WHEN t.id IS NULL THEN format('order %s has no movement %s', m.order_id, m.transfer_id)
        ELSE format('order %s: transfer %s, a %s of %s, does not fit', m.order_id, t.id, t.kind, t.amount) END AS example
      FROM (SELECT * FROM ledger_transfers WHERE kind IN ('purchase', 'refund', 'dispute', 'dispute_won', 'debt')) t
      FULL JOIN card_movements m ON m.transfer_id = t.id
      LEFT JOIN card_orders o ON o.id = m.order_id
      LEFT JOIN ledger_accounts c ON c.id = CASE WHEN t.kind IN ('purchase', 'dispute_won') THEN t.credit ELSE t.debit END
      WHERE m.transfer_id IS NULL OR t.id IS NULL OR m.kind <> t.kind OR c.account_id IS DISTINCT FROM o.account_id
        OR (t.kind = 'purchase' AND t.amount <> o.credits)
      UNION ALL
      SELECT format('order %s is %s: bought %s times, taken back %s by its movements and %s by itself',
        o.id, o.state, coalesce(m.purchases, 0), coalesce(m.taken, 0), o.refunded + o.disputed)
      FROM card_orders o LEFT JOIN (
        SELECT m.order_id, count(*) FILTER (WHERE t.kind = 'purchase') AS purchases,
          sum(CASE t.kind WHEN 'purchase' THEN 0 WHEN 'dispute_won' THEN -t.amount ELSE t.amount END) AS taken
        FROM card_movements m JOIN ledger_transfers t ON t.id = m.transfer_id GROUP BY m.order_id
      ) m ON m.order_id = o.id
      WHERE coalesce(m.purchases, 0) <> CASE WHEN o.state = 'paid' THEN 1 ELSE 0 END
        OR coalesce(m.taken, 0) <> o.refunded + o.disputed`,
  },
  {
    name: "sign-up-credits",
    sentence: "Every grant of sign-up credits belongs to one address.",
    severity: "finding",
    sql: `SELECT format('the sign-up credits of %s are transfer %s, a %s', encode(s.address_hash, 'hex'), t.id, t.kind) AS example
      FROM sign_up_credits s JOIN ledger_transfers t ON t.id = s.transfer_id WHERE t.kind <> 'grant'`,
  },
  {
    name: "debts",
    sentence: "No account owes credits while it has some that no instance has leased.",
    severity: "finding",
    sql: `SELECT format('account %s owes %s and has %s', d.account_id, -d.balance, c.balance) AS example
      FROM ledger_accounts d JOIN ledger_accounts c ON c.kind = 'customer' AND c.account_id = d.account_id
      WHERE d.kind = 'debt' AND (d.balance > 0 OR (d.balance < 0 AND c.balance > 0))`,
  },
];
