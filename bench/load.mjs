// @ts-check
/**
 * The load generator, a process of its own: plain sockets and just enough HTTP, so that it takes little from the
 * processors it shares with what is measured. Every connection has one request under way and sends the next at once.
 * It stops sending when the time or the count is up and waits for what runs, so that it knows exactly how many were sent.
 */
import { once } from "node:events";
import { connect } from "node:net";

/**
 * @typedef {object} LoadOrder
 * @property {number} port
 * @property {string} path
 * @property {string} key
 * @property {string} body
 * @property {number} connections
 * @property {number} forMs
 * @property {number} atMost How many requests, even if there is time left.
 * @property {string} mark What every good answer holds.
 */
/**
 * @typedef {object} LoadResult
 * @property {number} requests
 * @property {number} failures
 * @property {string} firstFailure
 * @property {number} perSecond
 * @property {number} p50Ms
 * @property {number} p99Ms
 * @property {number} firstByteP50Ms
 */

class Line {
  #socket;
  #request;
  #mark;
  #text = "";
  #sentAt = 0;
  #firstByteAt = 0;
  /** @type {((answer: { ms: number, firstByteMs: number, failure: string }) => void) | undefined} */
  #onAnswer;

  /** @param {LoadOrder} order */
  constructor({ port, path, key, body, mark }) {
    const head = [
      `POST ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      `Authorization: Bearer ${key}`,
      "Content-Type: application/json",
      `Content-Length: ${Buffer.byteLength(body)}`,
    ];
    this.#request = Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
    this.#mark = mark;
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true });
    this.#socket.on("data", (piece) => this.#read(piece));
    this.#socket.on("error", (error) => this.#finish(error.message));
    this.#socket.on("close", () => this.#finish("the connection was closed"));
  }

  async open() {
    await once(this.#socket, "connect");
  }

  close() {
    this.#socket.destroy();
  }

  /** @returns {Promise<{ ms: number, firstByteMs: number, failure: string }>} */
  ask() {
    return new Promise((resolve) => {
      this.#onAnswer = resolve;
      this.#text = "";
      this.#sentAt = performance.now();
      this.#socket.write(this.#request);
    });
  }

  /** @param {Buffer} piece */
  #read(piece) {
    if (this.#text === "") this.#firstByteAt = performance.now();
    this.#text += piece.toString("latin1");
    const headEnd = this.#text.indexOf("\r\n\r\n");
    if (headEnd === -1) return;
    const head = this.#text.slice(0, headEnd);
    const length = /^content-length: (\d+)$/im.exec(head)?.[1];
    const isWhole =
      length === undefined
        ? this.#text.endsWith("\r\n0\r\n\r\n")
        : this.#text.length - headEnd - 4 === Number(length);
    if (!isWhole) return;
    const isGood = head.startsWith("HTTP/1.1 200 ") && this.#text.includes(this.#mark, headEnd);
    this.#finish(isGood ? "" : this.#text.slice(0, 600));
  }

  /** @param {string} failure */
  #finish(failure) {
    const ms = performance.now() - this.#sentAt;
    this.#onAnswer?.({ ms, firstByteMs: this.#firstByteAt - this.#sentAt, failure });
    this.#onAnswer = undefined;
  }
}

/** @param {LoadOrder} order @returns {Promise<LoadResult>} */
async function load(order) {
  const lines = Array.from({ length: order.connections }, () => new Line(order));
  await Promise.all(lines.map((line) => line.open()));
  /** @type {number[]} */
  const times = [];
  /** @type {number[]} */
  const firstBytes = [];
  /** @type {string[]} */
  const failures = [];
  let sent = 0;
  const start = performance.now();
  await Promise.all(
    lines.map(async (line) => {
      while (sent < order.atMost && performance.now() - start < order.forMs && failures.length === 0) {
        sent++;
        const { ms, firstByteMs, failure } = await line.ask();
        times.push(ms);
        firstBytes.push(firstByteMs);
        if (failure !== "") failures.push(failure);
      }
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  for (const line of lines) line.close();
  return {
    requests: times.length,
    failures: failures.length,
    firstFailure: failures[0] ?? "",
    perSecond: times.length / seconds,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    firstByteP50Ms: quantile(firstBytes, 0.5),
  };
}

/** @param {number[]} values @param {number} share */
function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

process.on("message", (/** @type {LoadOrder} */ order) => {
  load(order).then(
    (result) => process.send?.(result),
    (error) => {
      process.stderr.write(`The load generator failed: ${error}\n`);
      process.exit(1);
    },
  );
});
// Whoever started it is gone.
process.on("disconnect", () => process.exit());
