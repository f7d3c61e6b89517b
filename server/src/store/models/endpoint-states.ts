import type { BreakerSnapshot } from "@trunkline/providers/health/breaker.ts";
import type {
  EndpointMeasurements,
  EndpointSnapshot,
  EndpointStateStore,
} from "@trunkline/providers/health/endpoint-snapshot.ts";
import { announceEndpoints } from "../database/changes.ts";
import type { Database } from "../database/database.ts";

interface StateRow {
  model_id: string;
  figures: EndpointMeasurements;
  called_ms: number;
  stand: BreakerSnapshot;
  changed_ms: number;
  paused_ms: number;
}

/** How long an endpoint is remembered that nobody calls. */
const STATE_RETENTION = "30 days";

/** How the endpoints do, in PostgreSQL, one row each for all instances. */
export class PostgresEndpointStates implements EndpointStateStore {
  readonly #database: Database;
  readonly #instanceId: string;

  constructor(database: Database, instanceId: string) {
    this.#database = database;
    this.#instanceId = instanceId;
  }

  async put(snapshots: readonly EndpointSnapshot[], urgent: ReadonlySet<string>): Promise<void> {
    // Each part is that of whoever knows it later, so that a slow writer never undoes what a quicker one has told.
    await this.#database.query(
      `INSERT INTO endpoint_states AS e (model_id, figures, called_ms, stand, changed_ms, paused_ms, written_at)
       SELECT model_id, figures, called_ms, stand, changed_ms, paused_ms, now()
       FROM unnest($1::uuid[], $2::jsonb[], $3::float8[], $4::jsonb[], $5::float8[], $6::float8[])
         AS told (model_id, figures, called_ms, stand, changed_ms, paused_ms)
       -- In one order everywhere: two that write the same rows must not wait for each other in a ring.
       ORDER BY model_id
       ON CONFLICT (model_id) DO UPDATE SET
         figures = CASE WHEN EXCLUDED.called_ms >= e.called_ms THEN EXCLUDED.figures ELSE e.figures END,
         called_ms = greatest(e.called_ms, EXCLUDED.called_ms),
         stand = CASE WHEN EXCLUDED.changed_ms >= e.changed_ms THEN EXCLUDED.stand ELSE e.stand END,
         changed_ms = greatest(e.changed_ms, EXCLUDED.changed_ms),
         paused_ms = greatest(e.paused_ms, EXCLUDED.paused_ms),
         written_at = EXCLUDED.written_at`,
      [
        snapshots.map(({ modelId }) => modelId),
        snapshots.map(({ measurements: figures }) => JSON.stringify(figures)),
        snapshots.map(({ calledMs }) => calledMs),
        snapshots.map(({ breaker: stand }) => JSON.stringify(stand)),
        snapshots.map(({ breaker: stand }) => stand.changedMs),
        snapshots.map(({ breaker: stand }) => stand.pausedUntilMs),
      ],
    );
    const told = snapshots.flatMap(({ modelId }) => (urgent.has(modelId) ? [modelId] : []));
    if (told.length > 0) await announceEndpoints(this.#database, told, this.#instanceId);
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
      // A moment that never was is no number in JSON.
      breaker: { ...row.stand, changedMs: row.changed_ms, pausedUntilMs: row.paused_ms },
    }));
  }

  /** True for one instance in so many milliseconds. */
  async claimProbeTurn(everyMs: number): Promise<boolean> {
    const rows = await this.#database.query(
      `INSERT INTO probe_turns AS p (place, taken_at) VALUES (1, now())
       ON CONFLICT (place) DO UPDATE SET taken_at = now() WHERE p.taken_at <= now() - $1 * interval '1 ms'
       RETURNING taken_at`,
      [everyMs],
    );
    return rows.length > 0;
  }

  /** Forgets what nobody called for long, and models that are gone. */
  async sweep(): Promise<void> {
    await this.#database.query(
      `DELETE FROM endpoint_states WHERE written_at < now() - interval '${STATE_RETENTION}'`,
    );
    await this.#database.query(
      `DELETE FROM model_outages o
       WHERE NOT EXISTS (SELECT 1 FROM models m WHERE m.id = o.model_id AND m.deleted_at IS NULL)`,
    );
  }
}
