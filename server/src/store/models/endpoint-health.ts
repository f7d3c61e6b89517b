import type { BreakerSnapshot } from "@trunkline/providers/health/breaker.ts";
import type {
  EndpointMeasurements,
  EndpointSnapshot,
  EndpointStateStore,
} from "@trunkline/providers/health/endpoint-snapshot.ts";
import type {
  BucketQuery,
  BucketTotals,
  EndpointStatsStore,
  EndpointTotals,
} from "@trunkline/providers/health/endpoint-totals.ts";
import type { OutageNotice, OutageStore } from "@trunkline/providers/health/outage-notifier.ts";
import { announceEndpoints } from "../database/changes.ts";
import type { Database, Queryable } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { addExcluded, type ItemColumns, listColumns, rowsOf } from "../database/sql.ts";
import { enqueueEvent } from "../notify/outbox.ts";

type StateRow = Omit<Row<"endpoint_states">, "written_at"> & {
  readonly figures: EndpointMeasurements;
  readonly stand: BreakerSnapshot;
};

/** How long the state of an endpoint without calls is kept. */
const STATE_RETENTION = "30 days";

/** The state of every endpoint in PostgreSQL, one row each for all instances. */
export class PostgresEndpointStates implements EndpointStateStore {
  readonly #database: Database;
  readonly #instanceId: string;

  constructor(database: Database, instanceId: string) {
    this.#database = database;
    this.#instanceId = instanceId;
  }

  async put(snapshots: readonly EndpointSnapshot[], urgent: ReadonlySet<string>): Promise<void> {
    const { names, from, values } = rowsOf(snapshots, {
      model_id: ["uuid", ({ modelId }) => modelId],
      figures: ["jsonb", ({ measurements }) => JSON.stringify(measurements)],
      called_ms: ["float8", ({ calledMs }) => calledMs],
      stand: ["jsonb", ({ breaker }) => JSON.stringify(breaker)],
      changed_ms: ["float8", ({ breaker }) => breaker.changedMs],
      paused_ms: ["float8", ({ breaker }) => breaker.pausedUntilMs],
    });
    // Each part is taken from the later writer, so that a slow instance never undoes what a quicker one wrote.
    await this.#database.query(
      `INSERT INTO endpoint_states AS e (${names}, written_at) SELECT *, now() FROM ${from}
       -- In one order everywhere: two instances that write the same rows must not deadlock.
       ORDER BY model_id
       ON CONFLICT (model_id) DO UPDATE SET
         figures = CASE WHEN EXCLUDED.called_ms >= e.called_ms THEN EXCLUDED.figures ELSE e.figures END,
         called_ms = greatest(e.called_ms, EXCLUDED.called_ms),
         stand = CASE WHEN EXCLUDED.changed_ms >= e.changed_ms THEN EXCLUDED.stand ELSE e.stand END,
         changed_ms = greatest(e.changed_ms, EXCLUDED.changed_ms),
         paused_ms = greatest(e.paused_ms, EXCLUDED.paused_ms),
         written_at = EXCLUDED.written_at`,
      values,
    );
    const urgentIds = snapshots.flatMap(({ modelId }) => (urgent.has(modelId) ? [modelId] : []));
    if (urgentIds.length > 0) await announceEndpoints(this.#database, urgentIds, this.#instanceId);
  }

  async read(which: {
    readonly modelIds?: readonly string[];
    readonly withinMs?: number;
  }): Promise<EndpointSnapshot[]> {
    const rows = await this.#database.query<StateRow>(
      `SELECT model_id, figures, called_ms, stand, changed_ms, paused_ms FROM endpoint_states
       WHERE ($1::uuid[] IS NULL OR model_id = ANY ($1))
         AND ($2::float8 IS NULL OR written_at > now() - $2 * interval '1 ms')`,
      [which.modelIds ?? null, which.withinMs ?? null],
    );
    return rows.map((row) => ({
      modelId: row.model_id,
      calledMs: row.called_ms,
      measurements: row.figures,
      // Both may be infinite, which JSON can't hold.
      breaker: { ...row.stand, changedMs: row.changed_ms, pausedUntilMs: row.paused_ms },
    }));
  }

  /** True for one instance per interval. */
  async claimProbeTurn(everyMs: number): Promise<boolean> {
    const rows = await this.#database.query(
      `INSERT INTO probe_turns AS p (place, taken_at) VALUES (1, now())
       ON CONFLICT (place) DO UPDATE SET taken_at = now() WHERE p.taken_at <= now() - $1 * interval '1 ms'
       RETURNING taken_at`,
      [everyMs],
    );
    return rows.length > 0;
  }

  /** Deletes endpoints without calls for long, and those of models that are gone. */
  async sweep(): Promise<void> {
    await this.#database.query(`DELETE FROM endpoint_states WHERE written_at < now() - interval '${STATE_RETENTION}'`);
    await this.#database.query(
      `DELETE FROM model_outages o
       WHERE NOT EXISTS (SELECT 1 FROM models m WHERE m.id = o.model_id AND m.deleted_at IS NULL)`,
    );
  }
}

/** Which models are out of service, in PostgreSQL. The outage and the deliveries that report it are one transaction. */
export class PostgresModelOutages implements OutageStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async begin(modelId: string, why: string, since: Date, notice: OutageNotice): Promise<boolean> {
    return this.#database.transaction(async (connection) => {
      // The primary key decides which instance reports: another one that saw the same outage finds the row.
      const rows = await connection.query(
        "INSERT INTO model_outages (model_id, why, since) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING model_id",
        [modelId, why, since],
      );
      if (rows.length === 0) return false;
      return (await enqueueEvent(connection, notice.accountId, notice.event, undefined)) > 0;
    });
  }

  async end(modelId: string, write: (since: Date) => OutageNotice | undefined): Promise<boolean> {
    return this.#database.transaction(async (connection) => {
      const [outage] = await connection.query<Row<"model_outages", "since">>(
        "DELETE FROM model_outages WHERE model_id = $1 RETURNING since",
        [modelId],
      );
      const notice = outage && write(outage.since);
      if (notice === undefined) return false;
      return (await enqueueEvent(connection, notice.accountId, notice.event, undefined)) > 0;
    });
  }

  async all(): Promise<string[]> {
    const rows = await this.#database.query<Row<"model_outages", "model_id">>("SELECT model_id FROM model_outages");
    return rows.map(({ model_id }) => model_id);
  }
}

const STATS_RETENTION = "90 days";

/** The columns of an endpoint's totals. */
const TOTALS = {
  calls: "calls",
  failures: "failures",
  answered_ms: "answeredMs",
  first_parts: "firstParts",
  first_part_ms: "firstPartMs",
  output_tokens: "outputTokens",
  streamed_tokens: "streamedTokens",
  streamed_ms: "streamedMs",
} as const satisfies Partial<Record<keyof Row<"model_quarters">, keyof EndpointTotals>>;

/** The columns of `model_quarters`, each with its value in a bucket; the quarter comes as milliseconds. */
const BUCKET_COLUMNS: ItemColumns<BucketTotals> = {
  model_id: ["uuid", ({ modelId }) => modelId],
  at_ms: ["float8", ({ atMs }) => atMs],
  ...Object.fromEntries(
    Object.entries(TOTALS).map(([name, field]) => [
      name,
      ["bigint", (bucket: BucketTotals) => Math.round(bucket[field])],
    ]),
  ),
};

/** Statistics of the endpoints by quarter of an hour, in PostgreSQL: all instances add to the same rows. */
export class PostgresEndpointStats implements EndpointStatsStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async add(buckets: readonly BucketTotals[]): Promise<void> {
    const names = Object.keys(TOTALS);
    const { from, values } = rowsOf(buckets, BUCKET_COLUMNS);
    await this.#database.query(
      `INSERT INTO model_quarters AS q (model_id, quarter, ${listColumns(names)})
       SELECT model_id, to_timestamp(at_ms / 1000), ${listColumns(names)} FROM ${from}
       -- In one order everywhere: two instances that add to the same rows must not deadlock.
       ORDER BY model_id, at_ms
       ON CONFLICT (model_id, quarter) DO UPDATE SET ${addExcluded(names, "q")}`,
      values,
    );
  }

  async sums({ sinceMs, untilMs, spanMs, modelIds }: BucketQuery): Promise<BucketTotals[]> {
    // Counts and milliseconds stay far below what a float holds exactly, and floats are summed much faster.
    const sums = Object.entries(TOTALS).map(([name, field]) => `sum(${name}::float8) AS "${field}"`);
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

/** Deletes statistics that no report goes back to. */
export async function sweepEndpointStats(database: Queryable): Promise<void> {
  await database.query(`DELETE FROM model_quarters WHERE quarter < now() - interval '${STATS_RETENTION}'`);
}
