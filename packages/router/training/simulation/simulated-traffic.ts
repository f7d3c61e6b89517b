import { conversationOf } from "@trunkline/core/conversation.ts";
import type { Inference, Strategy } from "@trunkline/core/inference.ts";
import { countInputTokens } from "@trunkline/core/quote.ts";
import { createSeededRandom, type Random } from "@trunkline/core/random.ts";
import { sampleInference } from "@trunkline/testing/samples.ts";

/** A request with all its random numbers, so that every strategy gets the same one. */
export interface SimulatedRequest {
  readonly id: string;
  readonly atMs: number;
  readonly inference: Inference;
  readonly inputTokens: number;
  /** For a provider of average length. */
  readonly outputTokens: number;
  /** The slowdown factor of each provider. */
  readonly latencyFactors: readonly number[];
}

export interface Traffic {
  readonly seed: string;
  readonly perSecond: number;
  readonly durationMs: number;
  /** The number of providers. */
  readonly providers: number;
}

const SENTENCE = "Tell me in plain words what follows from this and what I should do about it. ";
const MIN_OUTPUT_TOKENS = 20;
const MAX_OUTPUT_TOKENS = 800;
const MEDIAN_OUTPUT_TOKENS = 150;
/** The standard deviation of the logarithm of a time: two thirds are within a fifth of the usual. */
const TIME_SPREAD = 0.2;
const OUTPUT_SPREAD = 0.6;
/** The share of requests that need more quality than the cheap models have. */
const PICKY_SHARE = 0.15;
const PICKY_QUALITY = 0.78;

/** Requests at random times at a constant rate. */
export function generateTraffic({ seed, perSecond, durationMs: forMs, providers }: Traffic, strategy: Strategy) {
  const random = createSeededRandom(seed);
  const requests: SimulatedRequest[] = [];
  for (let atMs = nextArrivalMs(random, perSecond); atMs < forMs; atMs += nextArrivalMs(random, perSecond)) {
    const isPicky = random() < PICKY_SHARE;
    const conversation = conversationOf(SENTENCE.repeat(1 + Math.floor(random() * 20)));
    const { preferences } = sampleInference();
    const inference = sampleInference({
      conversation,
      strategy,
      streaming: true,
      preferences: { ...preferences, ...(isPicky ? { minQuality: PICKY_QUALITY } : {}) },
    });
    const output = MEDIAN_OUTPUT_TOKENS * Math.exp(OUTPUT_SPREAD * sampleNormal(random));
    requests.push({
      id: `request-${requests.length}`,
      atMs,
      inference,
      inputTokens: countInputTokens(inference),
      outputTokens: Math.round(Math.min(MAX_OUTPUT_TOKENS, Math.max(MIN_OUTPUT_TOKENS, output))),
      latencyFactors: Array.from({ length: providers }, () => Math.exp(TIME_SPREAD * sampleNormal(random))),
    });
  }
  return requests;
}

/** The time to the next of independent requests (exponential distribution). */
function nextArrivalMs(random: Random, perSecond: number): number {
  return (-Math.log(1 - random()) * 1_000) / perSecond;
}

/** A normally distributed number. */
function sampleNormal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
