import { firstIdAt } from "@trunkline/core/id.ts";
import { NAMED_GROUPS, type SeriesGrouping, type SeriesMeasure } from "@trunkline/core/usage-groups.ts";
import { composeOverAll, NO_OTHERS, type OtherDatabases } from "../clusters/other-databases.ts";
import type { Database } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { QUICK_SAMPLES, sampleEvenly } from "./request-samples.ts";
import type { UsageRow } from "./usage-columns.ts";
import {
  filterConditions,
  ID_MARGIN_MS,
  USAGE_TYPES,
  type UsageFilter,
  type UsageRange,
  usageQuery,
  usageSeriesQuery,
} from "./usage-query.ts";
import { groupColumn, USAGE_SUMS } from "./usage-reader.ts";
import { usageClosedUntil } from "./usage-rollups.ts";

interface SeriesQuery {
  readonly range: UsageRange;
  /** Where each bucket of the series begins. */
  readonly starts: readonly number[];
  readonly grouping: SeriesGrouping;
  readonly topBy: SeriesMeasure;
  readonly filter: UsageFilter;
}

/** The usage of one group in one bucket of the series. */
export interface SeriesPoint extends UsageRow {
  /** The bucket's number, from 1. */
  readonly bucket: number;
  /** The group's place, the largest first, from 1; NULL: all others together. */
  readonly place: number | null;
  readonly group: string | null;
}

const MEASURE_SQL: Readonly<Record<SeriesMeasure, string>> = {
  cost: "sum(cost)",
  requests: "sum(requests)",
  errors: "sum(errors)",
  tokens: "sum(input_tokens) + sum(output_tokens)",
};

/** Usage over time. */
export class UsageSeries {
  readonly #database: Database;
  readonly #others: OtherDatabases;

  constructor(database: Database, others = NO_OTHERS) {
    this.#database = database;
    this.#others = others;
  }

  /** The points of a series that are not empty, in order. Their sum is exactly the usage of the range. */
  async points(accountId: string, { range, starts, grouping, topBy, filter }: SeriesQuery): Promise<SeriesPoint[]> {
    const isWhole = grouping === "none" && Object.values(filter).every((value) => value === undefined);
    const columns = isWhole ? "quarters" : filter.tags === undefined ? "series" : "taggedSeries";
    const { sql, values: given } = await composeOverAll(
      this.#database,
      this.#others.ofAccount(accountId),
      USAGE_TYPES[columns],
      async (connection) => {
        const closed = await usageClosedUntil(connection);
        return isWhole
          ? usageQuery(accountId, range, closed, "quarters")
          : usageSeriesQuery(accountId, range, closed, starts, filter);
      },
    );
    const values = [...given];
    const place = (value: unknown) => `$${values.push(value)}`;
    const group = grouping === "none" ? "''" : `${groupColumn(grouping, filter, place)}::text`;
    return this.#database.query<SeriesPoint>(
      `WITH used AS MATERIALIZED (
         SELECT greatest(1, width_bucket(${isWhole ? "quarter" : "at"}, ${place(starts.map((start) => new Date(start)))}::timestamptz[])) AS bucket,
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
      values,
    );
  }

  /** When the account was first used, to a quarter of an hour; undefined: never. */
  async firstUse(accountId: string): Promise<Date | undefined> {
    let first: Date | undefined;
    for (const database of [this.#database, ...this.#others.ofAccount(accountId)]) {
      const rows = await database.query<{ first: Date | null }>(
        "SELECT min(quarter) AS first FROM usage_quarters WHERE account_id = $1",
        [accountId],
      );
      const found = rows[0]?.first ?? undefined;
      if (first === undefined || (found !== undefined && found < first)) first = found;
    }
    return first;
  }

  /** The names of an account's keys, revoked ones too, by their ids. */
  async keyNames(accountId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#database.query<Row<"api_keys", "id" | "name">>(
      "SELECT id, name FROM api_keys WHERE account_id = $1 AND id = ANY($2::uuid[])",
      [accountId, ids],
    );
    return new Map(rows.map(({ id, name }) => [id, name]));
  }
}

interface LatencyQuery {
  readonly from: Date;
  readonly to: Date;
  readonly starts: readonly number[];
  readonly grouping: SeriesGrouping;
  readonly filter: UsageFilter;
}

/** Latencies in milliseconds. */
export interface LatencyRow {
  /** The bucket's number, from 1; NULL: the whole range. */
  readonly bucket: number | null;
  /** The group's place, by number of requests, from 1; NULL with `grouped`: all others; NULL without: all groups. */
  readonly place: number | null;
  readonly group: string | null;
  readonly grouped: boolean;
  readonly requests: bigint;
  readonly p50: number;
  readonly p95: number;
  readonly mean: number;
}

interface LatencyResult {
  /** One request in this many was read. */
  readonly oneIn: number;
  readonly rows: readonly LatencyRow[];
}

/** Of more requests than this a sample is sorted: the result is the same. */
const SAMPLE_MAX = 50_000;

/** Latencies over time. */
export class LatencySeries {
  readonly #database: Database;
  readonly #others: OtherDatabases;
  readonly #sampleMax: number;

  constructor(database: Database, sampleMax = SAMPLE_MAX, others = NO_OTHERS) {
    this.#database = database;
    this.#others = others;
    this.#sampleMax = sampleMax;
  }

  /** Percentiles of answered requests, for each bucket and for the whole range. */
  async read(accountId: string, query: LatencyQuery): Promise<LatencyResult> {
    const { from, to, starts, grouping, filter } = query;
    const ids = [firstIdAt(from.getTime() - ID_MARGIN_MS), firstIdAt(to.getTime() + ID_MARGIN_MS)] as const;
    const others = this.#others.ofAccount(accountId);
    const { oneIn, condition } = await sampleEvenly(
      [this.#database, ...others],
      accountId,
      ids,
      this.#sampleMax,
      QUICK_SAMPLES,
    );
    const given: unknown[] = [accountId, ...ids, from, to, starts.map((start) => new Date(start))];
    const place = (value: unknown) => `$${given.push(value)}`;
    const passes = filterConditions(filter, place);
    const isGrouped = grouping !== "none";
    const group = isGrouped ? `coalesce(${groupColumn(grouping, filter, place)}::text, '')` : "''";
    const measured = `SELECT greatest(1, width_bucket(created_at, $6::timestamptz[])) AS bucket, ${group} AS "group", latency_ms
         FROM requests WHERE account_id = $1 AND id >= $2 AND id < $3 AND created_at >= $4 AND created_at < $5
           AND status < 400${condition}${passes}`;
    const { sql, values } = await composeOverAll(
      this.#database,
      others,
      'bucket int, "group" text, latency_ms double precision',
      () => ({ sql: measured, values: given }),
    );
    const rows = await this.#database.query<LatencyRow>(
      `WITH measured AS MATERIALIZED (
         ${sql}
       ), ranked AS (
         SELECT "group", row_number() OVER (ORDER BY count(*) DESC, "group") AS place FROM measured GROUP BY "group"
       ), named AS (
         SELECT bucket, latency_ms, CASE WHEN place <= ${NAMED_GROUPS} THEN place::int END AS place,
           CASE WHEN place <= ${NAMED_GROUPS} THEN measured."group" END AS "group"
         FROM measured JOIN ranked USING ("group")
       )
       SELECT bucket, ${isGrouped ? 'place, "group", grouping(place) = 0 AS grouped' : 'NULL::int AS place, NULL AS "group", false AS grouped'},
         count(*) AS requests, avg(latency_ms) AS mean,
         percentile_cont(0.5) WITHIN GROUP (ORDER BY latency_ms) AS p50,
         percentile_cont(0.95) WITHIN GROUP (ORDER BY latency_ms) AS p95
       FROM named GROUP BY GROUPING SETS ((bucket), ()${isGrouped ? ', (bucket, place, "group"), (place, "group")' : ""})
       HAVING count(*) > 0 ORDER BY bucket, place`,
      values,
    );
    return { oneIn, rows };
  }
}
