import { EVENT_TYPES, type EventType } from "@trunkline/core/alerts.ts";
import { BUDGET_PERIODS } from "@trunkline/core/caller.ts";
import type {
  AlertStore,
  AlertSubjects,
  BalanceAlerts,
  BudgetAlert,
  BudgetStatus,
  BudgetWindow,
  WatchedBalance,
  WatchedBudget,
} from "../../notify/alert-rules.ts";
import type { Database, Queryable } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { enqueueEvent } from "./outbox.ts";

type BudgetRow = Row<"api_keys", "name" | "account_id" | "budget_limit" | "budget_period"> &
  Row<"accounts", "time_zone" | "budget_thresholds"> & { key_id: string; budget_limit: bigint };

type BalanceRow = Row<"accounts", "low_balance"> & {
  account_id: string;
  total: bigint;
  is_low: boolean | null;
  is_exhausted: boolean | null;
  listens: string[];
};

/**
 * The two kinds of ledger accounts are joined apart, as each has an index of its own. An account without a customer side
 * never had credits. An account with an alert is read even where no webhook listens any more, so that the alert can end.
 */
const BALANCES = `
SELECT a.id AS account_id, a.low_balance, b.is_low, b.is_exhausted, coalesce(listening.types, '{}') AS listens, c.balance
  + coalesce((SELECT sum(l.balance) FROM ledger_accounts l WHERE l.kind = 'lease' AND l.account_id = a.id), 0)::bigint AS total
FROM accounts a
JOIN ledger_accounts c ON c.kind = 'customer' AND c.account_id = a.id
JOIN LATERAL (
  SELECT array_agg(DISTINCT type) AS types FROM webhooks w, unnest(coalesce(w.events, $2)) AS type
  WHERE w.account_id = a.id AND w.enabled
) listening ON true
LEFT JOIN balance_alerts b ON b.account_id = a.id
WHERE ($1::uuid[] IS NULL OR a.id = ANY ($1)) AND (listening.types IS NOT NULL OR b.is_low OR b.is_exhausted)`;

const NO_PERIOD_START = "-infinity";
/** Alerts of a period can be deleted once no check goes back to it. */
const SENT_ALERT_RETENTION = "62 days";

/** Thrown where the listening webhook was switched off before a delivery was written. */
class NoListenerError extends Error {}

/** Budgets and balances to watch, and the alerts that were sent, in PostgreSQL. */
export class PostgresAlerts implements AlertStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async watchedBudgets(type: EventType, alertSubjects: AlertSubjects | "all"): Promise<WatchedBudget[]> {
    const some = alertSubjects === "all" ? undefined : alertSubjects;
    const rows = await this.#database.query<BudgetRow>(
      `SELECT k.id AS key_id, k.name, k.account_id, k.budget_limit, k.budget_period, a.time_zone, a.budget_thresholds
       FROM api_keys k JOIN accounts a ON a.id = k.account_id
       WHERE k.budget_limit > 0 AND k.revoked_at IS NULL AND cardinality(a.budget_thresholds) > 0
         AND ($2::uuid[] IS NULL OR k.id = ANY ($2) OR k.account_id = ANY ($3))
         AND EXISTS (SELECT 1 FROM webhooks w WHERE w.account_id = k.account_id AND w.enabled AND (w.events IS NULL OR $1 = ANY (w.events)))`,
      [type, some?.keyIds ?? null, some?.accountIds ?? null],
    );
    return rows.map(budgetOf);
  }

  async statusOf(spans: readonly BudgetWindow[]): Promise<BudgetStatus[]> {
    // Where every threshold was alerted already nothing is summed.
    const rows = await this.#database.query<{ place: number; spent: bigint | null; alerted: number[] }>(
      `SELECT s.place::int, sent.thresholds AS alerted, CASE WHEN NOT sent.thresholds @> s.thresholds THEN (
           SELECT sum(u.cost)::bigint FROM usage_quarters u
           WHERE u.key_id = s.key_id AND u.quarter >= s.starts_at AND (s.ends_at IS NULL OR u.quarter < s.ends_at)
         ) END AS spent
       FROM (
         SELECT key_id, period, starts_at, ends_at, total_limit, thresholds::double precision[], place
         FROM unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::timestamptz[], $5::bigint[], $6::text[])
           WITH ORDINALITY AS t(key_id, period, starts_at, ends_at, total_limit, thresholds, place)
       ) s
       CROSS JOIN LATERAL (
         SELECT coalesce(array_agg(b.threshold), '{}') AS thresholds FROM budget_alerts b
         WHERE b.key_id = s.key_id AND b.period = s.period AND b.period_start = s.starts_at AND b.total_limit = s.total_limit
       ) sent`,
      [
        spans.map(({ keyId }) => keyId),
        spans.map(({ budget }) => budget.period),
        spans.map(startOf),
        spans.map(({ endsAt }) => (endsAt === undefined ? null : new Date(endsAt))),
        spans.map(totalLimitOf),
        spans.map(({ thresholds }) => `{${thresholds.join(",")}}`),
      ],
    );
    return rows.flatMap(({ place, spent, alerted }) => {
      const span = spans[place - 1];
      return span === undefined ? [] : [{ span, spent: spent ?? 0n, alerted }];
    });
  }

  async queueBudgetAlerts(span: BudgetWindow, alerts: readonly BudgetAlert[]): Promise<boolean> {
    return this.#rollBackWithoutListener(async (connection) => {
      // The primary key decides which instance alerts: another one waits here, and then finds nothing new.
      const rows = await connection.query<Row<"budget_alerts", "threshold">>(
        `INSERT INTO budget_alerts (key_id, period, period_start, total_limit, threshold)
         SELECT $1, $2, $3, $4, threshold FROM unnest($5::double precision[]) AS threshold ORDER BY threshold
         ON CONFLICT DO NOTHING RETURNING threshold`,
        [span.keyId, span.budget.period, startOf(span), totalLimitOf(span), alerts.map(({ threshold }) => threshold)],
      );
      const unsent = new Set(rows.map(({ threshold }) => threshold));
      const before = span.endsAt === undefined ? undefined : new Date(span.endsAt);
      for (const { threshold, event } of alerts) {
        if (!unsent.has(threshold)) continue;
        if ((await enqueueEvent(connection, span.accountId, event, before)) === 0) throw new NoListenerError();
      }
      return unsent.size > 0;
    });
  }

  async watchedBalances(accountIds: readonly string[] | "all"): Promise<WatchedBalance[]> {
    return readBalances(this.#database, accountIds === "all" ? null : accountIds);
  }

  async queueBalanceAlerts(accountId: string, judge: (balance: WatchedBalance) => BalanceAlerts): Promise<boolean> {
    return this.#rollBackWithoutListener(async (connection) => {
      await connection.query("INSERT INTO balance_alerts (account_id) VALUES ($1) ON CONFLICT DO NOTHING", [accountId]);
      // Locked in a statement of its own, so that the next one sees what the transaction before this one has written.
      await connection.query("SELECT 1 FROM balance_alerts WHERE account_id = $1 FOR UPDATE", [accountId]);
      const [balance] = await readBalances(connection, [accountId]);
      if (balance === undefined) return false;
      const { isLow, isExhausted, events } = judge(balance);
      await connection.query("UPDATE balance_alerts SET is_low = $2, is_exhausted = $3 WHERE account_id = $1", [
        accountId,
        isLow,
        isExhausted,
      ]);
      let posted = 0;
      for (const event of events) {
        const deliveries = await enqueueEvent(connection, accountId, event, undefined);
        if (deliveries === 0 && balance.listens.includes(event.type)) throw new NoListenerError();
        posted += deliveries;
      }
      return posted > 0;
    });
  }

  /** An alert that no webhook receives counts as not sent. */
  async #rollBackWithoutListener(work: (connection: Queryable) => Promise<boolean>): Promise<boolean> {
    try {
      return await this.#database.transaction(work);
    } catch (error) {
      if (error instanceof NoListenerError) return false;
      throw error;
    }
  }

  /** Deletes the alerts of periods that are long over. */
  async sweep(): Promise<void> {
    await this.#database.query(
      `DELETE FROM budget_alerts WHERE period <> 'total' AND period_start < now() - interval '${SENT_ALERT_RETENTION}'`,
    );
  }
}

async function readBalances(connection: Queryable, accountIds: readonly string[] | null): Promise<WatchedBalance[]> {
  const rows = await connection.query<BalanceRow>(BALANCES, [accountIds, EVENT_TYPES]);
  return rows.map((row) => ({
    accountId: row.account_id,
    total: row.total,
    mark: row.low_balance ?? undefined,
    isLow: row.is_low ?? false,
    isExhausted: row.is_exhausted ?? false,
    listens: row.listens,
  }));
}

function budgetOf(row: BudgetRow): WatchedBudget {
  const period = BUDGET_PERIODS.find((known) => known === row.budget_period);
  if (period === undefined) throw new Error(`The store holds "${row.budget_period}" where a period belongs.`);
  return {
    keyId: row.key_id,
    keyName: row.name,
    accountId: row.account_id,
    budget: { limit: row.budget_limit, period },
    timeZone: row.time_zone,
    thresholds: row.budget_thresholds,
  };
}

function startOf({ startsAt }: BudgetWindow): string {
  return startsAt === undefined ? NO_PERIOD_START : new Date(startsAt).toISOString();
}

/** An alert about a total budget is sent again when its limit changes. */
function totalLimitOf({ budget }: BudgetWindow): bigint {
  return budget.period === "total" ? budget.limit : 0n;
}
