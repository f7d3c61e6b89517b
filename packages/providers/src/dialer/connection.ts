import { isIP, type LookupFunction, connect as openTcp, type Socket } from "node:net";
import { connect as openTls } from "node:tls";
import { type buildConnector, Client, type Dispatcher } from "undici";
import { connectFailure } from "./dial-request.ts";

/** A slow first address must not use up the whole connect time, but distant servers need time to respond. */
const NEXT_ADDRESS_AFTER_MS = 500;

/** The target of a connection: one origin at one level of the address guard. */
export interface ConnectionTarget {
  /** Identifies the target. */
  readonly key: string;
  readonly origin: string;
  readonly secure: boolean;
  /** A name, or an address that the guard accepted. */
  readonly host: string;
  readonly port: number;
  readonly lookup: LookupFunction;
  /** Trusted in place of the system's certificate authorities. */
  readonly ca: string | undefined;
}

/** Handles one exchange on a connection: receives its events, may pause it, and can be aborted. */
export interface ExchangeHandler extends Dispatcher.DispatchHandler {
  readonly paused: boolean;
  /** Reads everything that is left, however much is buffered for the reader. */
  drain(): void;
  abort(): void;
}

/** Notified when a connection is free again or gone. */
interface ConnectionOwner {
  onIdle(connection: Connection): void;
  onClosed(connection: Connection): void;
}

/**
 * One connection that carries one call at a time. It opens its own sockets, so that aborting a call also closes a
 * socket that is still connecting.
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
    // The caller enforces the timeouts: undici's own timers are too coarse and belong to the origin.
    this.#client = new Client(connectionTarget.origin, {
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (_options, callback) => this.#open(callback),
    });
    this.#client.on("disconnect", () => {
      if (this.#exchangeHandler === undefined) this.destroy();
    });
  }

  /** Sends a request. All further events go to the exchange handler. */
  dispatch(request: Dispatcher.DispatchOptions, exchangeHandler: ExchangeHandler): void {
    this.#exchangeHandler = exchangeHandler;
    this.#client.dispatch(request, exchangeHandler);
  }

  /** Marks the exchange as finished: the connection may carry another. */
  release(): void {
    this.#exchangeHandler = undefined;
    if (!this.#gone) this.#connectionOwner.onIdle(this);
  }

  /** Closes the socket at once. */
  destroy(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#opening?.destroy();
    void this.#client.destroy();
    this.#connectionOwner.onClosed(this);
  }

  /** Closes the socket at once and fails the call on it, if there is one. */
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
      // Passed on to the TCP connect, although the TLS types do not declare it.
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
      // An IP address has no server name, and a name is sent without its trailing dot.
      servername: isIP(host) === 0 ? host.replace(/\.$/, "") : "",
      ALPNProtocols: ["http/1.1"],
      ...(ca === undefined ? {} : { ca }),
    };
    return openTls(options);
  }

  /**
   * Where an answer may end with its connection, undici takes the end of the socket for the end of the answer, and
   * fails its own assertion if reading is paused at that moment. Thrown from an event, that would end the process, and
   * any provider could cause it. These listeners run before undici's own.
   */
  #keepFromAssertions(socket: Socket): void {
    // No more data comes, so there is no reason to pause.
    socket.on("end", () => this.#exchangeHandler?.drain());
    // A socket that has failed can't be resumed; with another code undici treats the reset as a plain failure.
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNRESET" && this.#exchangeHandler?.paused === true) error.code = "ECONNABORTED";
    });
  }
}

/**
 * Keeps connections for the next call to the same target. undici and the other side decide how long a free one lives.
 */
export class ConnectionPool implements ConnectionOwner {
  readonly #connections = new Set<Connection>();
  readonly #freeByTarget = new Map<string, Connection[]>();

  acquire(connectionTarget: ConnectionTarget): Connection {
    // The most recently used one is the least likely to be closed by the other side right now.
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

  /** Closes every connection and aborts the calls on them. */
  close(): void {
    for (const connection of [...this.#connections]) connection.abort();
  }
}
