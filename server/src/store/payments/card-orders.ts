import { ORDER_STATES } from "@trunkline/core/ledger-kinds.ts";
import type { CardOrder, CardPayment, OrderOutcome, SavedCard } from "../../payments/card/card-order.ts";
import type {
  AccountOrder,
  ApplyOutcome,
  CardOrderStore,
  NewOrder,
  OrderFilter,
  UnknownPayment,
} from "../../payments/card/card-store.ts";
import type { Database, Queryable } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { readPage } from "../database/sql.ts";
import { debitAccount } from "../ledger/debts.ts";
import { creditAccount } from "../ledger/ledger.ts";

type OrderRow = Row<"card_orders">;

interface ProcessorIds {
  readonly sessionId?: string | undefined;
  readonly paymentId?: string | undefined;
}

/** Orders that are paid by card, in PostgreSQL. */
export class PostgresCardOrders implements CardOrderStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  addOrder(order: NewOrder): Promise<void> {
    return insertOrder(this.#database, order);
  }

  async find(id: string): Promise<CardOrder | undefined> {
    const rows = await this.#database.query<OrderRow>("SELECT * FROM card_orders WHERE id = $1", [id]);
    return rows[0] && orderOf(rows[0]);
  }

  async findByProcessor({ sessionId, paymentId }: ProcessorIds): Promise<CardOrder | undefined> {
    const rows = await this.#database.query<OrderRow>(
      "SELECT * FROM card_orders WHERE session_id = $1 OR payment_id = $2 ORDER BY id LIMIT 1",
      [sessionId ?? null, paymentId ?? null],
    );
    return rows[0] && orderOf(rows[0]);
  }

  async list({ accountId, state, takenBack }: OrderFilter, limit: number, cursor: string | undefined) {
    const rows = await readPage<OrderRow & { readonly account_name: string }>(
      this.#database,
      `SELECT o.*, a.name AS account_name FROM card_orders o JOIN accounts a ON a.id = o.account_id
       WHERE ($1::uuid IS NULL OR o.account_id = $1) AND ($2::text IS NULL OR o.state = $2)
         AND (NOT $3::boolean OR o.refunded > 0 OR o.dispute_state IS NOT NULL)`,
      [accountId ?? null, state ?? null, takenBack],
      { limit, cursor },
      "o.id",
    );
    return rows.map((row): AccountOrder => ({ ...orderOf(row), accountName: row.account_name }));
  }

  async learnIds(id: string, { sessionId, paymentId }: ProcessorIds): Promise<void> {
    // Another instance may have been faster.
    await this.#database.query(
      `UPDATE card_orders SET session_id = coalesce(session_id, $2), payment_id = coalesce(payment_id, $3) WHERE id = $1`,
      [id, sessionId ?? null, paymentId ?? null],
    );
  }

  /** Locks in the order of all that follows: automatic payments, the order, the balance, the ledger's card account. */
  apply(
    { id, version }: Pick<CardOrder, "id" | "version">,
    payment: CardPayment,
    decide: (order: CardOrder, payment: CardPayment) => OrderOutcome,
  ): Promise<ApplyOutcome> {
    return this.#database.transaction(async (connection) => {
      await connection.query(
        "SELECT 1 FROM auto_top_ups WHERE account_id = (SELECT account_id FROM card_orders WHERE id = $1) FOR UPDATE",
        [id],
      );
      const rows = await connection.query<OrderRow>("SELECT * FROM card_orders WHERE id = $1 FOR UPDATE", [id]);
      if (rows[0] === undefined || rows[0].version !== version) return { outcome: "stale" };
      const order = orderOf(rows[0]);
      const outcome = decide(order, payment);
      const balanceChanged = await moveCredits(connection, order, outcome);
      const written = await connection.query<OrderRow>(
        `UPDATE card_orders SET state = $2, refunded = $3, disputed = $4, dispute_state = $5, reason = $6,
           payment_id = coalesce(payment_id, $7), paid_at = CASE WHEN $2 = 'paid' THEN coalesce(paid_at, now()) END,
           version = version + 1, checked_at = now()
         WHERE id = $1 RETURNING *`,
        [
          id,
          outcome.state,
          outcome.refunded,
          outcome.disputed,
          outcome.disputeState ?? null,
          outcome.reason ?? null,
          payment.paymentId ?? null,
        ],
      );
      const isNewlyPaid = order.state !== "paid" && outcome.state === "paid";
      if (isNewlyPaid && order.savesCard && payment.card !== undefined)
        await saveCard(connection, order.accountId, payment.card);
      if (isNewlyPaid && order.kind === "auto") await armAutoTopUp(connection, order.accountId);
      const takenBack = outcome.refunded > order.refunded || outcome.disputed > order.disputed;
      if (takenBack) await disarmAutoTopUp(connection, order.accountId);
      const applied = written[0] === undefined ? order : orderOf(written[0]);
      return { outcome: "applied", balanceChanged, takenBack, order: applied };
    });
  }

  async close(id: string, state: "failed" | "expired", reason: string): Promise<void> {
    await this.#database.query(
      "UPDATE card_orders SET state = $2, reason = $3, version = version + 1 WHERE id = $1 AND state = 'open'",
      [id, state, reason],
    );
  }

  async takeOverdue(idleSeconds: number, limit: number): Promise<CardOrder[]> {
    const rows = await this.#database.query<OrderRow>(
      `UPDATE card_orders SET checked_at = now() WHERE id IN (
         SELECT id FROM card_orders WHERE state = 'open' AND checked_at < now() - make_interval(secs => $1)
         ORDER BY checked_at LIMIT $2 FOR UPDATE SKIP LOCKED
       ) RETURNING *`,
      [idleSeconds, limit],
    );
    return rows.map(orderOf);
  }

  async addUnknownPayment(payment: Omit<UnknownPayment, "createdAt">): Promise<void> {
    await this.#database.query(
      `INSERT INTO card_unknown_payments (payment_id, event_type, amount, currency, reference)
       VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
      [payment.id, payment.eventType, payment.amount ?? null, payment.currency ?? null, payment.reference ?? null],
    );
  }

  async listUnknownPayments(limit: number): Promise<UnknownPayment[]> {
    const rows = await this.#database.query<Row<"card_unknown_payments">>(
      "SELECT * FROM card_unknown_payments ORDER BY created_at DESC, payment_id LIMIT $1",
      [limit],
    );
    return rows.map((row) => ({
      id: row.payment_id,
      eventType: row.event_type,
      amount: row.amount ?? undefined,
      currency: row.currency ?? undefined,
      reference: row.reference ?? undefined,
      createdAt: row.created_at,
    }));
  }

  savedCard(accountId: string): Promise<SavedCard | undefined> {
    return readSavedCard(this.#database, accountId);
  }

  async forgetCard(accountId: string): Promise<void> {
    await this.#database.transaction(async (connection) => {
      await connection.query("UPDATE auto_top_ups SET enabled = false WHERE account_id = $1", [accountId]);
      await connection.query("DELETE FROM saved_cards WHERE account_id = $1", [accountId]);
    });
  }
}

export async function insertOrder(connection: Queryable, order: NewOrder): Promise<void> {
  await connection.query(
    `INSERT INTO card_orders (id, account_id, kind, amount, currency, credits, saves_card) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [order.id, order.accountId, order.kind, order.amount, order.currency, order.credits, order.savesCard],
  );
}

export async function readSavedCard(connection: Queryable, accountId: string): Promise<SavedCard | undefined> {
  const [row] = await connection.query<Row<"saved_cards">>("SELECT * FROM saved_cards WHERE account_id = $1", [
    accountId,
  ]);
  return (
    row && {
      customerId: row.customer_id,
      paymentMethodId: row.payment_method_id,
      brand: row.brand,
      last4: row.last4,
    }
  );
}

/** Moves what has changed between what an order was and what it is. Returns whether anything moved. */
async function moveCredits(connection: Queryable, order: CardOrder, outcome: OrderOutcome): Promise<boolean> {
  const isNewlyPaid = order.state !== "paid" && outcome.state === "paid";
  const [refunded, disputed] = [outcome.refunded - order.refunded, outcome.disputed - order.disputed];
  if (!isNewlyPaid && refunded === 0n && disputed === 0n) return false;
  const { id, accountId } = order;
  // The balance is locked before the account that card payments come from, here and nowhere else both.
  await connection.query(
    "INSERT INTO ledger_accounts (kind, account_id) VALUES ('customer', $1) ON CONFLICT (account_id) WHERE kind = 'customer' DO NOTHING",
    [accountId],
  );
  await connection.query("SELECT 1 FROM ledger_accounts WHERE kind = 'customer' AND account_id = $1 FOR UPDATE", [
    accountId,
  ]);
  if (isNewlyPaid) {
    const transferId = await creditAccount(connection, "purchase", accountId, order.credits, id);
    await addMovement(connection, id, transferId, "purchase");
  }
  const changes = [
    { kind: "refund", amount: refunded },
    { kind: "dispute", amount: disputed },
  ] as const;
  // What is given back comes first, so that it covers what is taken.
  for (const { amount } of changes.filter((change) => change.amount < 0n)) {
    const transferId = await creditAccount(connection, "dispute_won", accountId, -amount, id);
    await addMovement(connection, id, transferId, "dispute_won");
  }
  for (const { kind, amount } of changes.filter((change) => change.amount > 0n)) {
    for (const transfer of await debitAccount(connection, kind, accountId, amount, id))
      await addMovement(connection, id, transfer.id, transfer.kind);
  }
  return true;
}

async function addMovement(connection: Queryable, orderId: string, transferId: bigint, kind: string): Promise<void> {
  await connection.query("INSERT INTO card_movements (transfer_id, order_id, kind) VALUES ($1, $2, $3)", [
    transferId,
    orderId,
    kind,
  ]);
}

async function saveCard(connection: Queryable, accountId: string, card: SavedCard): Promise<void> {
  await connection.query(
    `INSERT INTO saved_cards (account_id, customer_id, payment_method_id, brand, last4) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (account_id) DO UPDATE SET customer_id = EXCLUDED.customer_id, payment_method_id = EXCLUDED.payment_method_id,
       brand = EXCLUDED.brand, last4 = EXCLUDED.last4, created_at = now()`,
    [accountId, card.customerId, card.paymentMethodId, card.brand, card.last4],
  );
}

/** The next fall below the threshold is paid for again, once the balance is above it. */
async function armAutoTopUp(connection: Queryable, accountId: string): Promise<void> {
  await connection.query(
    `UPDATE auto_top_ups t SET armed = true WHERE account_id = $1 AND threshold <= (
       SELECT coalesce(sum(balance), 0) FROM ledger_accounts WHERE account_id = $1 AND kind IN ('customer', 'lease'))`,
    [accountId],
  );
}

/** What was taken back must not be bought again by itself, however far the balance falls by it. */
async function disarmAutoTopUp(connection: Queryable, accountId: string): Promise<void> {
  await connection.query("UPDATE auto_top_ups SET armed = false WHERE account_id = $1", [accountId]);
}

function orderOf(row: OrderRow): CardOrder {
  const state = ORDER_STATES.find((known) => known === row.state);
  if (state === undefined) throw new Error(`The store holds "${row.state}" where an order's state belongs.`);
  return {
    id: row.id,
    accountId: row.account_id,
    kind: row.kind === "auto" ? "auto" : "checkout",
    state,
    amount: row.amount,
    currency: row.currency,
    credits: row.credits,
    savesCard: row.saves_card,
    sessionId: row.session_id ?? undefined,
    paymentId: row.payment_id ?? undefined,
    reason: row.reason ?? undefined,
    refunded: row.refunded,
    disputed: row.disputed,
    disputeState: row.dispute_state ?? undefined,
    version: row.version,
    createdAt: row.created_at,
    paidAt: row.paid_at ?? undefined,
  };
}
