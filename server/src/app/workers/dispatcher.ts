import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { PortAddresses } from "./messages.ts";

/** A process that serves connections. */
export interface Receiver {
  /** Passes a connection on. Resolves when the process has it, or has ended. */
  receive(socket: Socket, port: PortName): Promise<void>;
}

/** The port that a connection came in by. */
export type PortName = keyof PortAddresses;

interface WaitingConnection {
  readonly socket: Socket;
  readonly port: PortName;
}

/**
 * Accepts the connections of the ports and passes them on to the workers. A worker gets its next connection once it has
 * the one before, so that a busy worker gets fewer. While there is no worker, connections wait.
 */
export class Dispatcher {
  readonly #servers: Server[] = [];
  readonly #waiting: WaitingConnection[] = [];
  readonly #receivers = new Set<Receiver>();
  /** Those that have received their last connection, the longest ago first. */
  readonly #free = new Set<Receiver>();
  readonly #inTransit = new Map<Receiver, Promise<void>>();

  /** Listens at one more port. `localhost` means all its addresses, of which one must be free. */
  async listen(port: number, host: string, name: PortName): Promise<AddressInfo> {
    const [first = host, ...others] =
      host === "localhost" ? (await lookup(host, { all: true })).map(({ address }) => address) : [];
    const address = await this.#listenAt(port, first, name);
    for (const other of others) await this.#listenAt(address.port, other, name).catch(() => undefined);
    return address;
  }

  async #listenAt(port: number, host: string, name: PortName): Promise<AddressInfo> {
    const server = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => {
      // A client may be gone before a worker has its connection.
      socket.on("error", () => undefined);
      this.#waiting.push({ socket, port: name });
      this.#passOn();
    });
    server.listen(port, host);
    await once(server, "listening");
    this.#servers.push(server);
    return server.address() as AddressInfo;
  }

  add(receiver: Receiver): void {
    this.#receivers.add(receiver);
    this.#free.add(receiver);
    this.#passOn();
  }

  /** Passes nothing more on to it. Resolves when nothing is on its way there. */
  async remove(receiver: Receiver): Promise<void> {
    this.#receivers.delete(receiver);
    this.#free.delete(receiver);
    await this.#inTransit.get(receiver);
  }

  /** Accepts no more connections, and closes those that no worker has. */
  close(): void {
    for (const server of this.#servers) server.close();
    for (const { socket } of this.#waiting.splice(0)) socket.destroy();
  }

  #passOn(): void {
    for (const receiver of this.#free) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#free.delete(receiver);
      const received = receiver.receive(next.socket, next.port).then(() => {
        this.#inTransit.delete(receiver);
        if (!this.#receivers.has(receiver)) return;
        this.#free.add(receiver);
        this.#passOn();
      });
      this.#inTransit.set(receiver, received);
    }
  }
}
