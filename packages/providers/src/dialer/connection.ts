import { isIP, type LookupFunction, type OnReadOpts, connect as openTcp, type Socket } from "node:net";
import { connect as openTls } from "node:tls";
import { type HeldWrite, writeAfterReads, writeInTurn } from "@trunkline/core/write-together.ts";
import { connectFailure, type DialFailure, exchangeFailure } from "./dial-request.ts";
import type { HttpExchange, RequestMessage } from "./http-exchange.ts";
import { InvalidResponse, ResponseParser } from "./response-parser.ts";

/** A slow first address must not use up the whole connect time, but distant servers need time to respond. */
const NEXT_ADDRESS_AFTER_MS = 500;

/** The target of a connection: one origin at one level of the address guard. */
export interface ConnectionTarget {
  /** Identifies the target. */
  readonly key: string;
  readonly secure: boolean;
  /** A name, or an address that the guard accepted. */
  readonly host: string;
  readonly port: number;
  readonly lookup: LookupFunction;
  /** What TLS with this host needs beside the system's certificate authorities; undefined: nothing. */
  readonly tlsTerms: () => OutboundTls | undefined;
}

/** What the operator says of TLS with a host. */
export interface OutboundTls {
  /** Trusted in place of the system's certificate authorities, in PEM form. */
  readonly ca?: string;
  /** The certificate that the service shows, and its key, in PEM form. */
  readonly cert?: string;
  readonly key?: string;
}

/** How long a free connection is kept where the other side does not say how long it keeps it. */
const KEEP_MS = 4_000;
/** The longest that a free connection is kept, whatever the other side says. */
const KEEP_MS_MAX = 600_000;
/** How much earlier than the other side a free connection is closed, so that no request meets it closing. */
const KEEP_MARGIN_MS = 1_000;
const SWEEP_MS = 500;
/** Only a connection that was idle this long may have been closed by the other side for that. */
const IDLE_MS_MIN = 250;
/** If it then ends this soon after a request was written, it was closed before the request came there. */
const STALE_MS_MAX = 1_000;

/** What a socket reads goes here first. On Windows a read is under way before its data comes, so none is shared. */
const READ_BYTES = 64 * 1024;
/** A read of this size means that more is there: as much as TLS passes on at once. */
const FLOOD_BYTES = 16 * 1024;
const sharedReadBuffer = process.platform === "win32" ? undefined : Buffer.allocUnsafeSlow(READ_BYTES);

/** Notified when a connection is free again or gone. */
interface ConnectionOwner {
  onIdle(connection: Connection): void;
  onClosed(connection: Connection): void;
  /** Sends the request of an exchange again, on a new connection. */
  resend(connectionTarget: ConnectionTarget, exchange: HttpExchange): void;
}

/**
 * One connection that carries one exchange at a time. A request that meets a kept connection closing, or with bytes that
 * nobody asked for, is sent once more on a new one: nothing of its response has come, and the other side has read nothing.
 */
export class Connection implements HeldWrite {
  readonly target: ConnectionTarget;
  /** Until when it may be used again, once it is free. */
  keptUntil = 0;
  readonly #connectionOwner: ConnectionOwner;
  readonly #parser = new ResponseParser();
  #socket: Socket | undefined;
  #exchange: HttpExchange | undefined;
  #isConnected = false;
  #isGone = false;
  /** When its last exchange was completed; undefined: it has had none. */
  #idleSince: number | undefined;
  #sentAt = 0;
  /** The request that waits to be written together with others. */
  #unsent: RequestMessage | undefined;

  constructor(connectionTarget: ConnectionTarget, connectionOwner: ConnectionOwner) {
    this.target = connectionTarget;
    this.#connectionOwner = connectionOwner;
  }

  /** Sends the request of an exchange. All further events go to it. */
  send(exchange: HttpExchange): void {
    this.#exchange = exchange;
    this.#parser.start(exchange);
    exchange.connected(this);
    if (this.#isConnected) this.#write(exchange);
    else this.#open();
  }

  /** Reads on, after the exchange was paused. */
  resume(): void {
    this.#socket?.resume();
  }

  /** Marks the exchange as finished: the connection may carry another. */
  release(): void {
    this.#exchange = undefined;
    const socket = this.#socket;
    // A response may come before its request was read, which would then be in the way of the next one.
    const isSent = this.#unsent === undefined && socket?.writableLength === 0;
    const isFree = this.#parser.keepsAlive && socket?.writable === true && isSent;
    const { keepAliveSeconds } = this.#parser;
    const keepMs =
      keepAliveSeconds === undefined ? KEEP_MS : Math.min(keepAliveSeconds * 1_000 - KEEP_MARGIN_MS, KEEP_MS_MAX);
    if (!isFree || this.#isGone || keepMs <= 0) {
      this.destroy();
      return;
    }
    this.#idleSince = performance.now();
    this.keptUntil = this.#idleSince + keepMs;
    this.#connectionOwner.onIdle(this);
  }

  /** Closes the socket at once. */
  destroy(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#exchange = undefined;
    this.#socket?.destroy();
    this.#connectionOwner.onClosed(this);
  }

  /** Closes the socket at once and fails the exchange on it, if there is one. */
  abort(): void {
    this.#exchange?.abort();
    this.destroy();
  }

  #write(exchange: HttpExchange): void {
    this.#sentAt = performance.now();
    this.#unsent = exchange.message;
    // On a kept connection bytes may have come that nobody asked for: they must not be read as the answer.
    if (this.#idleSince === undefined) writeInTurn(this);
    else writeAfterReads(this);
    exchange.sent();
  }

  /** Sends the request that waits. */
  writeNow(): void {
    const socket = this.#socket;
    // The exchange may have been ended meanwhile, and its connection with it.
    if (socket === undefined || this.#exchange === undefined || this.#unsent === undefined) return;
    const { head, body, isAscii } = this.#unsent;
    this.#unsent = undefined;
    if (typeof body === "string") socket.write(head + body, isAscii ? "latin1" : "utf8");
    else {
      socket.cork();
      socket.write(head, "latin1");
      socket.write(body);
      socket.uncork();
    }
  }

  /** Reads what came. Returns false to pause. */
  #read(bytes: Buffer): boolean {
    const exchange = this.#exchange;
    if (exchange === undefined) {
      // Nothing was asked for.
      this.destroy();
      return false;
    }
    if (this.#unsent !== undefined) {
      this.#fail(exchangeFailure(new InvalidResponse("it came before its request was sent")));
      return false;
    }
    try {
      this.#parser.push(bytes);
    } catch (error) {
      this.#fail(exchangeFailure(error));
    }
    if (exchange.isPaused && !exchange.isOver) return false;
    if (bytes.length < FLOOD_BYTES) return true;
    // Node would read on at once, and everything else would wait for this connection.
    setImmediate(() => {
      if (this.#exchange?.isPaused !== true) this.resume();
    });
    return false;
  }

  #open(): void {
    const { secure } = this.target;
    const buffer = sharedReadBuffer ?? Buffer.allocUnsafeSlow(READ_BYTES);
    const onread = {
      buffer,
      callback: (length: number) => this.#read(buffer.subarray(0, length)),
    };
    const socket = openSocket(this.target, onread);
    this.#socket = socket;
    let hasTcp = false;
    socket.setNoDelay(true);
    socket.on("error", (error) => {
      this.#fail(this.#isConnected ? exchangeFailure(error) : connectFailure(error, hasTcp));
    });
    socket.on("end", () => {
      if (!this.#parser.close()) this.#fail(exchangeFailure(undefined));
      this.destroy();
    });
    socket.on("close", () => this.#fail(exchangeFailure(undefined)));
    socket.once("connect", () => {
      hasTcp = true;
    });
    socket.once(secure ? "secureConnect" : "connect", () => {
      this.#isConnected = true;
      // The timer that watches exchanges keeps the process running, free connections do not.
      socket.unref();
      if (this.#exchange !== undefined) this.#write(this.#exchange);
    });
  }

  #fail(failure: DialFailure): void {
    if (this.#isGone) return;
    const exchange = this.#exchange;
    const isStale =
      this.#idleSince !== undefined &&
      (this.#unsent !== undefined ||
        (this.#parser.isUntouched &&
          this.#sentAt - this.#idleSince >= IDLE_MS_MIN &&
          performance.now() - this.#sentAt < STALE_MS_MAX));
    this.destroy();
    if (exchange === undefined || exchange.isOver) return;
    if (isStale) this.#connectionOwner.resend(this.target, exchange);
    else exchange.onError(failure);
  }
}

/** Opens a socket to a target through the guard's lookup. What it reads goes to `onread`, where that is given. */
export function openSocket({ secure, host, port, lookup, tlsTerms }: ConnectionTarget, onread?: OnReadOpts): Socket {
  const options = {
    host,
    port,
    lookup,
    // Passed on to the TCP socket, although the TLS types do not declare them.
    ...(onread === undefined ? {} : { onread }),
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
  };
  if (!secure) return openTcp(options);
  return openTls({
    ...options,
    // An IP address has no server name, and a name is sent without its trailing dot.
    servername: isIP(host) === 0 ? host.replace(/\.$/, "") : "",
    ALPNProtocols: ["http/1.1"],
    ...tlsTerms(),
  });
}

/** Keeps connections for the next exchange with the same target. */
export class ConnectionPool implements ConnectionOwner {
  readonly #connections = new Set<Connection>();
  readonly #freeByTarget = new Map<string, Connection[]>();
  #sweep: NodeJS.Timeout | undefined;

  /** A connection for one exchange: a free one, or a new one. */
  acquire(connectionTarget: ConnectionTarget): Connection {
    // The most recently used one is the least likely to be closed by the other side right now.
    const free = this.#freeByTarget.get(connectionTarget.key)?.pop();
    if (free === undefined) return this.#create(connectionTarget);
    if (performance.now() < free.keptUntil) return free;
    free.destroy();
    return this.acquire(connectionTarget);
  }

  onIdle(connection: Connection): void {
    const free = this.#freeByTarget.get(connection.target.key);
    if (free === undefined) this.#freeByTarget.set(connection.target.key, [connection]);
    else free.push(connection);
    this.#sweep ??= setInterval(() => this.#closeExpired(), SWEEP_MS).unref();
  }

  onClosed(connection: Connection): void {
    this.#connections.delete(connection);
    const { key } = connection.target;
    const free = this.#freeByTarget.get(key);
    if (free === undefined) return;
    const place = free.indexOf(connection);
    if (place !== -1) free.splice(place, 1);
    if (free.length === 0) this.#freeByTarget.delete(key);
  }

  resend(connectionTarget: ConnectionTarget, exchange: HttpExchange): void {
    this.#create(connectionTarget).send(exchange);
  }

  /** Closes every connection and aborts the exchanges on them. */
  close(): void {
    for (const connection of [...this.#connections]) connection.abort();
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }

  #create(connectionTarget: ConnectionTarget): Connection {
    const connection = new Connection(connectionTarget, this);
    this.#connections.add(connection);
    return connection;
  }

  #closeExpired(): void {
    const now = performance.now();
    let kept = 0;
    for (const free of [...this.#freeByTarget.values()]) {
      for (const connection of [...free]) if (connection.keptUntil <= now) connection.destroy();
      kept += free.length;
    }
    if (kept > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }
}
