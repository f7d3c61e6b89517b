import type { NanoCredits } from "@trunkline/core/money.ts";
import type { WebhookEvent } from "../../notify/webhooks/deliver.ts";
import type {
  AutoTopUp,
  AutoTopUpStore,
  AutoTopUpTerms,
  BegunTopUp,
  NewOrder,
} from "../../payments/card/card-store.ts";
import { type AccountsElsewhere, NOTHING_ELSEWHERE } from "../clusters/accounts-elsewhere.ts";
import type { Database } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { enqueueEvent } from "../notify/outbox.ts";
import { insertOrder, readSavedCard } from "./card-orders.ts";

/** What the account `t.account_id` has paid, or is paying, automatically in the month of its own time zone. */
const PAID_THIS_MONTH = `(SELECT coalesce(sum(o.credits), 0)::bigint FROM card_orders o JOIN accounts z ON z.id = o.account_id
  WHERE o.account_id = t.account_id AND o.kind = 'auto' AND o.state IN ('open', 'paid')
    AND o.created_at >= date_trunc('month', now() AT TIME ZONE z.time_zone) AT TIME ZONE z.time_zone)`;

/** With what the account has on other clusters: `$1` are accounts, `$2` their balances there. */
const BALANCE = `(SELECT coalesce(sum(l.balance), 0)::bigint FROM ledger_accounts l
  WHERE l.account_id = t.account_id AND l.kind IN ('customer', 'lease'))
  + coalesce((SELECT balance FROM unnest($1::uuid[], $2::bigint[]) AS e(id, balance) WHERE e.id = t.account_id), 0)`;

/** Whether a payment is due for `t`, of an account `a`. */
const IS_DUE = `t.enabled AND t.armed AND a.suspended_at IS NULL AND a.closed_at IS NULL AND ${BALANCE} < t.threshold
  AND ${PAID_THIS_MONTH} + t.amount <= t.monthly_ceiling`;

/** Automatic payments in PostgreSQL. */
export class PostgresAutoTopUps implements AutoTopUpStore {
  readonly #database: Database;
  readonly #eventOf: (reason: string) => WebhookEvent;
  readonly #elsewhere: AccountsElsewhere;

  /** `eventOf` makes the event that tells an account that its automatic payments were stopped. */
  constructor(database: Database, eventOf: (reason: string) => WebhookEvent, elsewhere = NOTHING_ELSEWHERE) {
    this.#database = database;
    this.#eventOf = eventOf;
    this.#elsewhere = elsewhere;
  }

  async find(accountId: string): Promise<AutoTopUp | undefined> {
    const [row] = await this.#database.query<Row<"auto_top_ups"> & { readonly paid: bigint }>(
      `SELECT t.*, ${PAID_THIS_MONTH} AS paid FROM auto_top_ups t WHERE account_id = $1`,
      [accountId],
    );
    return (
      row && {
        accountId,
        enabled: row.enabled,
        threshold: row.threshold,
        amount: row.amount,
        monthlyCeiling: row.monthly_ceiling,
        stoppedReason: row.stopped_reason ?? undefined,
        paidThisMonth: row.paid,
      }
    );
  }

  async set(accountId: string, { enabled, threshold, amount, monthlyCeiling }: AutoTopUpTerms): Promise<void> {
    await this.#database.query(
      `INSERT INTO auto_top_ups AS t (account_id, enabled, threshold, amount, monthly_ceiling) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (account_id) DO UPDATE SET enabled = EXCLUDED.enabled, threshold = EXCLUDED.threshold, amount = EXCLUDED.amount,
         monthly_ceiling = EXCLUDED.monthly_ceiling, armed = t.armed OR (EXCLUDED.enabled AND NOT t.enabled),
         stopped_reason = NULL, updated_at = now()`,
      [accountId, enabled, threshold, amount, monthlyCeiling],
    );
  }

  async due(): Promise<readonly string[]> {
    const enabled = await this.#database.query<Row<"auto_top_ups", "account_id">>(
      "SELECT account_id FROM auto_top_ups WHERE enabled",
    );
    const elsewhere = await this.#readElsewhere(enabled.map(({ account_id: id }) => id));
    await this.#database.query(
      `UPDATE auto_top_ups t SET armed = true WHERE enabled AND NOT armed AND ${BALANCE} >= threshold`,
      elsewhere,
    );
    const rows = await this.#database.query<Row<"auto_top_ups", "account_id">>(
      `SELECT t.account_id FROM auto_top_ups t JOIN accounts a ON a.id = t.account_id WHERE ${IS_DUE}`,
      elsewhere,
    );
    return rows.map(({ account_id: accountId }) => accountId);
  }

  /** Accounts, and what they have on other clusters. */
  async #readElsewhere(accountIds: readonly string[]): Promise<[string[], bigint[]]> {
    const balances = await this.#elsewhere.balancesOf(accountIds);
    return [[...balances.keys()], [...balances.values()]];
  }

  async begin(accountId: string, orderOf: (amount: NanoCredits) => NewOrder): Promise<BegunTopUp | undefined> {
    return this.#database.transaction(async (connection) => {
      // Locked in a statement of its own, so that the next one sees what the instance before has written.
      await connection.query("SELECT 1 FROM auto_top_ups WHERE account_id = $1 FOR UPDATE", [accountId]);
      const [due] = await connection.query<Row<"auto_top_ups", "amount">>(
        `SELECT t.amount FROM auto_top_ups t JOIN accounts a ON a.id = t.account_id
         WHERE t.account_id = $3 AND ${IS_DUE} AND NOT EXISTS (
           SELECT 1 FROM card_orders o WHERE o.account_id = $3 AND o.kind = 'auto' AND o.state = 'open')`,
        [...(await this.#readElsewhere([accountId])), accountId],
      );
      const card = await readSavedCard(connection, accountId);
      if (due === undefined || card === undefined) return undefined;
      const order = orderOf(due.amount);
      await insertOrder(connection, order);
      await connection.query("UPDATE auto_top_ups SET armed = false WHERE account_id = $1", [accountId]);
      return { order, card };
    });
  }

  async stop(accountId: string, reason: string): Promise<boolean> {
    return this.#database.transaction(async (connection) => {
      const rows = await connection.query(
        `UPDATE auto_top_ups SET enabled = false, stopped_reason = $2, updated_at = now()
         WHERE account_id = $1 AND enabled RETURNING 1`,
        [accountId, reason],
      );
      if (rows.length === 0) return false;
      await enqueueEvent(connection, accountId, this.#eventOf(reason), undefined);
      return true;
    });
  }
}
