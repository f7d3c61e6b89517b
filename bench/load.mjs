// @ts-check
/**
 * The load generator, a process of its own: plain sockets and just enough HTTP, so that it takes little from the
 * processors it shares with what is measured. Every connection has one request under way and sends the next at once.
 * It stops sending when the time or the count is up and waits for what runs, so that it knows exactly how many were sent.
 */
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

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
 * @property {number} [rampMs] Over what time the connections begin, one after the other; all at once where it is not given.
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
 * @property {number} [settleP50Ms] What the charge took, where the answers say so.
 */

/** @typedef {{ ms: number, firstByteMs: number, settleMs: number, failure: string }} Answer */

class Line {
  #socket;
  #request;
  #mark;
  #text = "";
  #sentAt = 0;
  #firstByteAt = 0;
  #settleMs = Number.NaN;
  /** @type {((answer: Answer) => void) | undefined} */
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

  /** @returns {Promise<Answer>} */
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
      length === undefined ? this.#text.endsWith("\r\n0\r\n\r\n") : this.#text.length - headEnd - 4 === Number(length);
    if (!isWhole) return;
    this.#settleMs = Number(/\bsettle;dur=([\d.]+)/.exec(head)?.[1]);
    const isGood = head.startsWith("HTTP/1.1 200 ") && this.#text.includes(this.#mark, headEnd);
    this.#finish(isGood ? "" : this.#text.slice(0, 600));
  }

  /** @param {string} failure */
  #finish(failure) {
    const ms = performance.now() - this.#sentAt;
    const firstByteMs = this.#firstByteAt - this.#sentAt;
    this.#onAnswer?.({ ms, firstByteMs, settleMs: this.#settleMs, failure });
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
  /** @type {number[]} */
  const settles = [];
  /** @type {string[]} */
  const failures = [];
  let sent = 0;
  const start = performance.now();
  await Promise.all(
    lines.map(async (line, index) => {
      if (order.rampMs !== undefined) await wait((order.rampMs * index) / order.connections);
      while (sent < order.atMost && performance.now() - start < order.forMs && failures.length === 0) {
        sent++;
        const { ms, firstByteMs, settleMs, failure } = await line.ask();
        times.push(ms);
        firstBytes.push(firstByteMs);
        if (!Number.isNaN(settleMs)) settles.push(settleMs);
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
    ...(settles.length === 0 ? {} : { settleP50Ms: quantile(settles, 0.5) }),
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
// The process that started this one is gone.
process.on("disconnect", () => process.exit());
