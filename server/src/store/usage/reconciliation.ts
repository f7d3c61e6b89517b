import { newId } from "@trunkline/core/id.ts";
import { MODEL_TYPES } from "@trunkline/core/model.ts";
import type {
  OwnModel,
  UsageComparison,
  UsageCount,
  UsageReportStore,
  UsageScope,
} from "../../ledger/reconciliation.ts";
import { composeOverAll, NO_OTHERS, type OtherDatabases } from "../clusters/other-databases.ts";
import type { Database } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { type ItemColumns, readPage, rowsOf } from "../database/sql.ts";
import { type DaySpan, providerUsageQuery, USAGE_TYPES } from "./usage-query.ts";
import { usageClosedUntil } from "./usage-rollups.ts";

/** How the table writes all models and all time, so that a comparison for equality finds them. */
const ALL_MODELS = "";
const ALL_TIME = "infinity";

/** Our count of a model on a day, with the newest report of it if there is one. */
export interface ReconciledDay extends UsageScope {
  /** At the time of the report; without a report, now. */
  readonly counted: UsageCount;
  readonly reported: UsageCount | undefined;
  readonly provisional: boolean;
  readonly flagged: boolean;
  readonly reportedAt: Date | undefined;
}

/** The providers, the model and the days to list. Without days, reports of all time are listed too. */
export interface ReconciliationFilter extends DaySpan {
  readonly providers: readonly string[];
  readonly model: string | undefined;
}

/** A comparison as it was stored. */
export interface StoredComparison extends UsageComparison {
  readonly id: string;
  readonly accountId: string;
  readonly reportedAt: Date;
}

/** The newest reports of a model, in short. */
export interface ReconciliationStatus {
  readonly provider: string;
  readonly model: string;
  readonly isFlagged: boolean;
  readonly flaggedDays: number;
  readonly lastFlaggedDay: string | undefined;
  readonly lastReportedAt: Date;
}

type ReconciledRow = Row<"provider_reports", "provider" | "model" | "counted_requests" | "counted_tokens"> & {
  readonly day: string;
  readonly reported_requests: bigint | null;
  readonly reported_tokens: bigint | null;
  readonly provisional: boolean | null;
  readonly flagged: boolean | null;
  readonly reported_at: Date | null;
};

type FlaggedRow = ReconciledRow &
  Row<"provider_reports", "id" | "account_id"> & {
    readonly reported_requests: bigint;
    readonly reported_tokens: bigint;
    readonly reported_at: Date;
  };

const DAY_MS = 86_400_000;
const FIRST_DAY = "0001-01-01";
const LAST_DAY = "9999-12-31";
/** A page reads 7 days first, and four times as many with each further read until it is full. */
const FIRST_DAYS = 7;

/** Counted and reported usage, for providers and for the operator. */
export class ReconciledUsage {
  readonly #database: Database;
  readonly #others: OtherDatabases;

  constructor(database: Database, others = NO_OTHERS) {
    this.#database = database;
    this.#others = others;
  }

  /** One page, newest days first; `after` is the last item of the page before. */
  async list(filter: ReconciliationFilter, limit: number, after: UsageScope | undefined): Promise<ReconciledDay[]> {
    const rows: ReconciledRow[] = [];
    const isOfAllTime = filter.from === undefined && filter.to === undefined;
    if (isOfAllTime && after?.day === undefined)
      rows.push(...(await this.#read(filter, { from: ALL_TIME, to: ALL_TIME }, limit, after)));
    const known = await this.#daysOf(filter.providers);
    const first = latest(known.first, filter.from);
    let last = earliest(known.last, filter.to, after?.day);
    for (let days = FIRST_DAYS; rows.length < limit && first <= last; days *= 4) {
      const from = latest(first, shiftDay(last, 1 - days));
      rows.push(...(await this.#read(filter, { from, to: last }, limit - rows.length, after)));
      last = shiftDay(from, -1);
    }
    return rows.map(reconciledDayOf);
  }

  /** One page of the flagged reports of all providers that no later report replaces, newest first. */
  async flagged(limit: number, cursor: string | undefined): Promise<StoredComparison[]> {
    const rows = await readPage<FlaggedRow>(
      this.#database,
      `SELECT id, account_id, provider, model, day::text AS day, ${REPORTED} FROM provider_reports r
       WHERE flagged AND NOT EXISTS (
         SELECT FROM provider_reports n
         WHERE n.provider = r.provider AND n.model = r.model AND n.day = r.day AND (n.created_at, n.id) > (r.created_at, r.id)
       )`,
      [],
      { limit, cursor },
    );
    return rows.map((row) => ({
      ...reconciledDayOf(row),
      id: row.id,
      accountId: row.account_id,
      reported: countOf(row.reported_requests, row.reported_tokens),
      reportedAt: row.reported_at,
    }));
  }

  /** The statuses of the models that have reports. */
  async statusesOf(providers: readonly string[]): Promise<ReconciliationStatus[]> {
    const rows = await this.#database.query<{
      provider: string;
      model: string;
      is_flagged: boolean;
      flagged_days: bigint;
      last_flagged_day: string | null;
      last_reported_at: Date;
    }>(
      `SELECT provider, model, bool_or(flagged) AS is_flagged,
         count(*) FILTER (WHERE flagged AND day < 'infinity') AS flagged_days,
         (max(day) FILTER (WHERE flagged AND day < 'infinity'))::text AS last_flagged_day, max(reported_at) AS last_reported_at
       FROM (${NEWEST} WHERE provider = ANY ($1) AND model <> '' ${NEWEST_ORDER}) AS newest GROUP BY provider, model`,
      [providers],
    );
    return rows.map((row) => ({
      provider: row.provider,
      model: row.model,
      isFlagged: row.is_flagged,
      flaggedDays: Number(row.flagged_days),
      lastFlaggedDay: row.last_flagged_day ?? undefined,
      lastReportedAt: row.last_reported_at,
    }));
  }

  /** The first and the last day with usage or a report. */
  async #daysOf(providers: readonly string[]) {
    const rows = await this.#database.query<{ first: string | null; last: string | null }>(
      `SELECT min(first)::text AS first, max(last)::text AS last
       FROM unnest($1::text[]) AS known(provider) CROSS JOIN LATERAL (
         SELECT (min(quarter) AT TIME ZONE 'UTC')::date AS first, (max(quarter) AT TIME ZONE 'UTC')::date AS last
         FROM usage_quarters u WHERE u.provider = known.provider
         UNION ALL
         SELECT min(day), max(day) FROM provider_reports r WHERE r.provider = known.provider AND day < 'infinity'
       ) AS days`,
      [providers],
    );
    // Without any, the last day lies before the first.
    let [first, last] = [rows[0]?.first ?? LAST_DAY, rows[0]?.last ?? FIRST_DAY];
    for (const other of this.#others.all()) {
      const [there] = await other.query<{ first: string | null; last: string | null }>(
        `SELECT (min(quarter) AT TIME ZONE 'UTC')::date::text AS first, (max(quarter) AT TIME ZONE 'UTC')::date::text AS last
         FROM usage_quarters WHERE provider = ANY ($1)`,
        [providers],
      );
      first = earliest(first, there?.first ?? undefined);
      last = latest(last, there?.last ?? undefined);
    }
    return { first, last };
  }

  async #read(
    { providers, model }: ReconciliationFilter,
    span: { readonly from: string; readonly to: string },
    limit: number,
    after: UsageScope | undefined,
  ): Promise<ReconciledRow[]> {
    const { sql: usage, values: given } = await composeProviderUsage(this.#database, this.#others, providers, span);
    const values = [...given];
    const place = (value: unknown) => `$${values.push(value)}`;
    const ofModel = model === undefined ? "" : `AND model = ${place(model)}`;
    const isAfter = (last: UsageScope, day = place(last.day ?? ALL_TIME)) =>
      `WHERE day < ${day} OR (day = ${day} AND (provider, model) > (${place(last.provider)}, ${place(last.model ?? ALL_MODELS)}))`;
    return this.#database.query<ReconciledRow>(
      `SELECT provider, model, day::text AS day, coalesce(newest.counted_requests, used.requests) AS counted_requests,
         coalesce(newest.counted_tokens, used.tokens) AS counted_tokens, reported_requests, reported_tokens, provisional, flagged, reported_at
       FROM (
         SELECT provider, model, day, sum(requests)::bigint AS requests, sum(tokens)::bigint AS tokens
         FROM (${usage}) AS pieces WHERE true ${ofModel} GROUP BY provider, model, day HAVING sum(requests) > 0 OR sum(tokens) > 0
       ) AS used FULL JOIN (
         ${NEWEST} WHERE provider = ANY (${place(providers)}) AND day BETWEEN ${place(span.from)} AND ${place(span.to)} ${ofModel} ${NEWEST_ORDER}
       ) AS newest USING (provider, model, day)
       ${after === undefined ? "" : isAfter(after)} ORDER BY day DESC, provider, model LIMIT ${place(limit)}`,
      values,
    );
  }
}

function composeProviderUsage(database: Database, others: OtherDatabases, providers: readonly string[], span: DaySpan) {
  return composeOverAll(database, others.all(), USAGE_TYPES.providers, async (connection) => {
    const values: unknown[] = [];
    const place = (value: unknown) => `$${values.push(value)}`;
    return { sql: providerUsageQuery(providers, span, await usageClosedUntil(connection), place), values };
  });
}

const REPORTED = `counted_requests, counted_tokens, requests AS reported_requests, tokens_processed AS reported_tokens,
  provisional, flagged, created_at AS reported_at`;
const NEWEST = `SELECT DISTINCT ON (provider, model, day) provider, model, day, ${REPORTED} FROM provider_reports`;
const NEWEST_ORDER = "ORDER BY provider, model, day, created_at DESC, id DESC";

function reconciledDayOf(row: ReconciledRow): ReconciledDay {
  const { reported_requests: requests, reported_tokens: tokens } = row;
  return {
    provider: row.provider,
    model: row.model === ALL_MODELS ? undefined : row.model,
    day: row.day === ALL_TIME ? undefined : row.day,
    counted: countOf(row.counted_requests, row.counted_tokens),
    reported: requests === null || tokens === null ? undefined : countOf(requests, tokens),
    provisional: row.provisional ?? false,
    flagged: row.flagged ?? false,
    reportedAt: row.reported_at ?? undefined,
  };
}

function countOf(requests: bigint, tokens: bigint): UsageCount {
  return { requests: Number(requests), tokens: Number(tokens) };
}

function shiftDay(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

/** ISO dates sort as texts. */
function latest(day: string, other: string | undefined): string {
  return other !== undefined && other > day ? other : day;
}

function earliest(day: string, ...others: readonly (string | undefined)[]): string {
  return others.reduce<string>((first, other) => (other !== undefined && other < first ? other : first), day);
}

interface UsedRow {
  provider: string;
  model: string;
  day: string;
  requests: bigint;
  tokens: bigint;
}

/** Reports of providers in PostgreSQL. All are kept; of one model and day the newest counts. */
export class PostgresProviderReports implements UsageReportStore {
  readonly #database: Database;
  readonly #others: OtherDatabases;

  constructor(database: Database, others = NO_OTHERS) {
    this.#database = database;
    this.#others = others;
  }

  async modelsOf(accountId: string): Promise<OwnModel[]> {
    const rows = await this.#database.query<Row<"models", "provider" | "name" | "type">>(
      `SELECT provider, name, type FROM (
         SELECT DISTINCT ON (provider, name) * FROM models WHERE account_id = $1
         ORDER BY provider, name, deleted_at DESC NULLS FIRST
       ) AS own ORDER BY deleted_at IS NOT NULL, created_at`,
      [accountId],
    );
    return rows.map(({ type, ...row }) => ({
      ...row,
      type: MODEL_TYPES.find((known) => known === type) ?? "text",
    }));
  }

  async count(usageScopes: readonly UsageScope[]): Promise<UsageCount[]> {
    const days = usageScopes.flatMap(({ day }) => day ?? []).toSorted();
    const used = [
      ...(days.length === 0 ? [] : await this.#usedBy(usageScopes, "day", { from: days[0], to: days.at(-1) })),
      ...(days.length === usageScopes.length
        ? []
        : await this.#usedBy(usageScopes, "'infinity'::date", { from: undefined, to: undefined })),
    ];
    const counts = new Map<string, UsageCount>();
    for (const { provider, model, day, requests, tokens } of used) {
      for (const key of [subjectKey(provider, model, day), subjectKey(provider, ALL_MODELS, day)]) {
        const sum = counts.get(key) ?? NO_USAGE;
        counts.set(key, {
          requests: sum.requests + Number(requests),
          tokens: sum.tokens + Number(tokens),
        });
      }
    }
    return usageScopes.map(
      ({ provider, model = ALL_MODELS, day = ALL_TIME }) => counts.get(subjectKey(provider, model, day)) ?? NO_USAGE,
    );
  }

  async #usedBy(usageScopes: readonly UsageScope[], day: string, span: DaySpan): Promise<UsedRow[]> {
    const providers = [...new Set(usageScopes.map(({ provider }) => provider))];
    const { sql: usage, values } = await composeProviderUsage(this.#database, this.#others, providers, span);
    return this.#database.query<UsedRow>(
      `SELECT provider, model, (${day})::text AS day, sum(requests)::bigint AS requests, sum(tokens)::bigint AS tokens
       FROM (${usage}) AS used GROUP BY 1, 2, 3`,
      values,
    );
  }

  async save(accountId: string, usageComparisons: readonly UsageComparison[]): Promise<void> {
    const { names, from, values } = rowsOf(usageComparisons, REPORT_COLUMNS, 2);
    await this.#database.query(`INSERT INTO provider_reports (account_id, ${names}) SELECT $1, * FROM ${from}`, [
      accountId,
      ...values,
    ]);
  }
}

const REPORT_COLUMNS: ItemColumns<UsageComparison> = {
  id: ["uuid", () => newId()],
  provider: ["text", ({ provider }) => provider],
  model: ["text", ({ model }) => model ?? ALL_MODELS],
  day: ["date", ({ day }) => day ?? ALL_TIME],
  requests: ["bigint", ({ reported }) => reported.requests],
  tokens_processed: ["bigint", ({ reported }) => reported.tokens],
  counted_requests: ["bigint", ({ counted }) => counted.requests],
  counted_tokens: ["bigint", ({ counted }) => counted.tokens],
  provisional: ["boolean", ({ provisional }) => provisional],
  flagged: ["boolean", ({ flagged }) => flagged],
};

const NO_USAGE: UsageCount = { requests: 0, tokens: 0 };

function subjectKey(provider: string, model: string, day: string): string {
  return JSON.stringify([provider, model, day]);
}
