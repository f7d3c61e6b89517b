import { connect, type Socket } from "node:net";

/** An answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape and assert what they find.
  readonly json: any;
}

/** A client that says on a socket exactly what a test tells it to, however wrong. */
export class RawConnection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #ended = false;
  #wake: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    const end = () => {
      this.#ended = true;
      this.#wake();
    };
    // A reset is an end like any other here: what came before it is what counts.
    socket.on("error", end).on("end", end).on("close", end);
  }

  static async open(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port) });
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve).once("error", reject);
    });
    return new RawConnection(socket);
  }

  send(text: string | Buffer): void {
    this.#socket.write(text);
  }

  /** Closes with a reset, as a client that was killed. */
  reset(): void {
    this.#socket.resetAndDestroy();
  }

  /** Closes in order, as a client that has enough. */
  hangUp(): void {
    this.#socket.destroy();
  }

  /** Reads no more, as a client that hangs. */
  pause(): void {
    this.#socket.pause();
  }

  /** Reads on. */
  resume(): void {
    this.#socket.resume();
  }

  /** Everything that has come so far and was not taken as an answer yet. */
  get received(): string {
    return this.#received.toString();
  }

  /** How many bytes that is. */
  get receivedBytes(): number {
    return this.#received.length;
  }

  /** Resolves when the other side has closed. */
  async closed(): Promise<void> {
    while (!this.#ended) await this.#changed();
  }

  /** Resolves once this text has come. */
  async receives(text: string): Promise<void> {
    while (!this.received.includes(text)) {
      if (this.#ended) throw new Error(`The connection ended before "${text}" came: ${this.received}`);
      await this.#changed();
    }
  }

  /** The next whole answer on this connection. */
  async answer(): Promise<RawAnswer> {
    for (;;) {
      const taken = takeAnswer(this.#received);
      if (taken !== undefined) {
        this.#received = taken.rest;
        return taken.answer;
      }
      if (this.#ended) throw new Error(`The connection ended without an answer: ${this.received}`);
      await this.#changed();
    }
  }

  #changed(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

/** The lines of a request's head, each ended as HTTP has it. */
export function head(...lines: readonly string[]): string {
  return `${lines.join("\r\n")}\r\n\r\n`;
}

function takeAnswer(received: Buffer): { answer: RawAnswer; rest: Buffer } | undefined {
  const headEnd = received.indexOf("\r\n\r\n");
  if (headEnd === -1) return undefined;
  const [statusLine = "", ...lines] = received.subarray(0, headEnd).toString("latin1").split("\r\n");
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
  const body =
    headers.get("transfer-encoding") === "chunked"
      ? takeChunks(received, headEnd + 4)
      : takeLength(received, headEnd + 4, Number(headers.get("content-length") ?? 0));
  if (body === undefined) return undefined;
  const text = body.bytes.toString();
  const answer = { status: Number(statusLine.split(" ")[1]), headers, text, json: parse(text) };
  return { answer, rest: received.subarray(body.end) };
}

function takeLength(received: Buffer, start: number, length: number) {
  if (received.length < start + length) return undefined;
  return { bytes: received.subarray(start, start + length), end: start + length };
}

function takeChunks(received: Buffer, start: number) {
  const chunks: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = received.indexOf("\r\n", at);
    if (lineEnd === -1) return undefined;
    const length = Number.parseInt(received.subarray(at, lineEnd).toString(), 16);
    const chunk = takeLength(received, lineEnd + 2, length + 2);
    if (chunk === undefined) return undefined;
    if (length === 0) return { bytes: Buffer.concat(chunks), end: chunk.end };
    chunks.push(chunk.bytes.subarray(0, length));
    at = chunk.end;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not every answer is JSON; a test that expects JSON fails on the undefined.
    return undefined;
  }
}
