import { firstIdAt } from "@trunkline/core/id.ts";
import type { Database } from "../database/database.ts";
import { QUICK_SAMPLES, sampleEvenly } from "./draw-evenly.ts";
import { GROUP_COLUMN } from "./records.ts";
import { NAMED_GROUPS, type SeriesGrouping } from "./usage-series.ts";
import { ID_MARGIN_MS, type UsageFilter } from "./usage-source.ts";

export interface LatencyQuery {
  readonly from: Date;
  readonly to: Date;
  readonly starts: readonly number[];
  readonly grouping: SeriesGrouping;
  readonly filter: UsageFilter;
}

/** How long answers took, in milliseconds. */
export interface LatencyRow {
  /** Which part of the range, from 1; NULL: the whole of it. */
  readonly bucket: number | null;
  /** Which group, the one with most requests first; NULL with `grouped`: all others; NULL without: all of them. */
  readonly place: number | null;
  readonly group: string | null;
  readonly grouped: boolean;
  readonly requests: bigint;
  readonly p50: number;
  readonly p95: number;
  readonly mean: number;
}

export interface LatencyResult {
  /** One in so many requests was looked at. */
  readonly oneIn: number;
  readonly rows: readonly LatencyRow[];
}

/** More requests than these are not sorted: a sample tells the same. */
const SAMPLE_MAX = 50_000;

/** How long answers took, over time. */
export class LatencySeries {
  readonly #database: Database;
  readonly #sampleMax: number;

  constructor(database: Database, measuredMax = SAMPLE_MAX) {
    this.#database = database;
    this.#sampleMax = measuredMax;
  }

  /** Percentiles of answered requests, for each part of the range and for all of it. */
  async read(accountId: string, query: LatencyQuery): Promise<LatencyResult> {
    const { from, to, starts, grouping, filter } = query;
    const ids = [firstIdAt(from.getTime() - ID_MARGIN_MS), firstIdAt(to.getTime() + ID_MARGIN_MS)] as const;
    const { oneIn, condition } = await sampleEvenly(
      this.#database,
      accountId,
      ids,
      this.#sampleMax,
      QUICK_SAMPLES,
    );
    const values: unknown[] = [accountId, ...ids, from, to, starts.map((start) => new Date(start))];
    const columns = {
      model: filter.model,
      provider: filter.provider,
      key_id: filter.keyId,
      task: filter.task,
    };
    const passes = Object.entries(columns)
      .map(([column, value]) => (value === undefined ? "" : ` AND ${column} = $${values.push(value)}`))
      .join("");
    const isGrouped = grouping !== "none";
    const group = isGrouped ? `coalesce(${GROUP_COLUMN[grouping]}::text, '')` : "''";
    const rows = await this.#database.query<LatencyRow>(
      `WITH measured AS MATERIALIZED (
         SELECT greatest(1, width_bucket(created_at, $6::timestamptz[])) AS bucket, ${group} AS "group", latency_ms
         FROM requests WHERE account_id = $1 AND id >= $2 AND id < $3 AND created_at >= $4 AND created_at < $5
           AND status < 400${condition}${passes}
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
