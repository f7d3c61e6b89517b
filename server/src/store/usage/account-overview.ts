import type { NanoCredits } from "@trunkline/core/money.ts";
import { localDayAt, startOfLocalDay } from "@trunkline/core/time-zone.ts";
import type { Database } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import type { UsageRow } from "./usage-columns.ts";
import { ID_MARGIN_MS } from "./usage-query.ts";
import type { UsageReader } from "./usage-reader.ts";

const MS_PER_DAY = 86_400_000;
const DAYS_SHOWN = 30;

export type UsageTotals = Pick<UsageRow, "requests" | "errors" | "cost">;

export type OverviewRequest = Row<"requests", "id" | "created_at" | "provider" | "model" | "status" | "cost">;

/** An account at a glance. */
export interface AccountOverview {
  readonly balance: NanoCredits;
  /** The balance below which the account is alerted; undefined: no alerts. */
  readonly lowBalance: NanoCredits | undefined;
  readonly today: UsageTotals;
  /** Up to the same time of day as now. */
  readonly yesterday: UsageTotals;
  readonly month: UsageTotals;
  /** The last 30, today last. */
  readonly days: readonly (UsageTotals & { readonly day: string })[];
  readonly lastRequest: OverviewRequest | undefined;
  /** The first answered request by a key, not from the dashboard. */
  readonly firstRequest: OverviewRequest | undefined;
  readonly hasKey: boolean;
  readonly wasFunded: boolean;
  /** Whether a model other than the built-in ones has answered it. */
  readonly wasAnswered: boolean;
}

type AccountStateRow = Row<"accounts", "low_balance"> & {
  balance: bigint;
  was_funded: boolean;
  has_key: boolean;
  was_answered: boolean;
};

/** An account's customer side of the ledger is opened by its first credits. */
const ACCOUNT_STATE = `
SELECT a.low_balance, money.balance, money.was_funded,
  EXISTS (SELECT 1 FROM api_keys k WHERE k.account_id = a.id AND NOT k.dashboard
    AND (k.revoked_at IS NULL OR EXISTS (SELECT 1 FROM requests r WHERE r.key_id = k.id))) AS has_key,
  EXISTS (SELECT 1 FROM usage_quarters u WHERE u.account_id = a.id AND u.provider NOT IN ('', 'builtin') AND u.requests > 0)
    AS was_answered
FROM accounts a CROSS JOIN LATERAL (
  SELECT coalesce(sum(balance), 0)::bigint AS balance, coalesce(bool_or(kind = 'customer'), false) AS was_funded
  FROM ledger_accounts WHERE account_id = a.id AND kind IN ('customer', 'lease')
) money WHERE a.id = $1`;

const REQUEST_COLUMNS = "r.id, r.created_at, r.provider, r.model, r.status, r.cost";

/**
 * The first answered request is found by its quarter of an hour in the rollup, since many requests may have failed before
 * it. Its id is not below the first id of that quarter.
 */
const FIRST_AND_LAST_REQUEST = `
(SELECT 'last' AS place, ${REQUEST_COLUMNS} FROM requests r WHERE r.account_id = $1 ORDER BY r.id DESC LIMIT 1)
UNION ALL
(SELECT 'first', ${REQUEST_COLUMNS} FROM (
  SELECT (lpad(to_hex((extract(epoch FROM min(answered.quarter)) * 1000)::bigint - ${ID_MARGIN_MS}), 12, '0') || repeat('0', 20))::uuid AS id
  FROM api_keys k CROSS JOIN LATERAL (
    SELECT quarter FROM usage_quarters WHERE key_id = k.id AND requests > 0 ORDER BY quarter LIMIT 1
  ) answered WHERE k.account_id = $1 AND NOT k.dashboard
) began CROSS JOIN LATERAL (
  SELECT * FROM requests WHERE account_id = $1 AND id >= began.id AND status < 400
    AND NOT EXISTS (SELECT 1 FROM api_keys k WHERE k.id = key_id AND k.dashboard)
  ORDER BY id LIMIT 1
) r)`;

/** Where the requests and the money of accounts are that were moved to other clusters. */
interface MovedAccounts {
  /** The databases with the account's requests; undefined: it was never moved. */
  databasesOf(accountId: string): readonly Database[] | undefined;
  balanceOf(accountId: string): Promise<NanoCredits>;
}

/** Overviews of accounts. The dashboard reads one every few seconds, so all of it comes from rollups and indexes. */
export class AccountOverviews {
  readonly #database: Database;
  readonly #usageReader: UsageReader;
  readonly #moved: MovedAccounts | undefined;

  constructor(database: Database, usageReader: UsageReader, moved?: MovedAccounts) {
    this.#database = database;
    this.#usageReader = usageReader;
    this.#moved = moved;
  }

  async read(accountId: string, timeZone: string, now: number): Promise<AccountOverview> {
    const today = localDayAt(now, timeZone);
    const month = dayName(today).slice(0, 7);
    const firstDay = Math.min(today - (DAYS_SHOWN - 1) * MS_PER_DAY, Date.parse(`${month}-01T00:00:00Z`));
    const [state, requests, rows, yesterday] = await Promise.all([
      this.#readState(accountId),
      this.#readRequests(accountId),
      this.#usageReader.breakdown(
        accountId,
        "day",
        { from: new Date(startOfLocalDay(firstDay, timeZone)), to: undefined },
        timeZone,
      ),
      this.#usageReader.total(accountId, yesterdayUntilNow(today, now, timeZone)),
    ]);
    const byDay = new Map(rows.map((row) => [row.group, row]));
    const days = Array.from({ length: DAYS_SHOWN }, (_, index) => {
      const day = dayName(today - (DAYS_SHOWN - 1 - index) * MS_PER_DAY);
      return { day, ...sumUsage([byDay.get(day)]) };
    });
    return {
      balance: state.balance,
      lowBalance: state.low_balance ?? undefined,
      today: sumUsage([byDay.get(dayName(today))]),
      yesterday: sumUsage([yesterday]),
      month: sumUsage(rows.filter(({ group }) => group.startsWith(month))),
      days,
      lastRequest: requests.find(({ place }) => place === "last"),
      firstRequest: requests.find(({ place }) => place === "first"),
      hasKey: state.has_key,
      wasFunded: state.was_funded,
      wasAnswered: state.was_answered,
    };
  }

  async #readState(accountId: string): Promise<AccountStateRow> {
    const [state] = await this.#database.query<AccountStateRow>(ACCOUNT_STATE, [accountId]);
    if (state === undefined) throw new Error("A key belongs to no account.");
    const databases = this.#moved?.databasesOf(accountId);
    if (this.#moved === undefined || databases === undefined) return state;
    let [hasKey, wasAnswered] = [state.has_key, state.was_answered];
    for (const database of databases) {
      const [there] = await database.query<AccountStateRow>(ACCOUNT_STATE, [accountId]);
      hasKey ||= there?.has_key ?? false;
      wasAnswered ||= there?.was_answered ?? false;
    }
    return {
      ...state,
      balance: await this.#moved.balanceOf(accountId),
      has_key: hasKey,
      was_answered: wasAnswered,
    };
  }

  /** The first and the last one. */
  async #readRequests(accountId: string): Promise<readonly EdgeRequest[]> {
    const found: EdgeRequest[] = [];
    for (const database of this.#moved?.databasesOf(accountId) ?? [this.#database])
      found.push(...(await database.query<EdgeRequest>(FIRST_AND_LAST_REQUEST, [accountId])));
    const newestFirst = found.toSorted((one, other) => (one.id < other.id ? 1 : -1));
    return [
      ...newestFirst.filter(({ place }) => place === "last").slice(0, 1),
      ...newestFirst.filter(({ place }) => place === "first").slice(-1),
    ];
  }
}

type EdgeRequest = OverviewRequest & { place: "first" | "last" };

/** Yesterday, for as long as today has lasted, and at most to its end: a day may be shorter than the next one. */
function yesterdayUntilNow(today: number, now: number, timeZone: string) {
  const [from, end] = [startOfLocalDay(today - MS_PER_DAY, timeZone), startOfLocalDay(today, timeZone)];
  return { from: new Date(from), to: new Date(Math.min(from + (now - end), end)) };
}

/** The date of a day, given as its midnight in UTC. */
function dayName(day: number): string {
  return new Date(day).toISOString().slice(0, 10);
}

function sumUsage(rows: readonly (UsageTotals | undefined)[]): UsageTotals {
  const sum = { requests: 0n, errors: 0n, cost: 0n };
  for (const row of rows) {
    if (row === undefined) continue;
    sum.requests += row.requests;
    sum.errors += row.errors;
    sum.cost += row.cost;
  }
  return sum;
}
