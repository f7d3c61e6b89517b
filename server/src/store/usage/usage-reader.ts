import type { TrafficInterval, UsageGrouping } from "@trunkline/core/usage-groups.ts";
import { composeOverAll, NO_OTHERS, type OtherDatabases } from "../clusters/other-databases.ts";
import type { Database } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { listColumns } from "../database/sql.ts";
import { listRoutedRequests, type RoutedRequest, sampleRoutedRequests } from "./request-samples.ts";
import { ROLLUP_COLUMNS, type UsageRow } from "./usage-columns.ts";
import { providerUsageQuery, USAGE_TYPES, type UsageFilter, type UsageRange, usageQuery } from "./usage-query.ts";
import { usageClosedUntil } from "./usage-rollups.ts";

interface UsageGroup extends UsageRow {
  readonly group: string;
  /** The name of the key, where the groups are keys; NULL where the key is gone. */
  readonly key_name?: string | null;
}

const UNBOUNDED = { from: undefined, to: undefined };

const GROUP_COLUMN = { model: "model", key: "key_id", task: "task", provider: "provider" } as const;

/** What a grouping groups by. Tags are grouped by the text of the filter's first one. */
export function groupColumn(
  grouping: keyof typeof GROUP_COLUMN | "tag",
  { tags }: UsageFilter,
  place: (value: unknown) => string,
): string {
  return grouping === "tag" ? `(tags ->> ${place(tags?.[0]?.name)}::text)` : GROUP_COLUMN[grouping];
}

/** The sums of a group of rows, 0 where there are none. */
export const USAGE_SUMS = ROLLUP_COLUMNS.map((name) => `coalesce(sum(${name}), 0)::bigint AS ${name}`).join(", ");

/** The usage of accounts, and of providers' models. */
export class UsageReader {
  readonly #database: Database;
  readonly #others: OtherDatabases;

  constructor(database: Database, others = NO_OTHERS) {
    this.#database = database;
    this.#others = others;
  }

  /** The newest requests whose model the service chose. */
  async routedRequests(accountId: string, limit: number): Promise<RoutedRequest[]> {
    const found: RoutedRequest[] = [];
    for (const database of this.#databasesOf(accountId))
      found.push(...(await listRoutedRequests(database, accountId, limit)));
    return newestFirst(found).slice(0, limit);
  }

  /** The same since a moment: all of them, or an even sample where there are too many. */
  async sampleRoutedRequests(accountId: string, since: Date) {
    const databases = this.#databasesOf(accountId);
    const sample = await sampleRoutedRequests(databases, accountId, since);
    return { ...sample, requests: newestFirst(sample.requests) };
  }

  async total(accountId: string, range: UsageRange): Promise<UsageRow | undefined> {
    const { sql, values } = await this.#read(accountId, range, "quarters", {});
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
    if (grouping === "day") {
      const isWhole = Object.values(filter).every((value) => value === undefined);
      const { sql, values } = await this.#read(accountId, range, isWhole ? "quarters" : "pieces", filter);
      return this.#database.query<UsageGroup>(
        `SELECT to_char(day, 'YYYY-MM-DD') AS "group", ${USAGE_SUMS} FROM (
           SELECT (quarter AT TIME ZONE $${values.length + 1})::date AS day, used.* FROM (${sql}) AS used
         ) AS dated GROUP BY day ORDER BY day`,
        [...values, timeZone],
      );
    }
    const { sql, values: given } = await this.#read(accountId, range, "days", filter);
    const values = [...given];
    const column = groupColumn(grouping, filter, (value) => `$${values.push(value)}`);
    const sums = `SELECT ${column}::text AS "group", ${USAGE_SUMS} FROM (${sql}) AS used GROUP BY ${column}`;
    return this.#database.query<UsageGroup>(
      grouping === "key"
        ? `SELECT summed.*, k.name AS key_name FROM (${sums}) AS summed LEFT JOIN api_keys k ON k.id = summed."group"::uuid
           ORDER BY cost DESC, 1`
        : `${sums} ORDER BY cost DESC, 1`,
      values,
    );
  }

  /** The usage of some providers' models by all clients, by model and day or hour, oldest first. */
  async traffic(filter: TrafficFilter): Promise<TrafficRow[]> {
    const columns = `provider, model, quarter, ${listColumns(ROLLUP_COLUMNS)}, latency_ms`;
    const { sql, values } = await composeOverAll(
      this.#database,
      this.#others.all(),
      `provider text, model text, quarter timestamptz, ${ROLLUP_COLUMNS.map((name) => `${name} bigint`).join(", ")}, latency_ms double precision`,
      () => ({
        sql: `SELECT ${columns} FROM usage_quarters
          WHERE provider = ANY ($1) AND quarter >= $2 AND quarter < $3 AND ($4::text IS NULL OR model = $4)`,
        values: [filter.providers, filter.from, filter.to, filter.model ?? null],
      }),
    );
    const place = values.length;
    return this.#database.query<TrafficRow>(
      `SELECT provider, model, date_trunc($${place + 1}, quarter, $${place + 2}) AS start, ${USAGE_SUMS},
         coalesce(sum(latency_ms), 0) AS latency_ms, coalesce(sum(requests) FILTER (WHERE latency_ms IS NOT NULL), 0)::bigint AS timed
       FROM (${sql}) AS used GROUP BY 1, 2, 3 ORDER BY 3, 1, 2`,
      [...values, filter.interval, filter.timeZone],
    );
  }

  /** How often one model has answered and failed, over all clients. */
  async countsOf(model: {
    readonly provider: string;
    readonly name: string;
  }): Promise<{ requests: number; errors: number }> {
    const { sql, values } = await composeOverAll(
      this.#database,
      this.#others.all(),
      USAGE_TYPES.providers,
      async (connection) => {
        const given: unknown[] = [];
        const place = (value: unknown) => `$${given.push(value)}`;
        const usage = providerUsageQuery([model.provider], UNBOUNDED, await usageClosedUntil(connection), place);
        return { sql: usage, values: given };
      },
    );
    const rows = await this.#database.query<{ requests: bigint; errors: bigint }>(
      `SELECT coalesce(sum(requests), 0)::bigint AS requests, coalesce(sum(errors), 0)::bigint AS errors
       FROM (${sql}) AS used WHERE model = $${values.length + 1}`,
      [...values, model.name],
    );
    return { requests: Number(rows[0]?.requests ?? 0n), errors: Number(rows[0]?.errors ?? 0n) };
  }

  #databasesOf(accountId: string): readonly Database[] {
    return [this.#database, ...this.#others.ofAccount(accountId)];
  }

  /** The usage of an account in a range, as rows to be summed. */
  #read(accountId: string, range: UsageRange, by: "quarters" | "days" | "pieces", filter: UsageFilter) {
    const columns = USAGE_TYPES[filter.tags === undefined ? by : "tagged"];
    return composeOverAll(this.#database, this.#others.ofAccount(accountId), columns, async (connection) =>
      usageQuery(accountId, range, await usageClosedUntil(connection), by, filter),
    );
  }
}

function newestFirst(requests: readonly RoutedRequest[]): RoutedRequest[] {
  return requests.toSorted((one, other) => (one.id < other.id ? 1 : -1));
}

/** Which traffic to read. Both moments lie on a quarter of an hour, as the days of every time zone begin on one. */
interface TrafficFilter {
  readonly providers: readonly string[];
  /** undefined: all of them. */
  readonly model: string | undefined;
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
  readonly interval: TrafficInterval;
  /** The time zone of the days and hours. */
  readonly timeZone: string;
}

/** The usage of one model by all clients in one day or hour. */
export interface TrafficRow extends UsageRow, Row<"usage_quarters", "provider" | "model"> {
  readonly start: Date;
  /** The sum over the requests that were timed. */
  readonly latency_ms: number;
  readonly timed: bigint;
}
