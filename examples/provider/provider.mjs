// @ts-check
/**
 * A whole provider for Trunkline in one file without dependencies: copy it and put your model in place of `describeText`.
 * Its models are honest toys: a report that counts words, and a picture and a tone made from a hash.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { realpathSync } from "node:fs";
import { createServer } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { pathToFileURL } from "node:url";

/** @typedef {{ max_tokens?: unknown, size?: unknown, format?: unknown }} Parameters */
/** @typedef {{ input: string, parameters: Parameters, streaming: boolean }} Order */
/** @typedef {(input: string, signal: AbortSignal) => AsyncIterable<string>} Generate */
/** @typedef {{ key?: string, maxPerSecond?: number, now?: () => number, generate?: Generate }} ProviderOptions */
/** @typedef {import("node:http").ServerResponse} Response */
/** @typedef {(order: Order, response: Response, signal: AbortSignal) => Promise<object | undefined>} Model Its answer; undefined where it streamed. */

const BODY_BYTES_MAX = 1024 * 1024;
const WORDS_DEFAULT = 256;

/** An answer that is an error: its status is also the `code` in the body. */
class Refusal extends Error {
  /** @param {number} status @param {string} message @param {Record<string, string>} [headers] */
  constructor(status, message, headers = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** @param {string} text */
const hashOf = (text) => createHash("sha256").update(text).digest();

/** @param {string} text */
const wordsOf = (text) => text.match(/\s*\S+/g) ?? [];

/**
 * Reports on the input, word by word. It counts and understands nothing. Your model goes here.
 * @type {Generate}
 */
export async function* describeText(input, signal) {
  const words = input.trim().split(/\s+/);
  const longest = words.reduce((best, word) => (word.length > best.length ? word : best));
  const facts = `Words: ${words.length}. Characters: ${Array.from(input).length}. Longest word: ${longest}.`;
  for (const word of wordsOf(`${facts} Backwards: ${words.toReversed().join(" ")}`)) {
    // Waiting a turn lets the server notice a hang-up; a real model waits for its next token here.
    await nextTurn(undefined, { signal });
    yield word;
  }
}

/** A token of this model is a word. @param {Generate} generate @returns {Model} */
function textModel(generate) {
  return async ({ input, parameters, streaming }, response, signal) => {
    const limit = parameters.max_tokens ?? WORDS_DEFAULT;
    if (typeof limit !== "number" || !Number.isInteger(limit) || limit < 1) {
      throw new Refusal(400, "`parameters.max_tokens` must be a whole number of at least 1.");
    }
    const usage = { input_tokens: wordsOf(input).length, output_tokens: 0 };
    let output = "";
    for await (const word of generate(input, signal)) {
      signal.throwIfAborted();
      output += word;
      usage.output_tokens += 1;
      if (streaming) {
        if (!response.headersSent) response.writeHead(200, { "content-type": "application/x-ndjson" });
        // Waiting for a slow reader keeps memory flat; the signal ends the wait when the reader is gone.
        if (!response.write(`${JSON.stringify({ delta: word })}\n`)) await once(response, "drain", { signal });
      }
      if (usage.output_tokens >= limit) break;
    }
    if (!streaming) return { output, usage };
    response.end(`${JSON.stringify({ done: true, usage })}\n`);
    return undefined;
  };
}

/** Circles whose places and colours come from the input's hash. @type {Model} */
async function answerImage({ input, parameters }) {
  const size = parameters.size ?? "1024x1024";
  const [, width, height] = /^(\d{2,4})x(\d{2,4})$/.exec(typeof size === "string" ? size : "") ?? [];
  if (!width || !height) throw new Refusal(400, "`parameters.size` must look like 1024x1024.");
  const circles = Array.from(hashOf(input), (byte, index) => {
    const [x, y, radius] = [(byte * 7 + index * 13) % 100, (byte * 3 + index * 29) % 100, 3 + (byte % 12)];
    return `<circle cx="${x}" cy="${y}" r="${radius}" fill="hsl(${byte} 70% 55%)" fill-opacity=".6"/>`;
  });
  const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 100 100">`;
  const svg = Buffer.from(`${head}${circles.join("")}</svg>`);
  return { output: { image_url: `data:image/svg+xml;base64,${svg.toString("base64")}` } };
}

/** Half a second of a tone, its pitch from the input's hash. @type {Model} */
async function answerAudio({ input, parameters }) {
  if ((parameters.format ?? "wav") !== "wav") throw new Refusal(400, "`parameters.format` can only be wav.");
  const [rate, samples, pitch] = [8000, 4000, 220 + hashOf(input).readUInt8(0) * 2];
  const header = Buffer.from("RIFF....WAVEfmt ....................data....", "latin1");
  header.writeUInt32LE(36 + samples, 4);
  header.set([16, 0, 0, 0, 1, 0, 1, 0], 16); // The format takes 16 bytes: plain samples, one channel.
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate, 28);
  header.set([1, 0, 8, 0], 32); // One byte a sample, which is 8 bits.
  header.writeUInt32LE(samples, 40);
  const tone = Buffer.from(
    Array.from({ length: samples }, (_, at) => 128 + 100 * Math.sin((2 * Math.PI * pitch * at) / rate)),
  );
  return {
    output: { audio_url: `data:audio/wav;base64,${Buffer.concat([header, tone]).toString("base64")}` },
    usage: { seconds: samples / rate },
  };
}

/** @param {import("node:http").IncomingMessage} request @returns {Promise<Order>} */
async function readOrder(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    // What is over the limit is read and dropped: closing on a sender in mid-sentence would lose our answer.
    if (bytes <= BODY_BYTES_MAX) chunks.push(chunk);
  }
  if (bytes > BODY_BYTES_MAX) throw new Refusal(413, "The body must not be larger than 1 MiB.");
  let body;
  try {
    body = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new Refusal(400, "The body must be valid JSON.");
  }
  const { input, parameters = {}, stream = false } = body ?? {};
  if (typeof input !== "string" || input.trim() === "")
    throw new Refusal(400, "`input` must be a text with a word in it.");
  if (typeof parameters !== "object" || parameters === null) throw new Refusal(400, "`parameters` must be an object.");
  return { input, parameters, streaming: stream === true };
}

/** @param {Response} response @param {number} status @param {object} body @param {Record<string, string>} [headers] */
function sendJson(response, status, body, headers = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

/** The server, not yet listening. Each model has an address of its own, as each is registered with its own endpoint. @param {ProviderOptions} [options] */
export function createProvider({
  key = "demo-key",
  maxPerSecond = Infinity,
  now = Date.now,
  generate = describeText,
} = {}) {
  /** @type {Map<string, Model>} */
  const models = new Map([
    ["/v1/generate", textModel(generate)],
    ["/image/v1/generate", answerImage],
    ["/audio/v1/generate", answerAudio],
  ]);
  const window = { startedAt: 0, requests: 0 };

  const server = createServer(async (request, response) => {
    const started = performance.now();
    const hangUp = new AbortController();
    response.on("close", () => hangUp.abort());
    try {
      const model = models.get((request.url ?? "").split("?")[0] ?? "");
      if (!model) throw new Refusal(404, `There is no model here. Try ${[...models.keys()].join(", ")}.`);
      if (request.method !== "POST") throw new Refusal(405, "Send a POST.", { allow: "POST" });

      const given = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? request.headers["x-api-key"];
      // Hashes have one length, so that the comparison takes as long for every wrong key.
      if (!given || !timingSafeEqual(hashOf(String(given)), hashOf(key)))
        throw new Refusal(401, "This key is not valid.");

      if (now() - window.startedAt >= 1000) Object.assign(window, { startedAt: now(), requests: 0 });
      window.requests += 1;
      if (window.requests > maxPerSecond)
        throw new Refusal(429, "Too many requests. Wait a second.", { "retry-after": "1" });

      const answer = await model(await readOrder(request), response, hangUp.signal);
      if (answer) sendJson(response, 200, { ...answer, latency_ms: Math.round(performance.now() - started) });
    } catch (error) {
      if (hangUp.signal.aborted) return;
      const refusal = error instanceof Refusal ? error : new Refusal(500, "The model failed.");
      const body = { error: { message: refusal.message, code: refusal.status } };
      // In mid-stream the status is long gone, so that the error is the last chunk.
      if (response.headersSent) response.end(`${JSON.stringify(body)}\n`);
      else sendJson(response, refusal.status, body, refusal.headers);
    }
  });
  server.requestTimeout = 30_000;
  return server;
}

if (process.argv[1] && import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href) {
  const {
    PORT = "9100",
    PROVIDER_KEY: key = "demo-key",
    PROVIDER_MAX_PER_SECOND: maxPerSecond = "Infinity",
  } = process.env;
  const server = createProvider({ key, maxPerSecond: Number(maxPerSecond) });
  server.listen(Number(PORT), "127.0.0.1", () => {
    const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
    process.stdout.write(`Listening at http://127.0.0.1:${port}/v1/generate\n`);
  });
}
