import { Connection, type ConnectionOwner, type ConnectionTarget } from "./connection.ts";

/** Keeps connections for the next call to the same target. How long a free one lives is between undici and the other side. */
export class ConnectionPool implements ConnectionOwner {
  readonly #connections = new Set<Connection>();
  readonly #freeByTarget = new Map<string, Connection[]>();

  acquire(connectionTarget: ConnectionTarget): Connection {
    // The one used last is the one least likely to be closed by the other side at this very moment.
    const free = this.#freeByTarget.get(connectionTarget.key)?.pop();
    if (free !== undefined) return free;
    const connection = new Connection(connectionTarget, this);
    this.#connections.add(connection);
    return connection;
  }

  onIdle(connection: Connection): void {
    const free = this.#freeByTarget.get(connection.target.key);
    if (free === undefined) this.#freeByTarget.set(connection.target.key, [connection]);
    else free.push(connection);
  }

  onClosed(connection: Connection): void {
    this.#connections.delete(connection);
    const { key } = connection.target;
    const free = this.#freeByTarget.get(key)?.filter((other) => other !== connection) ?? [];
    if (free.length === 0) this.#freeByTarget.delete(key);
    else this.#freeByTarget.set(key, free);
  }

  /** Closes every connection and ends the calls on them. */
  close(): void {
    for (const connection of [...this.#connections]) connection.abort();
  }
}
