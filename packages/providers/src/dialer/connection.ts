import { isIP, type LookupFunction, connect as openTcp, type Socket } from "node:net";
import { connect as openTls } from "node:tls";
import { type buildConnector, Client, type Dispatcher } from "undici";
import { connectFailure } from "./dial-request.ts";

/** A slow first address must not use up the whole time for connecting, nor be given up on a long way off. */
const NEXT_ADDRESS_AFTER_MS = 500;

/** Where connections go: one origin at one level of the guard. */
export interface ConnectionTarget {
  /** Names this target among all. */
  readonly key: string;
  readonly origin: string;
  readonly secure: boolean;
  /** A name, or an address that the guard has passed. */
  readonly host: string;
  readonly port: number;
  readonly lookup: LookupFunction;
  /** Trusted in place of the system's certificate authorities. */
  readonly ca: string | undefined;
}

/** What a connection carries: it hears of the exchange, may pause it, and can be ended. */
export interface ExchangeHandler extends Dispatcher.DispatchHandler {
  readonly paused: boolean;
  /** Reads all that is left, however much of it waits for its reader already. */
  drain(): void;
  abort(): void;
}

/** Who lends connections out hears when one is free again or gone. */
interface ConnectionOwner {
  onIdle(connection: Connection): void;
  onClosed(connection: Connection): void;
}

/**
 * One connection that carries one call at a time. It opens its own sockets, so that a call that ends while its
 * connection is still being made takes the half-made socket with it.
 */
export class Connection {
  readonly target: ConnectionTarget;
  readonly #connectionOwner: ConnectionOwner;
  readonly #client: Client;
  #opening: Socket | undefined;
  #exchangeHandler: ExchangeHandler | undefined;
  #gone = false;

  constructor(connectionTarget: ConnectionTarget, connectionOwner: ConnectionOwner) {
    this.target = connectionTarget;
    this.#connectionOwner = connectionOwner;
    // The times are kept by whoever makes the call; undici's own timers tick too coarsely and hang on the origin.
    this.#client = new Client(connectionTarget.origin, {
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (_options, callback) => this.#open(callback),
    });
    this.#client.on("disconnect", () => {
      if (this.#exchangeHandler === undefined) this.destroy();
    });
  }

  /** Sends a request. Everything that follows is told to the load. */
  dispatch(request: Dispatcher.DispatchOptions, exchangeHandler: ExchangeHandler): void {
    this.#exchangeHandler = exchangeHandler;
    this.#client.dispatch(request, exchangeHandler);
  }

  /** The exchange is over and the connection may carry another. */
  release(): void {
    this.#exchangeHandler = undefined;
    if (!this.#gone) this.#connectionOwner.onIdle(this);
  }

  /** Closes the socket at once, whatever it is doing. */
  destroy(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#opening?.destroy();
    void this.#client.destroy();
    this.#connectionOwner.onClosed(this);
  }

  /** Closes the socket at once and tells the call on it, if there is one. */
  abort(): void {
    this.#exchangeHandler?.abort();
    this.destroy();
  }

  #open(callback: buildConnector.Callback): void {
    const { secure } = this.target;
    const socket = secure ? this.#openTls() : this.#openTcp();
    this.#opening = socket;
    let tcpStands = false;
    const onError = (error: Error) => {
      this.#opening = undefined;
      callback(connectFailure(error, tcpStands), null);
    };
    socket.setNoDelay(true);
    socket.once("error", onError);
    socket.once("connect", () => {
      tcpStands = true;
    });
    socket.once(secure ? "secureConnect" : "connect", () => {
      this.#opening = undefined;
      socket.off("error", onError);
      this.#keepFromAssertions(socket);
      callback(null, socket);
    });
  }

  #openTcp(): Socket {
    const { host, port, lookup } = this.target;
    return openTcp({ host, port, lookup, autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS });
  }

  #openTls(): Socket {
    const { host, port, lookup, ca } = this.target;
    const options = {
      host,
      port,
      lookup,
      // Passed on to the TCP connect, though the types of TLS don't know it.
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
      // An address has no server name, and a name is sent without the dot that ends a full one.
      servername: isIP(host) === 0 ? host.replace(/\.$/, "") : "",
      ALPNProtocols: ["http/1.1"],
      ...(ca === undefined ? {} : { ca }),
    };
    return openTls(options);
  }

  /**
   * Where an answer may end with its connection, undici takes the end of the socket for the end of the answer, and
   * trips over its own assertion if reading is paused at that moment. Thrown from an event, that would end the
   * process, and any provider could bring it about. These listeners run before undici's own.
   */
  #keepFromAssertions(socket: Socket): void {
    // Nothing more comes, so there is nothing left to hold back.
    socket.on("end", () => this.#exchangeHandler?.drain());
    // A socket that has failed can't be resumed; under another code undici takes the reset for a plain failure.
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNRESET" && this.#exchangeHandler?.paused === true) error.code = "ECONNABORTED";
    });
  }
}

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
