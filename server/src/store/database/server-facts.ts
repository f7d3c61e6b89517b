import type { Database } from "./database.ts";

/** What the operator should know of the PostgreSQL server. */
export interface ServerFacts {
  readonly version: string;
  readonly isStandby: boolean;
  readonly databaseBytes: number;
  /** Whether what was committed survives a failure of the machine. */
  readonly isDurable: boolean;
  readonly connections: number;
  readonly connectionsMax: number;
}

export async function readServerFacts(database: Database): Promise<ServerFacts> {
  const [row] = await database.query<{
    version: string;
    is_standby: boolean;
    bytes: bigint;
    fsync: string;
    commit: string;
    connections: bigint;
    connections_max: string;
  }>(
    `SELECT current_setting('server_version') AS version, pg_is_in_recovery() AS is_standby,
       pg_database_size(current_database()) AS bytes, current_setting('fsync') AS fsync,
       current_setting('synchronous_commit') AS commit, current_setting('max_connections') AS connections_max,
       (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections`,
  );
  if (row === undefined) throw new Error("The server says nothing of itself.");
  return {
    version: row.version.split(" ")[0] ?? row.version,
    isStandby: row.is_standby,
    databaseBytes: Number(row.bytes),
    isDurable: row.fsync === "on" && row.commit !== "off",
    connections: Number(row.connections),
    connectionsMax: Number(row.connections_max),
  };
}
