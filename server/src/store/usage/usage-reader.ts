import type { NanoCredits } from "@trunkline/core/money.ts";
import type { TrafficInterval, UsageGrouping } from "@trunkline/core/usage-groups.ts";
import type { Database } from "../database/database.ts";
import { listRoutedRequests, type RoutedRequest, sampleRoutedRequests } from "./request-samples.ts";
import { providerUsageQuery, type UsageFilter, type UsageRange, usageQuery } from "./usage-query.ts";
import { usageClosedUntil } from "./usage-rollups.ts";

export interface UsageRow {
  readonly requests: bigint;
  readonly errors: bigint;
  readonly input_tokens: bigint;
  readonly output_tokens: bigint;
  readonly cost: NanoCredits;
}

interface UsageGroup extends UsageRow {
  readonly group: string;
  /** What the key is called, where the groups are keys; NULL where there is none of that id any more. */
  readonly key_name?: string | null;
}

const UNBOUNDED = { from: undefined, to: undefined };

/** The column that a grouping goes by. */
export const GROUP_COLUMN = { model: "model", key: "key_id", task: "task", provider: "provider" } as const;

/** The sums of a group of pieces, by the names that every piece has. */
export const USAGE_SUMS = `coalesce(sum(requests), 0)::bigint AS requests, coalesce(sum(errors), 0)::bigint AS errors,
  coalesce(sum(input_tokens), 0)::bigint AS input_tokens, coalesce(sum(output_tokens), 0)::bigint AS output_tokens,
  coalesce(sum(cost), 0)::bigint AS cost`;

/** What was used, for those who used it. */
export class UsageReader {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The newest requests whose model the service chose, for looking back at the choice. */
  routedRequests(accountId: string, limit: number): Promise<RoutedRequest[]> {
    return listRoutedRequests(this.#database, accountId, limit);
  }

  /** The same since a moment: all of them, or an even sample of very many. */
  sampleRoutedRequests(accountId: string, since: Date) {
    return sampleRoutedRequests(this.#database, accountId, since);
  }

  async total(accountId: string, range: UsageRange): Promise<UsageRow | undefined> {
    const { sql, values } = usageQuery(accountId, range, await usageClosedUntil(this.#database), "quarters");
    const rows = await this.#database.query<UsageRow>(`SELECT ${USAGE_SUMS} FROM (${sql}) AS used`, values);
    return rows[0];
  }

  async breakdown(
    accountId: string,
    grouping: UsageGrouping,
    range: UsageRange,
    timeZone: string,
    filter: UsageFilter = {},
  ): Promise<UsageGroup[]> {
    const closed = await usageClosedUntil(this.#database);
    if (grouping === "day") {
      const isWhole = Object.values(filter).every((value) => value === undefined);
      const { sql, values } = usageQuery(accountId, range, closed, isWhole ? "quarters" : "pieces", filter);
      return this.#database.query<UsageGroup>(
        `SELECT to_char(day, 'YYYY-MM-DD') AS "group", ${USAGE_SUMS} FROM (
           SELECT (quarter AT TIME ZONE $${values.length + 1})::date AS day, used.* FROM (${sql}) AS used
         ) AS dated GROUP BY day ORDER BY day`,
        [...values, timeZone],
      );
    }
    const { sql, values } = usageQuery(accountId, range, closed, "days", filter);
    const sums = `SELECT ${GROUP_COLUMN[grouping]}::text AS "group", ${USAGE_SUMS} FROM (${sql}) AS used GROUP BY ${GROUP_COLUMN[grouping]}`;
    return this.#database.query<UsageGroup>(
      grouping === "key"
        ? `SELECT summed.*, k.name AS key_name FROM (${sums}) AS summed LEFT JOIN api_keys k ON k.id = summed."group"::uuid
           ORDER BY cost DESC, 1`
        : `${sums} ORDER BY cost DESC, 1`,
      values,
    );
  }

  /** What all clients together had of some providers' models. */
  traffic(filter: TrafficFilter): Promise<TrafficRow[]> {
    return listTraffic(this.#database, filter);
  }

  /** How often one model has answered and failed, for all clients together. */
  async countsOf(model: {
    readonly provider: string;
    readonly name: string;
  }): Promise<{ requests: number; errors: number }> {
    const values: unknown[] = [model.name];
    const place = (value: unknown) => `$${values.push(value)}`;
    const usage = providerUsageQuery([model.provider], UNBOUNDED, await usageClosedUntil(this.#database), place);
    const rows = await this.#database.query<{ requests: bigint; errors: bigint }>(
      `SELECT coalesce(sum(requests), 0)::bigint AS requests, coalesce(sum(errors), 0)::bigint AS errors
       FROM (${usage}) AS used WHERE model = $1`,
      values,
    );
    return { requests: Number(rows[0]?.requests ?? 0n), errors: Number(rows[0]?.errors ?? 0n) };
  }
}

/** What of the traffic is wanted. Both moments lie on a quarter of an hour, as the days of every zone begin on one. */
interface TrafficFilter {
  readonly providers: readonly string[];
  /** undefined: all of them. */
  readonly model: string | undefined;
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
  readonly interval: TrafficInterval;
  /** In which days and hours begin. */
  readonly timeZone: string;
}

/** What all clients together had of one model in one day or hour. */
export interface TrafficRow {
  readonly provider: string;
  readonly model: string;
  readonly start: Date;
  readonly requests: bigint;
  readonly errors: bigint;
  readonly input_tokens: bigint;
  readonly output_tokens: bigint;
  readonly cost: NanoCredits;
  /** Of those requests whose time was summed. */
  readonly latency_ms: number;
  readonly timed: bigint;
}

/** Reads the sums of usage by model and day or hour, the oldest first. */
async function listTraffic(database: Database, filter: TrafficFilter): Promise<TrafficRow[]> {
  return database.query<TrafficRow>(
    `SELECT provider, model, date_trunc($1, quarter, $2) AS start,
       sum(requests)::bigint AS requests, sum(errors)::bigint AS errors, sum(input_tokens)::bigint AS input_tokens,
       sum(output_tokens)::bigint AS output_tokens, sum(cost)::bigint AS cost, coalesce(sum(latency_ms), 0) AS latency_ms,
       coalesce(sum(requests) FILTER (WHERE latency_ms IS NOT NULL), 0)::bigint AS timed
     FROM usage_quarters
     WHERE provider = ANY ($3) AND quarter >= $4 AND quarter < $5 AND ($6::text IS NULL OR model = $6)
     GROUP BY 1, 2, 3 ORDER BY 3, 1, 2`,
    [filter.interval, filter.timeZone, filter.providers, filter.from, filter.to, filter.model ?? null],
  );
}
