import pg from "pg";
import { readServerList, type ServerAddress, type ServerList, type ServerRole } from "./server-list.ts";

/** Where the database is: what `pg` takes, or a connection string that names several servers. */
export type DatabaseAddress =
  | { readonly connectionString: string }
  | {
      readonly host: string;
      readonly port: number;
      readonly user: string;
      readonly database: string;
      readonly password?: string;
    };

/** How long a server may take to say what it is. Below the time that a connection may take in all. */
const PROBE_MS = 2_000;
/** How long the others may take to object, once one has said that it is the primary. */
const OBJECTION_MS = 200;
/** After a search that found none, the next one waits this long: requests keep coming, and each would search. */
const PAUSE_MS = 250;

/** What a server says of itself. */
interface ServerState {
  readonly server: ServerAddress;
  readonly isStandby: boolean;
  readonly isReadOnly: boolean;
  /** Grows with every change of the primary. 0 for a standby. */
  readonly timeline: number;
}

/**
 * The servers of one database, of which one is the primary and may change. Connections are opened to the one that is
 * sought, as found by asking all of them at once; it is searched for again as soon as any connection to it has ended.
 * When another one has taken its place, the connections to the one before are cut, so that nothing waits for a server that hangs.
 */
export class DatabaseServers {
  /** What `pg` takes to connect. */
  readonly config: DatabaseAddress;
  /** The class of connections to these servers. */
  readonly Client: typeof pg.Client;
  readonly #list: ServerList | undefined;
  readonly #clients = new Map<pg.Client, ServerAddress>();
  #current: ServerAddress | undefined;
  /** Of all primaries so far. One of an older timeline missed a promotion: what was written since is not on it. */
  #newestTimeline = 0;
  #search: Promise<ServerAddress> | undefined;
  #failure: { readonly error: Error; readonly atMs: number } | undefined;

  /** `defaultRole` is what is sought where several servers are named without a `target_session_attrs`. */
  constructor(address: DatabaseAddress, defaultRole: ServerRole = "read-write") {
    this.#list = "connectionString" in address ? readServerList(address.connectionString, defaultRole) : undefined;
    this.config = this.#list === undefined ? address : { connectionString: this.#list.connectionString };
    this.Client = this.#list === undefined ? pg.Client : createClientClass(this);
  }

  /** The server that new connections go to. */
  find(): Promise<ServerAddress> {
    if (this.#current !== undefined) return Promise.resolve(this.#current);
    if (this.#failure !== undefined && performance.now() - this.#failure.atMs < PAUSE_MS)
      return Promise.reject(this.#failure.error);
    this.#search ??= this.#searchAll().finally(() => {
      this.#search = undefined;
    });
    return this.#search;
  }

  /** The next connection searches first, unless another server has been found meanwhile. */
  doubt(server: ServerAddress | undefined): void {
    if (server === this.#current) this.#current = undefined;
  }

  onConnected(client: pg.Client, server: ServerAddress): void {
    this.#clients.set(client, server);
    if (this.#current !== undefined && this.#current !== server) cut(client);
  }

  onEnded(client: pg.Client): void {
    this.doubt(this.#clients.get(client));
    this.#clients.delete(client);
  }

  async #searchAll(): Promise<ServerAddress> {
    try {
      const { servers, role } = this.#list ?? { servers: [], role: "any" };
      const { server, timeline } = await choose(
        servers.map((one) => this.#probe(one)),
        role,
      );
      this.#newestTimeline = Math.max(this.#newestTimeline, timeline);
      this.#current = server;
      this.#failure = undefined;
      for (const [client, at] of this.#clients) if (at !== server) cut(client);
      return server;
    } catch (error) {
      this.#failure = { error: error as Error, atMs: performance.now() };
      throw error;
    }
  }

  async #probe(server: ServerAddress): Promise<ServerState> {
    const client = new pg.Client({
      ...this.config,
      application_name: "trunkline search",
      connectionTimeoutMillis: PROBE_MS,
      query_timeout: PROBE_MS,
    });
    Object.assign(client, server);
    client.on("error", () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query<{ is_standby: boolean; is_read_only: boolean; timeline: number }>(STATE);
      const [state] = rows;
      if (state === undefined) throw new Error("The server did not say what it is.");
      const { is_standby: isStandby, is_read_only: isReadOnly, timeline } = state;
      if (!isStandby && timeline < this.#newestTimeline)
        throw new Error(`it is a primary of timeline ${timeline}, and there has been one of ${this.#newestTimeline}`);
      return { server, isStandby, isReadOnly, timeline };
    } catch (error) {
      throw new ProbeFailure(server, error);
    } finally {
      client.end().catch(() => undefined);
    }
  }
}

/** The timeline is in the names of the WAL's files; a standby can't tell them. */
const STATE = `SELECT pg_is_in_recovery() AS is_standby, current_setting('transaction_read_only') = 'on' AS is_read_only,
  CASE WHEN pg_is_in_recovery() THEN 0
  ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer END AS timeline`;

class ProbeFailure extends Error {
  readonly server: ServerAddress;

  constructor(server: ServerAddress, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.server = server;
  }
}

/** No server that will do. Its code is that of the failure which says most. */
export class NoServerFound extends Error {
  readonly code: string;

  constructor(role: ServerRole, found: readonly ServerState[], failures: readonly ProbeFailure[]) {
    const states = found.map(({ server, isStandby }) => `${nameOf(server)} is a ${isStandby ? "standby" : "primary"}`);
    const reasons = failures.map(({ server, message }) => `${nameOf(server)}: ${message}`);
    super(`No database server is ${WANTED[role]} (${[...states, ...reasons].join("; ")}).`);
    const codes = failures.map(({ cause }) => (cause instanceof Error && "code" in cause ? String(cause.code) : ""));
    // A refused log-in or a missing database must be mended by a person: it says more than a server that is away.
    this.code = codes.find((code) => /^(28|3D)/.test(code)) ?? (found.length > 0 ? "25006" : "ECONNREFUSED");
  }
}

const WANTED: Readonly<Record<ServerRole, string>> = {
  any: "reachable",
  "read-write": "a primary that takes writes",
  primary: "a primary",
  "read-only": "one that is read alone",
  standby: "a standby",
  "prefer-standby": "reachable",
};

function nameOf({ host, port }: ServerAddress): string {
  return `${host}:${port}`;
}

/** The first that will do, and of several primaries the one that was promoted last: the others do not know it yet. */
async function choose(probes: readonly Promise<ServerState>[], role: ServerRole): Promise<ServerState> {
  const found: ServerState[] = [];
  const failures: ProbeFailure[] = [];
  const ended = probes.map((probe) =>
    probe.then(
      (state) => {
        found.push(state);
        if (!willDo(state, role)) throw new Error();
      },
      (error: ProbeFailure) => {
        failures.push(error);
        throw error;
      },
    ),
  );
  const all = Promise.allSettled(ended);
  const isFound = await Promise.any(ended).then(
    () => true,
    () => false,
  );
  if (role === "prefer-standby" && !isFound && found[0] !== undefined) return found[0];
  if (!isFound) throw new NoServerFound(role, found, failures);
  if (role === "read-write" || role === "primary")
    await Promise.race([all, new Promise((resolve) => setTimeout(resolve, OBJECTION_MS))]);
  const fit = found.filter((state) => willDo(state, role));
  return fit.reduce((one, other) => (other.timeline > one.timeline ? other : one));
}

function willDo({ isStandby, isReadOnly }: ServerState, role: ServerRole): boolean {
  switch (role) {
    case "any":
      return true;
    case "read-write":
      return !isReadOnly;
    case "read-only":
      return isReadOnly;
    case "primary":
      return !isStandby;
    case "standby":
    case "prefer-standby":
      return isStandby;
  }
}

function cut(client: pg.Client): void {
  client.connection.stream.destroy(new Error("Connection terminated: another server has become the primary."));
}

/** A class of connections that find their server when they connect. `pg` takes one server, and fixes it when a connection is made. */
function createClientClass(servers: DatabaseServers): typeof pg.Client {
  return class extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config);
      this.once("end", () => servers.onEnded(this));
    }

    async #connectToServer(): Promise<pg.Client> {
      const server = await servers.find();
      // The pool gave up while the search ran.
      if (this.connection.stream.destroyed) throw new Error("Connection terminated due to connection timeout");
      Object.assign(this, server);
      try {
        await super.connect();
      } catch (error) {
        servers.doubt(server);
        throw error;
      }
      servers.onConnected(this, server);
      return this;
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: (error: Error | null, client?: pg.Client) => void): void;
    override connect(callback?: (error: Error | null, client?: pg.Client) => void): Promise<pg.Client> | undefined {
      const connecting = this.#connectToServer();
      if (callback === undefined) return connecting;
      connecting.then(
        () => callback(null, this),
        (error: Error) => callback(error),
      );
      return undefined;
    }

    // A server that hangs never ends a connection by itself.
    override end(): Promise<void>;
    override end(callback: (error: Error) => void): void;
    override end(callback?: (error: Error) => void): Promise<void> | undefined {
      servers.onEnded(this);
      if (callback === undefined) return super.end();
      super.end(callback);
      return undefined;
    }
  };
}
