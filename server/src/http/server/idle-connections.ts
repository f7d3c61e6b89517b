import type { Socket } from "node:net";

/** How late an idle connection may be closed. */
const CHECK_MS = 1_000;

/** Until when a connection may be idle. */
interface IdleLimit {
  readonly socket: Socket;
  ms: number;
  until: number;
  bytesRead: number;
}

/**
 * The time limits of idle connections, with one timer for all of them. node:http sets and clears a connection's limit
 * with every request, and a timer for each would cost more than the rest of keeping the connection.
 */
export class IdleConnections {
  readonly #limits = new Set<IdleLimit>();
  #timer: NodeJS.Timeout | undefined;

  /** Takes over the time limit of a connection. */
  watch(socket: Socket): void {
    const limit: IdleLimit = { socket, ms: 0, until: Number.POSITIVE_INFINITY, bytesRead: 0 };
    socket.setTimeout = (ms: number, callback?: () => void) => {
      limit.ms = ms;
      limit.until = ms === 0 ? Number.POSITIVE_INFINITY : performance.now() + ms;
      limit.bytesRead = socket.bytesRead;
      if (callback !== undefined) socket.once("timeout", callback);
      return socket;
    };
    this.#limits.add(limit);
    socket.once("close", () => this.#limits.delete(limit));
    this.#timer ??= setInterval(() => this.#check(), CHECK_MS).unref();
  }

  #check(): void {
    const now = performance.now();
    for (const limit of this.#limits) {
      if (now < limit.until) continue;
      const { socket, ms } = limit;
      // A connection that sends a request is not idle, also while its head is incomplete.
      const isIdle = socket.bytesRead === limit.bytesRead;
      limit.bytesRead = socket.bytesRead;
      limit.until = now + ms;
      if (isIdle) socket.emit("timeout");
    }
    if (this.#limits.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
