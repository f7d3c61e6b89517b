import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import type { TestDatabase } from "./test-database.ts";

const READY = "Z".charCodeAt(0);
const TERMINATE = "X".charCodeAt(0);
const IDLE = "I".charCodeAt(0);
/** The codes of what a client may send before its first message. */
const SSL_REQUEST = 80_877_103;

/** What a client has sent and the session has not answered yet. */
interface Turn {
  readonly client: Socket;
  waiting: Buffer;
}

/** A pooler in transaction mode with one session: between two transactions it belongs to whoever comes next. */
export class TransactionPooler {
  readonly #sockets = new Set<Socket>();
  #close: () => void = () => undefined;

  /** Puts itself between a service and its store: for the second argument of `startService`. */
  reach = async (address: TestDatabase["address"]) => {
    const session = connect(join(address.host, `.s.PGSQL.${address.port}`));
    this.#sockets.add(session);
    let greeting: Buffer | undefined;
    let received: Buffer = Buffer.alloc(0);
    let owner: Turn | undefined;
    const turns: Turn[] = [];
    const startups: Turn[] = [];
    const giveTurn = () => {
      owner ??= turns.find(({ waiting }) => waiting.length > 0);
      if (owner === undefined || owner.waiting.length === 0) return;
      session.write(owner.waiting);
      owner.waiting = Buffer.alloc(0);
    };
    session.on("error", () => undefined);
    session.on("data", (piece: Buffer) => {
      received = Buffer.concat([received, piece]);
      for (;;) {
        const length = received.length < 5 ? Number.POSITIVE_INFINITY : 1 + received.readUInt32BE(1);
        if (received.length < length) return;
        const message = received.subarray(0, length);
        received = received.subarray(length);
        const isReady = message[0] === READY;
        if (owner === undefined) {
          greeting = Buffer.concat([greeting ?? Buffer.alloc(0), message]);
          if (isReady) for (const { client } of startups.splice(0)) client.write(greeting);
          continue;
        }
        owner.client.write(message);
        if (isReady && message[5] === IDLE) {
          owner = undefined;
          giveTurn();
        }
      }
    });
    const server = createServer((client) => {
      this.#sockets.add(client);
      const turn: Turn = { client, waiting: Buffer.alloc(0) };
      let isStarted = false;
      client.on("error", () => undefined);
      client.on("close", () => turns.splice(turns.indexOf(turn), 1));
      client.on("data", (piece: Buffer) => {
        if (isStarted) {
          if (piece[0] === TERMINATE) return void client.end();
          turn.waiting = Buffer.concat([turn.waiting, piece]);
          return giveTurn();
        }
        if (piece.readUInt32BE(4) === SSL_REQUEST) return void client.write("N");
        isStarted = true;
        turns.push(turn);
        // The first client's log-in is the session's; the others are told what it was told.
        if (greeting !== undefined) client.write(greeting);
        else if (startups.push(turn) === 1) session.write(piece);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    this.#close = () => server.close();
    return { ...address, host: "127.0.0.1", port: (server.address() as AddressInfo).port };
  };

  stop(): void {
    this.#close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
