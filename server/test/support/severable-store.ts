import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import type { TestDatabase } from "./test-database.ts";

/** A way to the run's PostgreSQL that a test can cut and mend. */
export class SeverableStore {
  readonly #sockets = new Set<Socket>();
  #isCut = false;
  #isMute = false;
  #close: () => void = () => undefined;

  /** Puts itself between a service and its store: for the second argument of `startService`. */
  reach = async (address: TestDatabase["address"]) => {
    const server = createServer((client) => {
      if (this.#isCut) return void client.destroy();
      const store = connect(join(address.host, `.s.PGSQL.${address.port}`));
      for (const [from, to] of [
        [client, store],
        [store, client],
      ] as const) {
        this.#sockets.add(from);
        from.on("data", (piece: Buffer) => {
          if (from !== store || !this.#isMute) to.write(piece);
        });
        // Whichever side goes takes the other one with it.
        from.on("error", () => undefined).on("close", () => to.destroy());
      }
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    this.#close = () => server.close();
    return { ...address, host: "127.0.0.1", port: (server.address() as AddressInfo).port };
  };

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  /** The store gets everything, and its answers are lost: whether it has committed is then unknown. */
  mute(): void {
    this.#isMute = true;
  }

  mend(): void {
    this.#isCut = false;
    this.#isMute = false;
  }

  stop(): void {
    this.#close();
  }
}
