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
import type { WebhookEvent } from "../../notify/webhooks/deliver.ts";
import { type AccountsElsewhere, NOTHING_ELSEWHERE } from "../clusters/accounts-elsewhere.ts";
import type { Database, Queryable } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { enqueueAlertMails } from "./alert-mails.ts";
import { enqueueEvent } from "./outbox.ts";

type BudgetRow = Row<"api_keys", "account_id" | "budget_period"> &
  Row<"accounts", "time_zone" | "budget_thresholds"> & {
    key_id: string | null;
    name: string | null;
    budget_limit: bigint;
  };

type BalanceRow = Row<"accounts", "low_balance"> & {
  account_id: string;
  total: bigint;
  is_low: boolean | null;
  is_exhausted: boolean | null;
  listens: string[];
  mails: boolean;
};

/**
 * The two kinds of ledger accounts are joined apart, as each has an index of its own. An account without a customer side
 * never had credits. An account with an alert is read even where no webhook listens any more, so that the alert can end.
 */
const BALANCES = `
SELECT a.id AS account_id, a.low_balance, b.is_low, b.is_exhausted, $3 AND a.alert_email AS mails,
  coalesce(listening.types, '{}') || CASE WHEN $3 AND a.alert_email THEN $4::text[] ELSE '{}' END AS listens, c.balance
  + coalesce((SELECT sum(l.balance) FROM ledger_accounts l WHERE l.kind = 'lease' AND l.account_id = a.id), 0)::bigint AS total
FROM accounts a
JOIN ledger_accounts c ON c.kind = 'customer' AND c.account_id = a.id
JOIN LATERAL (
  SELECT array_agg(DISTINCT type) AS types FROM webhooks w, unnest(coalesce(w.events, $2)) AS type
  WHERE w.account_id = a.id AND w.enabled
) listening ON true
LEFT JOIN balance_alerts b ON b.account_id = a.id
WHERE ($1::uuid[] IS NULL OR a.id = ANY ($1)) AND (listening.types IS NOT NULL OR b.is_low OR b.is_exhausted
  OR ($3 AND a.alert_email))`;

/** The events of a balance that are sent by e-mail. */
const MAILED_BALANCE_EVENTS: readonly EventType[] = ["balance.low", "balance.exhausted"];

const NO_PERIOD_START = "-infinity";
/** Alerts of a period can be deleted once no check goes back to it. */
const SENT_ALERT_RETENTION = "62 days";

/** Thrown where the listening webhook was switched off before a delivery was written. */
class NoListenerError extends Error {}

/** Budgets and balances to watch, and the alerts that were sent, in PostgreSQL. */
export class PostgresAlerts implements AlertStore {
  readonly #database: Database;
  /** Whether the service can send e-mail. */
  readonly #mails: boolean;
  readonly #elsewhere: AccountsElsewhere;

  constructor(database: Database, mails = false, elsewhere = NOTHING_ELSEWHERE) {
    this.#database = database;
    this.#mails = mails;
    this.#elsewhere = elsewhere;
  }

  async watchedBudgets(type: EventType, alertSubjects: AlertSubjects | "all"): Promise<WatchedBudget[]> {
    const some = alertSubjects === "all" ? undefined : alertSubjects;
    const rows = await this.#database.query<BudgetRow>(
      `SELECT b.key_id, b.name, b.account_id, b.budget_limit, b.budget_period, a.time_zone, a.budget_thresholds
       FROM (
         SELECT k.id AS key_id, k.name, k.account_id, k.budget_limit, k.budget_period FROM api_keys k
         WHERE k.budget_limit > 0 AND k.revoked_at IS NULL
           AND ($2::uuid[] IS NULL OR k.id = ANY ($2) OR k.account_id = ANY ($3))
         UNION ALL
         SELECT NULL, NULL, o.id, o.budget_limit, o.budget_period FROM accounts o
         WHERE o.budget_limit > 0 AND ($2::uuid[] IS NULL OR o.id = ANY ($3) OR o.id = ANY ($4))
       ) b JOIN accounts a ON a.id = b.account_id
       WHERE cardinality(a.budget_thresholds) > 0 AND (($5 AND a.alert_email) OR EXISTS (
         SELECT 1 FROM webhooks w WHERE w.account_id = a.id AND w.enabled AND (w.events IS NULL OR $1 = ANY (w.events))))`,
      [type, some?.keyIds ?? null, some?.accountIds ?? null, some?.ownBudgetsOf ?? [], this.#mails],
    );
    return rows.map(budgetOf);
  }

  async statusOf(spans: readonly BudgetWindow[]): Promise<BudgetStatus[]> {
    const ofKeys = spans.filter(({ keyId }) => keyId !== undefined);
    const ofAccounts = spans.filter(({ keyId }) => keyId === undefined);
    return [
      ...(ofKeys.length === 0 ? [] : await this.#statusIn("key_id", ofKeys)),
      ...(ofAccounts.length === 0 ? [] : await this.#statusIn("account_id", ofAccounts)),
    ];
  }

  async #statusIn(owner: "key_id" | "account_id", spans: readonly BudgetWindow[]): Promise<BudgetStatus[]> {
    // Where every threshold was alerted already nothing is summed.
    const rows = await this.#database.query<{ place: number; spent: bigint | null; alerted: number[] }>(
      `SELECT s.place::int, sent.thresholds AS alerted, CASE WHEN NOT sent.thresholds @> s.thresholds THEN (
           SELECT sum(u.cost)::bigint FROM usage_quarters u
           WHERE u.${owner} = s.owner_id AND u.quarter >= s.starts_at AND (s.ends_at IS NULL OR u.quarter < s.ends_at)
         ) END AS spent
       FROM (
         SELECT owner_id, period, starts_at, ends_at, total_limit, thresholds::double precision[], place
         FROM unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::timestamptz[], $5::bigint[], $6::text[])
           WITH ORDINALITY AS t(owner_id, period, starts_at, ends_at, total_limit, thresholds, place)
       ) s
       CROSS JOIN LATERAL (
         SELECT coalesce(array_agg(b.threshold), '{}') AS thresholds FROM ${ALERT_TABLES[owner]} b
         WHERE b.${owner} = s.owner_id AND b.period = s.period AND b.period_start = s.starts_at
           ${owner === "key_id" ? "AND b.total_limit = s.total_limit" : ""}
       ) sent`,
      [
        spans.map(({ keyId, accountId }) => keyId ?? accountId),
        spans.map(({ budget }) => budget.period),
        spans.map(startOf),
        spans.map(({ endsAt }) => (endsAt === undefined ? null : new Date(endsAt))),
        spans.map(totalLimitOf),
        spans.map(({ thresholds }) => `{${thresholds.join(",")}}`),
      ],
    );
    const statuses = rows.flatMap(({ place, spent, alerted }) => {
      const span = spans[place - 1];
      return span === undefined ? [] : [{ span, spent: spent ?? 0n, alerted }];
    });
    return Promise.all(
      statuses.map(async (status) => ({
        ...status,
        spent: status.spent + (await this.#spentElsewhere(owner, status.span)),
      })),
    );
  }

  /** What was spent of a budget on other clusters. */
  async #spentElsewhere(owner: "key_id" | "account_id", span: BudgetWindow): Promise<bigint> {
    let spent = 0n;
    for (const other of this.#elsewhere.ofAccount(span.accountId)) {
      const rows = await other.query<{ spent: bigint }>(
        `SELECT coalesce(sum(cost), 0)::bigint AS spent FROM usage_quarters
         WHERE ${owner} = $1 AND quarter >= $2 AND ($3::timestamptz IS NULL OR quarter < $3)`,
        [span.keyId ?? span.accountId, startOf(span), span.endsAt === undefined ? null : new Date(span.endsAt)],
      );
      spent += rows[0]?.spent ?? 0n;
    }
    return spent;
  }

  async queueBudgetAlerts(span: BudgetWindow, alerts: readonly BudgetAlert[]): Promise<readonly number[]> {
    return this.#rollBackWithoutListener(async (connection) => {
      const mails = await this.#mailsTo(connection, span.accountId);
      const thresholds = alerts.map(({ threshold }) => threshold);
      // The primary key decides which instance alerts: another one waits here, and then finds nothing new.
      const rows =
        span.keyId === undefined
          ? await connection.query<{ threshold: number }>(
              `INSERT INTO account_budget_alerts (account_id, period, period_start, threshold)
               SELECT $1, $2, $3, threshold FROM unnest($4::double precision[]) AS threshold ORDER BY threshold
               ON CONFLICT DO NOTHING RETURNING threshold`,
              [span.accountId, span.budget.period, startOf(span), thresholds],
            )
          : await connection.query<{ threshold: number }>(
              `INSERT INTO budget_alerts (key_id, period, period_start, total_limit, threshold)
               SELECT $1, $2, $3, $4, threshold FROM unnest($5::double precision[]) AS threshold ORDER BY threshold
               ON CONFLICT DO NOTHING RETURNING threshold`,
              [span.keyId, span.budget.period, startOf(span), totalLimitOf(span), thresholds],
            );
      const unsent = new Set(rows.map(({ threshold }) => threshold));
      const before = span.endsAt === undefined ? undefined : new Date(span.endsAt);
      const due = alerts.filter(({ threshold }) => unsent.has(threshold));
      for (const { event } of due) {
        if ((await enqueueEvent(connection, span.accountId, event, before)) === 0 && !mails)
          throw new NoListenerError();
      }
      const highest = due.at(-1);
      if (mails && highest !== undefined) await enqueueAlertMails(connection, span.accountId, highest.event);
      return [...unsent];
    });
  }

  /** Whether an account gets its alerts by e-mail. */
  async #mailsTo(connection: Queryable, accountId: string): Promise<boolean> {
    if (!this.#mails) return false;
    const rows = await connection.query("SELECT 1 FROM accounts WHERE id = $1 AND alert_email", [accountId]);
    return rows.length > 0;
  }

  async watchedBalances(accountIds: readonly string[] | "all"): Promise<WatchedBalance[]> {
    return this.#readBalances(this.#database, accountIds === "all" ? null : accountIds);
  }

  async #readBalances(connection: Queryable, accountIds: readonly string[] | null): Promise<WatchedBalance[]> {
    const balances = await readBalances(connection, accountIds, this.#mails);
    const elsewhere = await this.#elsewhere.balancesOf(balances.map(({ accountId }) => accountId));
    if (elsewhere.size === 0) return balances;
    return balances.map((balance) => ({
      ...balance,
      total: balance.total + (elsewhere.get(balance.accountId) ?? 0n),
    }));
  }

  async queueBalanceAlerts(
    accountId: string,
    judge: (balance: WatchedBalance) => BalanceAlerts,
  ): Promise<readonly WebhookEvent[]> {
    return this.#rollBackWithoutListener(async (connection) => {
      await connection.query("INSERT INTO balance_alerts (account_id) VALUES ($1) ON CONFLICT DO NOTHING", [accountId]);
      // Locked in a statement of its own, so that the next one sees what the transaction before this one has written.
      await connection.query("SELECT 1 FROM balance_alerts WHERE account_id = $1 FOR UPDATE", [accountId]);
      const [balance] = await this.#readBalances(connection, [accountId]);
      if (balance === undefined) return [];
      const { isLow, isExhausted, events } = judge(balance);
      await connection.query("UPDATE balance_alerts SET is_low = $2, is_exhausted = $3 WHERE account_id = $1", [
        accountId,
        isLow,
        isExhausted,
      ]);
      const alerted: WebhookEvent[] = [];
      for (const event of events) {
        const deliveries = await enqueueEvent(connection, accountId, event, undefined);
        const isMailed = balance.mails && MAILED_BALANCE_EVENTS.some((type) => type === event.type);
        if (deliveries === 0 && !isMailed && balance.listens.includes(event.type)) throw new NoListenerError();
        if (isMailed) await enqueueAlertMails(connection, accountId, event);
        if (deliveries > 0 || isMailed) alerted.push(event);
      }
      return alerted;
    });
  }

  /** An alert that neither a webhook nor a mailbox receives counts as not sent. */
  async #rollBackWithoutListener<Alert>(
    work: (connection: Queryable) => Promise<readonly Alert[]>,
  ): Promise<readonly Alert[]> {
    try {
      return await this.#database.transaction(work);
    } catch (error) {
      if (error instanceof NoListenerError) return [];
      throw error;
    }
  }

  /** Deletes the alerts of periods that are long over. */
  async sweep(): Promise<void> {
    await this.#database.query(
      `DELETE FROM budget_alerts WHERE period <> 'total' AND period_start < now() - interval '${SENT_ALERT_RETENTION}'`,
    );
    await this.#database.query(
      `DELETE FROM account_budget_alerts WHERE period_start < now() - interval '${SENT_ALERT_RETENTION}'`,
    );
  }
}

const ALERT_TABLES = { key_id: "budget_alerts", account_id: "account_budget_alerts" } as const;

async function readBalances(
  connection: Queryable,
  accountIds: readonly string[] | null,
  mails: boolean,
): Promise<WatchedBalance[]> {
  const rows = await connection.query<BalanceRow>(BALANCES, [accountIds, EVENT_TYPES, mails, MAILED_BALANCE_EVENTS]);
  return rows.map((row) => ({
    accountId: row.account_id,
    total: row.total,
    mark: row.low_balance ?? undefined,
    isLow: row.is_low ?? false,
    isExhausted: row.is_exhausted ?? false,
    listens: row.listens,
    mails: row.mails,
  }));
}

function budgetOf(row: BudgetRow): WatchedBudget {
  const period = BUDGET_PERIODS.find((known) => known === row.budget_period);
  if (period === undefined) throw new Error(`The store holds "${row.budget_period}" where a period belongs.`);
  return {
    keyId: row.key_id ?? undefined,
    keyName: row.name ?? undefined,
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
