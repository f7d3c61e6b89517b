/**
 * What the safety check takes: normalising alone, all of it, and a megabyte in pieces, also of texts made to be as much work
 * as possible. Prints JSON; `bench/safety-report.mjs` runs it in a process of its own.
 */
import { createHash } from "node:crypto";
import { createRandom, pick } from "../server/src/kit/random.ts";
import { houseDetector } from "../server/src/safety/evasion/house-detector.ts";
import { type Guard, guardOf } from "../server/src/safety/guard.ts";
import { judgeLong } from "../server/src/safety/judge-long.ts";
import { HOSTILE_TEXTS, repeated } from "../server/src/safety/normal/hostile-texts.ts";
import { layersOf } from "../server/src/safety/normal/layers.ts";
import { BALANCED } from "../server/src/safety/policy.ts";

const LENGTHS = [100, 2_000, 8_000];
const MEGABYTE = 1_000_000;
const WARM_UP = 3_000;
const ROUNDS = 7;
const CALLS = 400;
const DIFFERENT_TEXTS = 64;
const REFERENCE_BYTES = 8_192;
const SENTENCES = [
  "Please compare these two contracts and tell me which of them binds me longer. ",
  "A train leaves at 9:40 and covers 312 km in 2 h 25 min; what is its mean speed? ",
  "function sum(values) { let total = 0; for (const value of values) total += value; return total; }\n",
  "The patient reports a dull pain in the left knee since the spring, worse on stairs. ",
  "Prove that every finite integral domain is a field, and say where finiteness is used. ",
  "Summarise the minutes below in five sentences for somebody who wasn't there (it's well-known). ",
] as const satisfies readonly [string, ...string[]];

/** Microseconds of the processor, call by call. */
interface Round {
  readonly characters: number;
  readonly normalising: readonly number[];
  readonly examining: readonly number[];
  readonly reference: readonly number[];
}

/**
 * A megabyte: microseconds of the processor for all of it, and for the longest of its pieces, between which others have their
 * turn. Of a hundred pieces the longest is left out: what the compiler and the collector of garbage do beside counts, too.
 */
interface Long {
  readonly name: string;
  readonly cpu: number;
  readonly longest: number;
}

const random = createRandom("the safety bench");
const reference = Buffer.alloc(REFERENCE_BYTES, "a");
const guard = guardOf(houseDetector, BALANCED);

const rounds: Round[] = [];
for (const characters of LENGTHS) for (let call = 0; call < WARM_UP; call++) measureCall(textOf(characters));
for (let round = 0; round < ROUNDS; round++)
  for (const characters of LENGTHS) rounds.push(measureRound(characters));
const longs: Long[] = [await measureLong("ordinary text", textOf(MEGABYTE))];
for (const [name, words] of Object.entries(HOSTILE_TEXTS))
  longs.push(await measureLong(name, repeated(words, MEGABYTE)));
process.stdout.write(JSON.stringify({ rounds, longs }));

function measureRound(characters: number): Round {
  const texts = Array.from({ length: DIFFERENT_TEXTS }, () => textOf(characters));
  const normalising: number[] = [];
  const examining: number[] = [];
  const hashing: number[] = [];
  for (let call = 0; call < CALLS; call++) {
    const spans = measureCall(texts[call % texts.length] ?? "");
    normalising.push(spans.normalising);
    examining.push(spans.examining);
    hashing.push(spans.reference);
  }
  return { characters, normalising, examining, reference: hashing };
}

function measureCall(text: string) {
  return {
    normalising: cpuOf(() => layersOf(text)),
    examining: cpuOf(() => houseDetector.examine(text, "user")),
    reference: cpuOf(() => createHash("sha256").update(reference).digest()),
  };
}

function cpuOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

async function measureLong(name: string, text: string): Promise<Long> {
  const pieces: number[] = [];
  const timed: Guard = {
    ...guard,
    judge(piece, channel) {
      const before = process.cpuUsage();
      const verdict = guard.judge(piece, channel);
      const { user, system } = process.cpuUsage(before);
      pieces.push(user + system);
      return verdict;
    },
  };
  await judgeLong(timed, text.slice(0, MEGABYTE / 10), "user");
  pieces.length = 0;
  const before = process.cpuUsage();
  await judgeLong(timed, text, "user");
  const { user, system } = process.cpuUsage(before);
  pieces.sort((a, b) => a - b);
  return { name, cpu: user + system, longest: pieces[Math.floor(pieces.length * 0.99) - 1] ?? 0 };
}

function textOf(characters: number): string {
  let text = "";
  while (text.length < characters) text += pick(random, SENTENCES);
  return Buffer.from(text.slice(0, characters)).toString();
}
