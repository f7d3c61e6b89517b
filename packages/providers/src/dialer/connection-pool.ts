import { Connection, type Lender, type Target } from "./connection.ts";

/** Keeps connections for the next call to the same target. How long a free one lives is between undici and the other side. */
export class ConnectionPool implements Lender {
  readonly #connections = new Set<Connection>();
  readonly #freeByTarget = new Map<string, Connection[]>();

  take(target: Target): Connection {
    // The one used last is the one least likely to be closed by the other side at this very moment.
    const free = this.#freeByTarget.get(target.key)?.pop();
    if (free !== undefined) return free;
    const connection = new Connection(target, this);
    this.#connections.add(connection);
    return connection;
  }

  onFree(connection: Connection): void {
    const free = this.#freeByTarget.get(connection.target.key);
    if (free === undefined) this.#freeByTarget.set(connection.target.key, [connection]);
    else free.push(connection);
  }

  onGone(connection: Connection): void {
    this.#connections.delete(connection);
    const { key } = connection.target;
    const free = this.#freeByTarget.get(key)?.filter((other) => other !== connection) ?? [];
    if (free.length === 0) this.#freeByTarget.delete(key);
    else this.#freeByTarget.set(key, free);
  }

  /** Closes every connection and ends the calls on them. */
  shutDown(): void {
    for (const connection of [...this.#connections]) connection.shutDown();
  }
}
