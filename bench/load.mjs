// @ts-check
/**
 * The load generator, a process of its own: plain sockets and just enough HTTP, so that it takes little from the
 * processors it shares with what is measured. A connection has one request under way. Without a rate it sends the next
 * at once; with one, requests come at that rate and wait for a free connection, and their wait counts.
 * It stops sending when the time or the count is up and waits for what runs, so that it knows exactly how many were sent.
 */
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { quantile } from "./statistics.mjs";
import { chatBodies } from "./traffic.mjs";

/**
 * @typedef {object} LoadOrder
 * @property {number} port
 * @property {string} path
 * @property {string} key
 * @property {readonly string[]} [keys] Other keys, which the requests have in turn.
 * @property {string} [body] The same for every request.
 * @property {import("./traffic.mjs").ChatOrder} [chat] Or texts that vary, in OpenAI's format.
 * @property {Readonly<Record<string, string>>} [headers]
 * @property {number} connections
 * @property {number} forMs
 * @property {number} atMost How many requests, even if there is time left.
 * @property {string} mark What every good answer holds.
 * @property {number} [rampMs] Over what time the connections begin, one after the other; all at once where it is not given.
 * @property {number} [perSecond] How many requests come in a second; as fast as it goes where it is not given.
 */
/**
 * @typedef {object} LoadResult
 * @property {number} requests
 * @property {number} failures
 * @property {string} firstFailure
 * @property {number} perSecond
 * @property {number} p50Ms Of all requests but the first of each connection.
 * @property {number} p99Ms
 * @property {number} firstRequestP50Ms Of the first requests of the connections.
 * @property {number} firstRequestP99Ms
 * @property {number} firstByteP50Ms
 * @property {number} [settleP50Ms] What the charge took, where the answers say so.
 * @property {number} [apartP50Ms] Of all requests but the first of each connection, what they took without the charge.
 * @property {number} [apartP99Ms]
 */

/** @typedef {{ ms: number, firstByteMs: number, settleMs: number, failure: string }} Answer */

class Line {
  #socket;
  #mark;
  /** @type {Buffer[]} */
  #pieces = [];
  #size = 0;
  /** How large the answer is, once its head is there; 0: unknown, it ends with an empty chunk. */
  #expected = -1;
  #sentAt = 0;
  #firstByteAt = 0;
  /** @type {((answer: Answer) => void) | undefined} */
  #onAnswer;
  isFirst = true;

  /** @param {LoadOrder} order */
  constructor({ port, mark }) {
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

  /** @param {Buffer} request @param {number} [since] When the request came, where it had to wait. @returns {Promise<Answer>} */
  ask(request, since = performance.now()) {
    return new Promise((resolve) => {
      this.#onAnswer = resolve;
      this.#pieces = [];
      this.#size = 0;
      this.#expected = -1;
      this.#sentAt = since;
      this.#socket.write(request);
    });
  }

  /** @param {Buffer} piece */
  #read(piece) {
    if (this.#size === 0) this.#firstByteAt = performance.now();
    this.#pieces.push(piece);
    this.#size += piece.length;
    if (this.#expected === -1) {
      const start = Buffer.concat(this.#pieces);
      const headEnd = start.indexOf("\r\n\r\n");
      if (headEnd === -1) return;
      const length = /^content-length: (\d+)$/im.exec(start.toString("latin1", 0, headEnd))?.[1];
      this.#expected = length === undefined ? 0 : headEnd + 4 + Number(length);
    }
    if (this.#expected === 0 ? !this.#endsWithEmptyChunk(piece) : this.#size < this.#expected) return;
    const text = Buffer.concat(this.#pieces).toString("latin1");
    const isGood = text.startsWith("HTTP/1.1 200 ") && text.includes(this.#mark);
    this.#finish(isGood ? "" : text.slice(0, 600), Number(/\bsettle;dur=([\d.]+)/.exec(text)?.[1]));
  }

  /** @param {Buffer} piece */
  #endsWithEmptyChunk(piece) {
    const end = piece.length >= 5 ? piece.subarray(-5) : Buffer.concat(this.#pieces.slice(-5)).subarray(-5);
    return end.equals(EMPTY_CHUNK);
  }

  /** @param {string} failure @param {number} [settleMs] */
  #finish(failure, settleMs = Number.NaN) {
    const ms = performance.now() - this.#sentAt;
    const firstByteMs = this.#firstByteAt - this.#sentAt;
    this.#onAnswer?.({ ms, firstByteMs, settleMs, failure });
    this.#onAnswer = undefined;
  }
}

const EMPTY_CHUNK = Buffer.from("0\r\n\r\n");

/** The requests of an order, which are sent in turn. @param {LoadOrder} order @returns {Buffer[]} */
function requestsOf({ port, path, key, keys = [key], body, chat, headers = {} }) {
  const bodies = chat === undefined ? [body ?? ""] : chatBodies(chat);
  return bodies.map((text, index) => {
    const head = [
      `POST ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      `Authorization: Bearer ${keys[index % keys.length]}`,
      "Content-Type: application/json",
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      `Content-Length: ${Buffer.byteLength(text)}`,
    ];
    return Buffer.from(`${head.join("\r\n")}\r\n\r\n${text}`);
  });
}

class Tally {
  /** @type {number[]} */
  times = [];
  /** @type {number[]} */
  firstTimes = [];
  /** @type {number[]} */
  firstBytes = [];
  /** @type {number[]} */
  settles = [];
  /** @type {number[]} */
  apart = [];
  /** @type {string[]} */
  failures = [];
  #startedAt = performance.now();

  /** @param {Line} line @param {Answer} answer */
  add(line, { ms, firstByteMs, settleMs, failure }) {
    if (line.isFirst) this.firstTimes.push(ms);
    else {
      this.times.push(ms);
      this.firstBytes.push(firstByteMs);
      if (!Number.isNaN(settleMs)) this.apart.push(ms - settleMs);
    }
    line.isFirst = false;
    if (!Number.isNaN(settleMs)) this.settles.push(settleMs);
    if (failure !== "") this.failures.push(failure);
  }

  /** @returns {LoadResult} */
  result() {
    const requests = this.times.length + this.firstTimes.length;
    // Where every connection has sent but one request, there are no others.
    const times = this.times.length > 0 ? this.times : this.firstTimes;
    return {
      requests,
      failures: this.failures.length,
      firstFailure: this.failures[0] ?? "",
      perSecond: requests / ((performance.now() - this.#startedAt) / 1000),
      p50Ms: quantile(times, 0.5),
      p99Ms: quantile(times, 0.99),
      firstRequestP50Ms: quantile(this.firstTimes, 0.5),
      firstRequestP99Ms: quantile(this.firstTimes, 0.99),
      firstByteP50Ms: quantile(this.firstBytes, 0.5),
      ...(this.settles.length === 0 ? {} : { settleP50Ms: quantile(this.settles, 0.5) }),
      ...(this.apart.length === 0
        ? {}
        : { apartP50Ms: quantile(this.apart, 0.5), apartP99Ms: quantile(this.apart, 0.99) }),
    };
  }
}

/** @param {LoadOrder} order @returns {Promise<LoadResult>} */
async function load(order) {
  const requests = requestsOf(order);
  const lines = Array.from({ length: order.connections }, () => new Line(order));
  await Promise.all(lines.map((line) => line.open()));
  const tally = new Tally();
  if (order.perSecond === undefined) await sendAtOnce(order, requests, lines, tally);
  else await sendAtRate(order, order.perSecond, requests, lines, tally);
  for (const line of lines) line.close();
  return tally.result();
}

/** @param {LoadOrder} order @param {readonly Buffer[]} requests @param {readonly Line[]} lines @param {Tally} tally */
async function sendAtOnce(order, requests, lines, tally) {
  let sent = 0;
  const start = performance.now();
  await Promise.all(
    lines.map(async (line, index) => {
      if (order.rampMs !== undefined) await wait((order.rampMs * index) / order.connections);
      while (sent < order.atMost && performance.now() - start < order.forMs && tally.failures.length === 0) {
        tally.add(line, await line.ask(requests[sent++ % requests.length] ?? requests[0] ?? Buffer.alloc(0)));
      }
    }),
  );
}

/** @param {LoadOrder} order @param {number} perSecond @param {readonly Buffer[]} requests @param {readonly Line[]} lines @param {Tally} tally */
async function sendAtRate(order, perSecond, requests, lines, tally) {
  const free = [...lines];
  /** When requests came for which no connection was free. @type {number[]} */
  const waiting = [];
  let sent = 0;
  let running = 0;
  /** @param {Line} line @param {number} since */
  const send = async (line, since) => {
    running++;
    tally.add(line, await line.ask(requests[sent++ % requests.length] ?? Buffer.alloc(0), since));
    running--;
    const next = waiting.shift();
    if (next === undefined || tally.failures.length > 0) free.push(line);
    else void send(line, next);
  };
  const start = performance.now();
  for (let due = 0; performance.now() - start < order.forMs && tally.failures.length === 0; ) {
    const now = performance.now();
    for (; due < ((now - start) / 1000) * perSecond && due < order.atMost; due++) {
      // The one that has rested longest, so that none is left out.
      const line = free.shift();
      if (line === undefined) waiting.push(now);
      else void send(line, now);
    }
    await wait(1);
  }
  while (running > 0) await wait(5);
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
