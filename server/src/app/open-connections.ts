import type { Server } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

/** How often it looks whether anything moved. */
const LOOK_MS = 50;

/** The open connections of a server, also those that another process has accepted, which the server does not count. */
export class OpenConnections {
  readonly #sockets = new Set<Socket>();
  #onEmpty: () => void = () => undefined;

  constructor(server: Server) {
    server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => {
        this.#sockets.delete(socket);
        if (this.#sockets.size === 0) this.#onEmpty();
      });
    });
  }

  /** Resolves when all are closed. */
  closed(): Promise<void> {
    return new Promise((resolve) => {
      this.#onEmpty = resolve;
      if (this.#sockets.size === 0) resolve();
    });
  }

  /** Resolves when all are closed, or nothing has moved on any of them for a while, or the time is up. */
  async quiet(quietMs: number, limitMs: number): Promise<void> {
    const endMs = performance.now() + limitMs;
    let quietSinceMs = performance.now();
    let lastBytes = -1;
    while (this.#sockets.size > 0 && performance.now() < endMs && performance.now() - quietSinceMs < quietMs) {
      let bytes = 0;
      for (const { bytesRead, bytesWritten } of this.#sockets) bytes += bytesRead + bytesWritten;
      if (bytes !== lastBytes) quietSinceMs = performance.now();
      lastBytes = bytes;
      await wait(LOOK_MS);
    }
  }
}
