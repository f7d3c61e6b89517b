import type { EndpointTotals } from "@trunkline/providers/health/endpoint-figures.ts";
import type {
  BucketQuery,
  BucketTotals,
  EndpointStatsStore,
} from "@trunkline/providers/health/quarter-store.ts";
import type { Database, Queryable } from "../database/database.ts";

const STATS_RETENTION = "90 days";

const FIGURE_COLUMNS: Readonly<Record<string, keyof EndpointTotals>> = {
  calls: "calls",
  failures: "failures",
  answered_ms: "answeredMs",
  first_parts: "firstParts",
  first_part_ms: "firstPartMs",
  output_tokens: "outputTokens",
  streamed_tokens: "streamedTokens",
  streamed_ms: "streamedMs",
};
const FIGURE_COLUMN_NAMES = Object.keys(FIGURE_COLUMNS);

/** How the endpoints did, by quarter of an hour, in PostgreSQL: all instances add to the same rows. */
export class PostgresEndpointStats implements EndpointStatsStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async add(quarters: readonly BucketTotals[]): Promise<void> {
    await this.#database.query(
      `INSERT INTO model_quarters AS q (model_id, quarter, ${FIGURE_COLUMN_NAMES.join(", ")})
       SELECT model_id, to_timestamp(at_ms / 1000), ${FIGURE_COLUMN_NAMES.join(", ")}
       FROM unnest($1::uuid[], $2::float8[], ${FIGURE_COLUMN_NAMES.map((_, index) => `$${index + 3}::bigint[]`).join(", ")})
         AS counted (model_id, at_ms, ${FIGURE_COLUMN_NAMES.join(", ")})
       -- In one order everywhere: two that add to the same rows must not wait for each other in a ring.
       ORDER BY model_id, at_ms
       ON CONFLICT (model_id, quarter) DO UPDATE SET
         ${FIGURE_COLUMN_NAMES.map((name) => `${name} = q.${name} + EXCLUDED.${name}`).join(", ")}`,
      [
        quarters.map(({ modelId }) => modelId),
        quarters.map(({ atMs }) => atMs),
        ...Object.values(FIGURE_COLUMNS).map((field) =>
          quarters.map((figures) => Math.round(figures[field])),
        ),
      ],
    );
  }

  async sums({ sinceMs, untilMs, spanMs, modelIds }: BucketQuery): Promise<BucketTotals[]> {
    // Counts and milliseconds stay far below what a float holds exactly, and floats are summed much faster.
    const sums = Object.entries(FIGURE_COLUMNS).map(([name, field]) => `sum(${name}::float8) AS "${field}"`);
    const span = "date_bin($2::float8 * interval '1 ms', quarter, to_timestamp($1::float8 / 1000))";
    return this.#database.query<BucketTotals>(
      `SELECT model_id AS "modelId", extract(epoch FROM ${span})::float8 * 1000 AS "atMs", ${sums.join(", ")}
       FROM model_quarters
       WHERE quarter >= to_timestamp($1::float8 / 1000) AND ($3::float8 IS NULL OR quarter < to_timestamp($3 / 1000))
         AND ($4::uuid[] IS NULL OR model_id = ANY ($4))
       GROUP BY model_id, ${span}`,
      [sinceMs, spanMs, untilMs ?? null, modelIds ?? null],
    );
  }
}

/** Forgets what is too old for anyone to ask about. */
export async function sweepEndpointStats(database: Queryable): Promise<void> {
  await database.query(`DELETE FROM model_quarters WHERE quarter < now() - interval '${STATS_RETENTION}'`);
}
