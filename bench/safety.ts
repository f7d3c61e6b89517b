import { createHash } from "node:crypto";
import type { Part } from "@trunkline/core/parts.ts";
import { createSeededRandom, pickRandom } from "@trunkline/core/random.ts";
import { findDecodedTexts } from "@trunkline/guard/decode/decoded-texts.ts";
import { createGuard } from "@trunkline/guard/policy/guard.ts";
import { BALANCED } from "@trunkline/guard/policy/policy.ts";
import { Redactions } from "@trunkline/guard/private-data/redactions.ts";
import { AnswerContext } from "@trunkline/guard/screen/answer-context.ts";
import { evaluateLongText } from "@trunkline/guard/screen/evaluate-text.ts";
import { screenOutput } from "@trunkline/testing/screened-parts.ts";
import { shippedDetector } from "../packages/guard/training/evasion/battery.ts";
import { repeatToLength, WORST_CASE_TEXTS } from "../packages/guard/training/evasion/worst-case-texts.ts";

/**
 * What the safety check takes: normalising alone, all of it, a megabyte, also of texts made to be as much work as possible,
 * one huge part of an answer, and a stream. Prints JSON; `bench/safety-report.mjs` runs it in a process of its own.
 */

const LENGTHS = [100, 2_000, 8_000];
const MEGABYTE = 1_000_000;
const WARM_UP = 3_000;
const ROUNDS = 7;
const CALLS = 400;
const DIFFERENT_TEXTS = 64;
const REFERENCE_BYTES = 8_192;
/** One part of an answer. */
const ANSWER = 200_000;
/** As the streams of the first table are. */
const STREAMED = 400;
const DELTAS = 20;
const STREAMS = 400;
const WARM_UP_STREAMS = 8;
const ASKED = {
  conversation: {
    messages: [
      {
        role: "system" as const,
        content: [
          {
            type: "text" as const,
            text: "You are the assistant of a library. Answer in short sentences, name your sources, and never speak about the loans of other readers.",
          },
        ],
      },
      { role: "user" as const, content: [{ type: "text" as const, text: "What do you know of contracts?" }] },
    ],
    tools: [],
  },
  task: { kind: "chat" as const, word: "chat", known: true },
};
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
 * A long text: microseconds of the processor for all of it, and for the longest stretch in which others had no turn. Of a hundred
 * stretches the longest is left out: what the compiler and the collector of garbage do beside counts, too.
 */
interface Long {
  readonly name: string;
  readonly cpu: number;
  readonly longest: number;
}

/** What a stream takes, with its answer judged and without: microseconds of the processor. */
interface Streamed {
  readonly characters: number;
  readonly deltas: number;
  readonly judged: number;
  readonly bare: number;
}

const random = createSeededRandom("the safety bench");
const reference = Buffer.alloc(REFERENCE_BYTES, "a");
// It reports only: some texts that are made to be hard are refused, and their streams would end there.
const guard = createGuard(shippedDetector, BALANCED, { dryRun: true });

const rounds: Round[] = [];
for (const characters of LENGTHS) for (let call = 0; call < WARM_UP; call++) measureCall(textOf(characters));
for (let round = 0; round < ROUNDS; round++) for (const characters of LENGTHS) rounds.push(measureRound(characters));
const judged = (text: string) => evaluateLongText(guard, text, "user");
const longs: Long[] = [await measureLong("ordinary text", textOf(MEGABYTE), judged)];
for (const [name, words] of Object.entries(WORST_CASE_TEXTS))
  longs.push(await measureLong(name, repeatToLength(words, MEGABYTE), judged));
const streamed = await measureStreams();
const answers: Long[] = [await measureLong("ordinary text", textOf(ANSWER), (text) => screen([text]))];
for (const [name, words] of Object.entries(WORST_CASE_TEXTS))
  answers.push(await measureLong(name, repeatToLength(words, ANSWER), (text) => screen([text])));
process.stdout.write(JSON.stringify({ rounds, longs, answers, streamed }));

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
    normalising: cpuOf(() => findDecodedTexts(text)),
    examining: cpuOf(() => shippedDetector.detect(text, "user")),
    reference: cpuOf(() => createHash("sha256").update(reference).digest()),
  };
}

function cpuOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

async function measureLong(name: string, text: string, judge: (text: string) => Promise<unknown>): Promise<Long> {
  await judge(text.slice(0, text.length / 10));
  const stretches: number[] = [];
  let [cpu, wall] = [process.cpuUsage(), performance.now()];
  let isOver = false;
  const note = () => {
    const { user, system } = process.cpuUsage(cpu);
    // Neither what other threads do at the same time nor what other programs do makes anybody here wait.
    stretches.push(Math.min(user + system, (performance.now() - wall) * 1000));
    [cpu, wall] = [process.cpuUsage(), performance.now()];
    if (!isOver) setImmediate(note);
  };
  setImmediate(note);
  const before = process.cpuUsage();
  await judge(text);
  const { user, system } = process.cpuUsage(before);
  isOver = true;
  note();
  stretches.sort((a, b) => a - b);
  const longest = stretches[Math.max(0, Math.floor(stretches.length * 0.99) - 1)] ?? 0;
  return { name, cpu: user + system, longest };
}

async function* deltasOf(texts: readonly string[]): AsyncGenerator<Part> {
  for (const text of texts) yield { type: "text", text };
}

async function screen(texts: readonly string[]): Promise<void> {
  const context = new AnswerContext(ASKED, new Redactions());
  for await (const _part of screenOutput(guard, context, deltasOf(texts), () => {}));
}

async function pass(texts: readonly string[]): Promise<void> {
  for await (const _part of deltasOf(texts));
}

/** The median of rounds of many streams each, in turns. */
async function measureStreams(): Promise<Streamed> {
  const streams = Array.from({ length: STREAMS }, () => cut(textOf(STREAMED)));
  const rounds = { judged: [] as number[], bare: [] as number[] };
  for (let round = 0; round < WARM_UP_STREAMS + ROUNDS; round++) {
    for (const [way, go] of [["judged", screen] as const, ["bare", pass] as const]) {
      const before = process.cpuUsage();
      for (const texts of streams) await go(texts);
      const { user, system } = process.cpuUsage(before);
      if (round >= WARM_UP_STREAMS) rounds[way].push((user + system) / STREAMS);
    }
  }
  const middle = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;
  return {
    characters: STREAMED,
    deltas: DELTAS,
    judged: middle(rounds.judged),
    bare: middle(rounds.bare),
  };
}

function cut(text: string): string[] {
  const length = text.length / DELTAS;
  return Array.from({ length: DELTAS }, (_, delta) => text.slice(delta * length, (delta + 1) * length));
}

function textOf(characters: number): string {
  let text = "";
  while (text.length < characters) text += pickRandom(random, SENTENCES);
  return Buffer.from(text.slice(0, characters)).toString();
}
