import { newId } from "@trunkline/core/id.ts";
import { MODEL_TYPES } from "@trunkline/core/model.ts";
import type {
  OwnModel,
  UsageComparison,
  UsageCount,
  UsageReportStore,
  UsageScope,
} from "../../ledger/reconciliation.ts";
import type { Database } from "../database/database.ts";
import { type DaySpan, providerUsageQuery } from "./usage-query.ts";
import { usageClosedUntil } from "./usage-rollups.ts";

/** In the store these stand for all models and for all time, so that equality finds them. */
const ALL_MODELS = "";
const ALL_TIME = "infinity";

/** What was counted of a model on a day, with the newest report of it if there is one. */
export interface ReconciledDay extends UsageScope {
  /** As it was when the report came in; where there is none, as it is now. */
  readonly counted: UsageCount;
  readonly reported: UsageCount | undefined;
  readonly provisional: boolean;
  readonly flagged: boolean;
  readonly reportedAt: Date | undefined;
}

/** Whose use is asked for, and of which days. Without days, reports of all time are there as well. */
export interface ReconciliationFilter extends DaySpan {
  readonly providers: readonly string[];
  readonly model: string | undefined;
}

/** A comparison as it was kept. */
export interface StoredComparison extends UsageComparison {
  readonly id: string;
  readonly accountId: string;
  readonly reportedAt: Date;
}

/** Where a model stands with its newest reports. */
export interface ReconciliationStatus {
  readonly provider: string;
  readonly model: string;
  readonly isFlagged: boolean;
  readonly flaggedDays: number;
  readonly lastFlaggedDay: string | undefined;
  readonly lastReportedAt: Date;
}

interface ReconciledRow {
  provider: string;
  model: string;
  day: string;
  counted_requests: bigint;
  counted_tokens: bigint;
  reported_requests: bigint | null;
  reported_tokens: bigint | null;
  provisional: boolean | null;
  flagged: boolean | null;
  reported_at: Date | null;
}

interface FlaggedRow extends ReconciledRow {
  id: string;
  account_id: string;
  reported_requests: bigint;
  reported_tokens: bigint;
  reported_at: Date;
}

const DAY_MS = 86_400_000;
const FIRST_DAY = "0001-01-01";
const LAST_DAY = "9999-12-31";
/** A page looks at these many days first, and at four times as many whenever it is not full yet. */
const FIRST_DAYS = 7;

/** What was counted and what was reported, for providers and for the operator. */
export class ReconciledUsage {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Newest days first, at most `limit`, after the one that a page before ended with. */
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

  /** Reports of all providers that are flagged and not followed by another, newest first. */
  async flagged(limit: number, cursor: string | undefined): Promise<StoredComparison[]> {
    const rows = await this.#database.query<FlaggedRow>(
      `SELECT id, account_id, provider, model, day::text AS day, ${REPORTED} FROM provider_reports r
       WHERE flagged AND ($1::uuid IS NULL OR id < $1) AND NOT EXISTS (
         SELECT FROM provider_reports n
         WHERE n.provider = r.provider AND n.model = r.model AND n.day = r.day AND (n.created_at, n.id) > (r.created_at, r.id)
       ) ORDER BY id DESC LIMIT $2`,
      [cursor ?? null, limit],
    );
    return rows.map((row) => ({
      ...reconciledDayOf(row),
      id: row.id,
      accountId: row.account_id,
      reported: tallyOf(row.reported_requests, row.reported_tokens),
      reportedAt: row.reported_at,
    }));
  }

  /** Where those models stand of which there are reports. */
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

  /** The first and the last day of which there is anything. */
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
    // Where there is nothing, the last day lies before the first.
    return { first: rows[0]?.first ?? LAST_DAY, last: rows[0]?.last ?? FIRST_DAY };
  }

  async #read(
    { providers, model }: ReconciliationFilter,
    span: { readonly from: string; readonly to: string },
    limit: number,
    after: UsageScope | undefined,
  ): Promise<ReconciledRow[]> {
    const values: unknown[] = [];
    const place = (value: unknown) => `$${values.push(value)}`;
    const usage = providerUsageQuery(providers, span, await usageClosedUntil(this.#database), place);
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
    counted: tallyOf(row.counted_requests, row.counted_tokens),
    reported: requests === null || tokens === null ? undefined : tallyOf(requests, tokens),
    provisional: row.provisional ?? false,
    flagged: row.flagged ?? false,
    reportedAt: row.reported_at ?? undefined,
  };
}

function tallyOf(requests: bigint, tokens: bigint): UsageCount {
  return { requests: Number(requests), tokens: Number(tokens) };
}

function shiftDay(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

/** Dates in this form are in the order of their texts. */
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

/** Reports of providers in PostgreSQL. Every one is kept; of one model and day the newest counts. */
export class PostgresProviderReports implements UsageReportStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async modelsOf(accountId: string): Promise<OwnModel[]> {
    const rows = await this.#database.query<{ provider: string; name: string; type: string }>(
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
    const values: unknown[] = [];
    const providers = [...new Set(usageScopes.map(({ provider }) => provider))];
    const closed = await usageClosedUntil(this.#database);
    const usage = providerUsageQuery(providers, span, closed, (value) => `$${values.push(value)}`);
    return this.#database.query<UsedRow>(
      `SELECT provider, model, (${day})::text AS day, sum(requests)::bigint AS requests, sum(tokens)::bigint AS tokens
       FROM (${usage}) AS used GROUP BY 1, 2, 3`,
      values,
    );
  }

  async save(accountId: string, usageComparisons: readonly UsageComparison[]): Promise<void> {
    const column = (read: (usageComparison: UsageComparison) => unknown) => usageComparisons.map(read);
    await this.#database.query(
      `INSERT INTO provider_reports (account_id, id, provider, model, day, requests, tokens_processed, counted_requests, counted_tokens, provisional, flagged)
       SELECT $1, * FROM unnest($2::uuid[], $3::text[], $4::text[], $5::date[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::boolean[], $11::boolean[])`,
      [
        accountId,
        column(() => newId()),
        column(({ provider }) => provider),
        column(({ model }) => model ?? ALL_MODELS),
        column(({ day }) => day ?? ALL_TIME),
        column(({ reported }) => reported.requests),
        column(({ reported }) => reported.tokens),
        column(({ counted }) => counted.requests),
        column(({ counted }) => counted.tokens),
        column(({ provisional }) => provisional),
        column(({ flagged }) => flagged),
      ],
    );
  }
}

const NO_USAGE: UsageCount = { requests: 0, tokens: 0 };

function subjectKey(provider: string, model: string, day: string): string {
  return JSON.stringify([provider, model, day]);
}
