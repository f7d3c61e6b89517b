import type { Database } from "../database/database.ts";
import { usageClosedUntil } from "./close-usage.ts";
import { GROUP_COLUMN, USAGE_SUMS, type UsageGrouping, type UsageRow } from "./records.ts";
import { type UsageFilter, type UsageRange, usageQuery, usageSeriesQuery } from "./usage-source.ts";

/** What a series may be split by. */
export type SeriesGrouping = Exclude<UsageGrouping, "day"> | "none";

export const SERIES_MEASURES = ["cost", "requests", "errors", "tokens"] as const;
/** By what the groups that are shown by name are chosen. */
export type SeriesMeasure = (typeof SERIES_MEASURES)[number];

export interface SeriesQuery {
  readonly range: UsageRange;
  /** Where each part of the series begins. */
  readonly starts: readonly number[];
  readonly grouping: SeriesGrouping;
  readonly topBy: SeriesMeasure;
  readonly filter: UsageFilter;
}

/** What one group used in one part of the series. */
export interface SeriesPoint extends UsageRow {
  /** Which part, from 1. */
  readonly bucket: number;
  /** Which of the groups, the largest first, from 1; NULL: all others together. */
  readonly place: number | null;
  readonly group: string | null;
}

/** How many groups a series shows by name. The others are summed. */
export const NAMED_GROUPS = 8;

const MEASURE_SQL: Readonly<Record<SeriesMeasure, string>> = {
  cost: "sum(cost)",
  requests: "sum(requests)",
  errors: "sum(errors)",
  tokens: "sum(input_tokens) + sum(output_tokens)",
};

/** What was used, over time. */
export class UsageSeries {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The pieces of a series that are not empty, in order. All of them together are exactly what was used in the range. */
  async points(
    accountId: string,
    { range, starts, grouping, topBy, filter }: SeriesQuery,
  ): Promise<SeriesPoint[]> {
    const closed = await usageClosedUntil(this.#database);
    const isWhole = grouping === "none" && Object.values(filter).every((value) => value === undefined);
    const { sql, values } = isWhole
      ? usageQuery(accountId, range, closed, "quarters")
      : usageSeriesQuery(accountId, range, closed, starts, filter);
    const group = grouping === "none" ? "''" : `${GROUP_COLUMN[grouping]}::text`;
    return this.#database.query<SeriesPoint>(
      `WITH used AS MATERIALIZED (
         SELECT greatest(1, width_bucket(${isWhole ? "quarter" : "at"}, $${values.length + 1}::timestamptz[])) AS bucket,
           ${group} AS "group", ${USAGE_SUMS}
         FROM (${sql}) AS piece GROUP BY 1, 2
       ), ranked AS (
         SELECT "group", row_number() OVER (ORDER BY ${MEASURE_SQL[topBy]} DESC, sum(requests) DESC, "group") AS place
         FROM used GROUP BY "group"
       ), named AS (
         SELECT used.*, CASE WHEN place <= ${NAMED_GROUPS} THEN place::int END AS place,
           CASE WHEN place <= ${NAMED_GROUPS} THEN used."group" END AS name
         FROM used JOIN ranked USING ("group")
       )
       SELECT bucket, place, name AS "group", ${USAGE_SUMS} FROM named GROUP BY 1, 2, 3 ORDER BY 1, 2`,
      [...values, starts.map((start) => new Date(start))],
    );
  }

  /** When the account was first used, to a quarter of an hour; undefined: never. */
  async firstUse(accountId: string): Promise<Date | undefined> {
    const rows = await this.#database.query<{ first: Date | null }>(
      "SELECT min(quarter) AS first FROM usage_quarters WHERE account_id = $1",
      [accountId],
    );
    return rows[0]?.first ?? undefined;
  }
  /** What keys of an account are called, by their ids; revoked ones too. */
  async keyNames(accountId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#database.query<{ id: string; name: string }>(
      "SELECT id, name FROM api_keys WHERE account_id = $1 AND id = ANY($2::uuid[])",
      [accountId, ids],
    );
    return new Map(rows.map(({ id, name }) => [id, name]));
  }
}
