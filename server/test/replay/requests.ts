import { createSeededRandom, pickRandom, type Random } from "@trunkline/core/random.ts";
import { writeAsk } from "./asks.ts";
import { spoil } from "./bad-input.ts";
import { type ClientFormat, type ClientRequest, encodeAsk } from "./client-formats.ts";
import type { CallerName } from "./setting.ts";

/** One request of the replay. */
export interface ReplayRequest extends ClientRequest {
  /** What it is about, in words. */
  readonly label: string;
  readonly caller: CallerName;
  /** What chance draws while it is served. */
  readonly draw: number;
  /** The score that the client gives to the answer. */
  readonly feedback: number | undefined;
}

/** How often each format is used. */
export type FormatMix = readonly (readonly [format: ClientFormat, count: number])[];

/** The formats in which one address gives whole answers and streams. */
const STREAMABLE: ReadonlySet<ClientFormat> = new Set(["chat", "completions", "responses", "messages", "gemini"]);

const SPOILED = 0.12;
const REPEATED = 0.12;
/** How far back a repeated request may be. */
const REPEATED_WITHIN = 25;

/** The requests of one part of the replay: the same ones at every call. */
export function writeRequests(name: string, mix: FormatMix): ReplayRequest[] {
  const formats = shuffle(
    mix.flatMap(([format, count]) => Array.from({ length: count }, () => format)),
    createSeededRandom(`${name} order`),
  );
  const requests: ReplayRequest[] = [];
  for (const [place, format] of formats.entries()) {
    const random = createSeededRandom(`${name} ${place}`);
    const earlier = pickEarlier(requests, random);
    requests.push(earlier === undefined ? write(format, random, place) : repeat(earlier, random));
  }
  return requests;
}

/** A request to repeat, mostly one whose answer is stored; undefined: none. */
function pickEarlier(requests: readonly ReplayRequest[], random: Random): ReplayRequest | undefined {
  const earlier = requests.slice(-REPEATED_WITHIN).filter(({ label }) => !label.includes("again"));
  const stored = earlier.filter(({ label }) => /cache|idempotent/.test(label));
  const [first, ...others] = stored.length > 0 && random() < 0.6 ? stored : earlier;
  return first === undefined || random() >= REPEATED ? undefined : pickRandom(random, [first, ...others]);
}

function write(format: ClientFormat, random: Random, place: number): ReplayRequest {
  const ask = writeAsk(random, place);
  const plain = encodeAsk(format, ask);
  const spoiled = random() < SPOILED ? spoil(plain, random) : undefined;
  const way = ask.streaming && STREAMABLE.has(format) ? " streamed" : "";
  return {
    ...(spoiled?.request ?? plain),
    label: `${format}${way} ${ask.words.join(" ")}${spoiled === undefined ? "" : ` bad=${spoiled.how}`}`,
    caller: ask.caller,
    // A single model is tried again after a random time, and that time is real.
    draw: ask.model === undefined || ask.model === "shared" ? pickRandom(random, [0, 0.01, 0.2, 0.45, 0.7, 0.99]) : 0,
    feedback: random() < 0.04 ? pickRandom(random, [-1, 1, 0.5]) : undefined,
  };
}

/** A request that was sent before: the same once more, in nearly the same words, or another one under its idempotency key. */
function repeat(request: ReplayRequest, random: Random): ReplayRequest {
  const isIdempotent = request.headers["idempotency-key"] !== undefined;
  if (isIdempotent && random() < 0.3)
    return { ...request, label: `${request.label} again-changed`, body: request.body.replace("}", ' ,"more":1}') };
  const similar = request.body.replace('?"', ', please?"');
  if (!isIdempotent && similar !== request.body && random() < 0.3)
    return { ...request, label: `${request.label} again-similar`, body: similar, feedback: undefined };
  return { ...request, label: `${request.label} again`, feedback: undefined };
}

function shuffle<Item>(items: readonly Item[], random: Random): Item[] {
  const order = items.map((item) => ({ item, key: random() }));
  return order.sort((one, other) => one.key - other.key).map(({ item }) => item);
}
