import { conversationOf } from "@trunkline/core/conversation.ts";
import type { Inference, Strategy } from "@trunkline/core/inference.ts";
import { countInput } from "@trunkline/core/quote.ts";
import { createRandom, type Random } from "@trunkline/core/random.ts";
import { sampleInference } from "@trunkline/testing/samples.ts";

/** A request with everything that chance says of it, so that every strategy meets the same one. */
export interface SimulatedRequest {
  readonly id: string;
  readonly atMs: number;
  readonly inference: Inference;
  readonly inputTokens: number;
  /** Of a provider that is neither terse nor wordy. */
  readonly outputTokens: number;
  /** By what factor each provider is slower than usual for it. */
  readonly luck: readonly number[];
}

export interface Traffic {
  readonly seed: string;
  readonly perSecond: number;
  readonly forMs: number;
  /** How many providers there are, in all. */
  readonly providers: number;
}

const SENTENCE = "Tell me in plain words what follows from this and what I should do about it. ";
const SHORTEST_OUTPUT = 20;
const LONGEST_OUTPUT = 800;
const USUAL_OUTPUT = 150;
/** Of the logarithm of a time: two thirds of all are within a fifth of the usual. */
const TIME_SPREAD = 0.2;
const OUTPUT_SPREAD = 0.6;
/** How many ask for more quality than the cheap ones have. */
const PICKY_SHARE = 0.15;
const PICKY_QUALITY = 0.78;

/** Requests at random moments, evenly spread over the time. */
export function makeTraffic({ seed, perSecond, forMs, providers }: Traffic, strategy: Strategy) {
  const random = createRandom(seed);
  const requests: SimulatedRequest[] = [];
  for (let atMs = gap(random, perSecond); atMs < forMs; atMs += gap(random, perSecond)) {
    const isPicky = random() < PICKY_SHARE;
    const conversation = conversationOf(SENTENCE.repeat(1 + Math.floor(random() * 20)));
    const { preferences } = sampleInference();
    const inference = sampleInference({
      conversation,
      strategy,
      streaming: true,
      preferences: { ...preferences, ...(isPicky ? { minQuality: PICKY_QUALITY } : {}) },
    });
    const output = USUAL_OUTPUT * Math.exp(OUTPUT_SPREAD * normal(random));
    requests.push({
      id: `request-${requests.length}`,
      atMs,
      inference,
      inputTokens: countInput(inference),
      outputTokens: Math.round(Math.min(LONGEST_OUTPUT, Math.max(SHORTEST_OUTPUT, output))),
      luck: Array.from({ length: providers }, () => Math.exp(TIME_SPREAD * normal(random))),
    });
  }
  return requests;
}

/** How long until the next of requests that know nothing of one another. */
function gap(random: Random, perSecond: number): number {
  return (-Math.log(1 - random()) * 1_000) / perSecond;
}

/** A number of the normal distribution. */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
