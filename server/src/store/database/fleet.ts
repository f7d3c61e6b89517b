import type { NanoCredits } from "@trunkline/core/money.ts";
import { NO_OTHERS, type OtherDatabases } from "../clusters/other-databases.ts";
import type { Database } from "./database.ts";
import type { Row } from "./rows.ts";

/** The state of the whole service, from its store. */
export interface FleetReport {
  readonly instances: readonly { readonly id: string; readonly startedAt: Date; readonly isThis: boolean }[];
  readonly store: {
    readonly version: string;
    readonly bytes: bigint;
    readonly connections: number;
    readonly answerMs: number;
  };
  /** Of all accounts, in the last hour. */
  readonly lastHour: { readonly requests: number; readonly errors: number; readonly cost: NanoCredits };
  readonly accounts: number;
  readonly deliveriesWaiting: number;
  readonly sealedAt: Date | undefined;
}

/** All instances and their common store, for the operator. */
export class PostgresFleet {
  readonly #database: Database;
  readonly #instanceId: string;

  readonly #others: OtherDatabases;

  constructor(database: Database, instanceId: string, others = NO_OTHERS) {
    this.#database = database;
    this.#instanceId = instanceId;
    this.#others = others;
  }

  async report(): Promise<FleetReport> {
    const began = performance.now();
    await this.#database.query("SELECT 1");
    const answerMs = performance.now() - began;
    const [instances, figures] = await Promise.all([
      this.#database.query<Row<"instances", "id" | "started_at">>(
        "SELECT id, started_at FROM instances ORDER BY started_at",
      ),
      this.#database.query<{
        version: string;
        bytes: bigint;
        connections: bigint;
        accounts: bigint;
        waiting: bigint;
        sealed_at: Date | null;
        requests: bigint;
        errors: bigint;
        cost: bigint;
      }>(
        `SELECT current_setting('server_version') AS version, pg_database_size(current_database()) AS bytes,
           (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()) AS connections,
           (SELECT count(*) FROM accounts) AS accounts,
           (SELECT count(*) FROM webhook_deliveries WHERE next_attempt_at IS NOT NULL) AS waiting,
           (SELECT max(sealed_at) FROM ledger_seals) AS sealed_at, used.*
         FROM (${LAST_HOUR}) AS used`,
      ),
    ]);
    const found = figures[0];
    if (found === undefined) throw new Error("The store gave no figures.");
    for (const other of this.#others.all()) {
      const [there] = await other.query<Pick<typeof found, "bytes" | "connections" | "requests" | "errors" | "cost">>(
        `SELECT pg_database_size(current_database()) AS bytes,
           (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()) AS connections, used.*
         FROM (${LAST_HOUR}) AS used`,
      );
      if (there === undefined) continue;
      for (const name of ["bytes", "connections", "requests", "errors", "cost"] as const) found[name] += there[name];
    }
    return {
      instances: instances.map(({ id, started_at: startedAt }) => ({
        id,
        startedAt,
        isThis: id === this.#instanceId,
      })),
      store: {
        version: found.version,
        bytes: found.bytes,
        connections: Number(found.connections),
        answerMs,
      },
      lastHour: { requests: Number(found.requests), errors: Number(found.errors), cost: found.cost },
      accounts: Number(found.accounts),
      deliveriesWaiting: Number(found.waiting),
      sealedAt: found.sealed_at ?? undefined,
    };
  }
}

const LAST_HOUR = `SELECT coalesce(sum(requests), 0)::bigint AS requests, coalesce(sum(errors), 0)::bigint AS errors,
    coalesce(sum(cost), 0)::bigint AS cost
  FROM usage_quarters WHERE quarter >= now() - interval '1 hour'`;
