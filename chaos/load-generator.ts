import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** How one request ended, and after how long. */
export interface Sample {
  /** 0 where the connection broke. */
  readonly status: number;
  readonly ms: number;
  /** Whether it was its connection's first one, which waits until the connection is accepted. */
  readonly isFirst: boolean;
}

export interface LoadTarget {
  readonly url: string;
  readonly key: string;
  readonly body: unknown;
}

const CONNECTIONS_MAX = 2_000;
const TICK_MS = 2;
/** Clients that send at a rate have connected before: enough connections for answers that take this long, and no more at once. */
const PREPARED_SECONDS = 0.2;
const CONNECT_AT_ONCE = 10;

/**
 * Sends one request again and again over kept connections. Written on bare sockets, as it shares the machine with the
 * service that it loads: a client of `node:http` would take as much of a processor as the service does.
 */
export class LoadGenerator {
  readonly samples: Sample[] = [];
  readonly #host: string;
  readonly #port: number;
  readonly #requests: readonly Buffer[];
  readonly #idle: LoadConnection[] = [];
  readonly #all = new Set<LoadConnection>();
  #sent = 0;
  #open = 0;

  /** With several targets, which differ in their keys alone, each is asked in turn. */
  constructor(targets: readonly LoadTarget[]) {
    const { hostname, port } = new URL(targets[0]?.url ?? "");
    this.#host = hostname;
    this.#port = Number(port);
    this.#requests = targets.map(({ key, body }) => requestBytes(hostname, key, body));
  }

  /** Sends at a steady rate, whatever comes back. */
  async sendAtRate(perSecond: number, seconds: number): Promise<void> {
    await this.#prepare(Math.min(CONNECTIONS_MAX, Math.ceil(perSecond * PREPARED_SECONDS)));
    const startedAt = performance.now();
    let sent = 0;
    for (;;) {
      const elapsedMs = performance.now() - startedAt;
      if (elapsedMs >= seconds * 1000) break;
      const due = Math.floor((elapsedMs * perSecond) / 1000);
      for (; sent < due; sent++) this.#send();
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    }
    await this.#settled();
  }

  /** Keeps a number of requests under way. */
  async sendAtOnce(clients: number, seconds: number): Promise<void> {
    const endsAt = performance.now() + seconds * 1000;
    const sendNext = () => {
      if (performance.now() < endsAt) this.#send(sendNext);
    };
    for (let client = 0; client < clients; client++) sendNext();
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    await this.#settled();
  }

  close(): void {
    for (const connection of this.#all) connection.close();
  }

  #send(whenDone?: () => void): void {
    const connection = this.#idle.pop() ?? (this.#all.size < CONNECTIONS_MAX ? this.#connect() : undefined);
    const bytes = this.#requests[this.#sent++ % this.#requests.length];
    // A client without a connection left has its request refused by itself.
    if (connection === undefined || bytes === undefined) return;
    this.#open += 1;
    const startedAt = performance.now();
    const isFirst = connection.isNew;
    connection.isNew = false;
    connection.send(bytes, (status, isKept) => {
      this.#open -= 1;
      this.samples.push({ status, ms: performance.now() - startedAt, isFirst });
      if (isKept) this.#idle.push(connection);
      else this.#all.delete(connection);
      whenDone?.();
    });
  }

  async #prepare(count: number): Promise<void> {
    while (this.#all.size < count) {
      const some = Array.from({ length: Math.min(CONNECT_AT_ONCE, count - this.#all.size) }, () => this.#connect());
      await Promise.all(some.map((connection) => connection.whenConnected()));
      this.#idle.push(...some);
    }
    // A connection is accepted some time after it is made.
    await new Promise((resolve) => setTimeout(resolve, 500));
  }

  #connect(): LoadConnection {
    const connection = new LoadConnection(connect(this.#port, this.#host));
    this.#all.add(connection);
    return connection;
  }

  async #settled(): Promise<void> {
    for (let waitedMs = 0; this.#open > 0 && waitedMs < 60_000; waitedMs += 20)
      await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

class LoadConnection {
  /** Whether it was made with a request at hand and that one is still to be sent. */
  isNew = true;
  readonly #socket: Socket;
  #received = "";
  #onEnd: ((status: number, isKept: boolean) => void) | undefined;

  constructor(socket: Socket) {
    this.#socket = socket.setNoDelay(true).setEncoding("latin1");
    socket.on("data", (text: string) => this.#read(text));
    socket.on("error", () => undefined);
    socket.on("close", () => this.#end(0, false));
  }

  async whenConnected(): Promise<void> {
    await once(this.#socket, "connect");
    this.isNew = false;
  }

  send(bytes: Buffer, onEnd: (status: number, isKept: boolean) => void): void {
    this.#onEnd = onEnd;
    this.#socket.write(bytes);
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(text: string): void {
    this.#received += text;
    const head = this.#received.indexOf("\r\n\r\n");
    if (head === -1) return;
    const length = /content-length: (\d+)/i.exec(this.#received.slice(0, head))?.[1];
    if (length === undefined || this.#received.length < head + 4 + Number(length)) return;
    const status = Number(this.#received.slice(9, 12));
    const isKept = !/connection: close/i.test(this.#received.slice(0, head));
    this.#received = "";
    this.#end(status, isKept);
  }

  #end(status: number, isKept: boolean): void {
    const onEnd = this.#onEnd;
    this.#onEnd = undefined;
    onEnd?.(status, isKept);
  }
}

function requestBytes(host: string, key: string, body: unknown): Buffer {
  const text = JSON.stringify(body);
  return Buffer.from(
    `POST /v1/ai/request HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}

/** A quantile of times in milliseconds; 0 of none. */
export function quantileMs(samples: readonly Sample[], quantile: number): number {
  const sorted = samples.map(({ ms }) => ms).toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * quantile))] ?? 0;
}

/** What the provider is asked for by every request of a load. */
export function loadBody(pauseMs: number) {
  const parameters = { ticket: "load", words: 20, pause_ms: pauseMs, usage: true };
  return { task: "chat", input: "A few words about rivers, please.", model: "steady", parameters };
}
