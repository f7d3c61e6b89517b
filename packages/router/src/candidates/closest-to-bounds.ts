import type { Inference } from "@trunkline/core/inference.ts";
import { fullNameOf, type Model } from "@trunkline/core/model.ts";
import { formatCredits, formatCreditsNumber, type NanoCredits } from "@trunkline/core/money.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import { exceedsContextWindow, exceedsMaxOutput } from "./eligibility.ts";

/** A bound that the request sets, and how models stand to it. */
interface Bound {
  readonly name: "max_cost" | "max_latency_ms" | "min_quality";
  /** As the request gave it. */
  readonly value: string;
  /** How far from good a model's figure is: the less the better. */
  readonly figureOf: (candidate: Candidate) => number;
  readonly isKeptBy: (candidate: Candidate) => boolean;
  /** Says that this model comes closest where none keeps the bound. */
  readonly describeClosest: (candidate: Candidate, name: string) => string;
  /** The value of the bound that would let this model in. */
  readonly valueFor: (candidate: Candidate) => string;
}

/**
 * What a client can do about bounds that none of these candidates keeps: the one bound to change, and how far; else how far
 * each is from what there is. undefined: the bounds leave out none of them.
 */
export function closestToBounds(
  candidates: readonly Candidate[],
  preferences: Inference["preferences"],
): string | undefined {
  const bounds = boundsOf(preferences);
  if (candidates.length === 0 || bounds.length === 0) return undefined;
  const broken = bounds.filter(({ isKeptBy }) => !candidates.every(isKeptBy));
  if (broken.length <= 1) return broken.map((bound) => describeUnkept(bound, candidates)).join(" ") || undefined;

  const changes = broken.flatMap((bound) => {
    const others = broken.filter((other) => other !== bound);
    const closest = findClosest(
      bound,
      candidates.filter((candidate) => others.every(({ isKeptBy }) => isKeptBy(candidate))),
    );
    return closest === undefined
      ? []
      : [`with a ${bound.name} of ${bound.valueFor(closest)}, ${nameOf(closest)} would`];
  });
  const all = `None keeps ${listAll(broken.map(({ name, value }) => `${name} of ${value}`))} together.`;
  if (changes.length > 0) return `${all} ${capitalise(changes.join("; "))}.`;
  const unkept = broken.filter(({ isKeptBy }) => !candidates.some(isKeptBy));
  const keepers = broken.flatMap((bound) => {
    const keeper = findClosest(bound, candidates.filter(bound.isKeptBy));
    return keeper === undefined ? [] : [`${nameOf(keeper)} keeps ${bound.name}`];
  });
  return [
    ...(unkept.length === 0 ? [all] : unkept.map((bound) => describeUnkept(bound, candidates))),
    ...(keepers.length === 0 ? [] : [`${listAll(keepers)}.`]),
  ].join(" ");
}

function boundsOf({ maxCost, maxLatencyMs, minQuality }: Inference["preferences"]): readonly Bound[] {
  const bounds: Bound[] = [];
  if (maxCost !== undefined)
    bounds.push({
      name: "max_cost",
      value: formatCredits(maxCost),
      figureOf: ({ quote }) => Number(quote.worst),
      isKeptBy: ({ quote }) => quote.worst <= maxCost,
      describeClosest: ({ quote }, name) =>
        `Within max_cost of ${formatCredits(maxCost)}, the closest is ${name}, which may cost ${formatCredits(quote.worst)}.${shorterAnswer(quote, maxCost)}`,
      valueFor: ({ quote }) => formatCreditsNumber(quote.worst),
    });
  if (maxLatencyMs !== undefined)
    bounds.push({
      name: "max_latency_ms",
      value: String(maxLatencyMs),
      figureOf: ({ latencyMs }) => latencyMs,
      isKeptBy: ({ latencyMs }) => latencyMs <= maxLatencyMs,
      describeClosest: ({ latencyMs }, name) =>
        `Within max_latency_ms of ${maxLatencyMs}, the closest is ${name}, which is expected to take ${Math.ceil(latencyMs)} ms.`,
      valueFor: ({ latencyMs }) => String(Math.ceil(latencyMs)),
    });
  if (minQuality !== undefined)
    bounds.push({
      name: "min_quality",
      value: String(minQuality),
      figureOf: ({ quality }) => -quality,
      isKeptBy: ({ quality }) => quality >= minQuality,
      describeClosest: (candidate, name) =>
        `At min_quality of ${minQuality}, the closest is ${name} with a predicted quality of ${floorToHundredths(candidate)}.`,
      valueFor: floorToHundredths,
    });
  return bounds;
}

/** Fewer tokens than this make no answer that is of use. */
const MIN_USEFUL_TOKENS = 16;

/** The limit of the answer's length that would keep the cost, where the answer and not the input makes it too dear. */
function shorterAnswer({ price, worst, maxOutputTokens }: Candidate["quote"], maxCost: NanoCredits): string {
  if (price.outputPerMillion <= 0n) return "";
  // Rounded down, less one token for the rounding up of the cost.
  const saved = Number(((worst - maxCost) * 1_000_000n) / price.outputPerMillion) + 2;
  const most = maxOutputTokens - saved;
  return most < MIN_USEFUL_TOKENS ? "" : ` With a max_tokens of ${most} it would keep it.`;
}

/** The largest limit that there is, where every one of these models is too small for the request; undefined: one is not. */
export function largestLimit(candidates: readonly Candidate[], inference: Inference): string | undefined {
  if (candidates.length < 2) return undefined;
  const sized = (figureOf: (model: Model) => number) =>
    candidates.reduce((best, one) => (figureOf(one.model) > figureOf(best.model) ? one : best)).model;
  if (candidates.every(({ model }) => exceedsMaxOutput(model, inference))) {
    const model = sized(({ maxOutputTokens = 0 }) => maxOutputTokens);
    return `The largest max_tokens that any of them takes is ${model.maxOutputTokens}, by ${fullNameOf(model)}.`;
  }
  if (candidates.every(({ model, quote }) => exceedsContextWindow(model, quote))) {
    const model = sized(({ contextWindow = 0 }) => contextWindow);
    const tokens = candidates[0]?.quote.inputTokens;
    return `The input has about ${tokens} tokens, and the largest context window is ${model.contextWindow}, of ${fullNameOf(model)}.`;
  }
  return undefined;
}

/** Rounded down, so that the model keeps the bound that is named. */
function floorToHundredths({ quality }: Candidate): string {
  return (Math.floor(quality * 100 + 1e-9) / 100).toFixed(2);
}

function describeUnkept(bound: Bound, candidates: readonly Candidate[]): string {
  const closest = findClosest(
    bound,
    candidates.filter((candidate) => !bound.isKeptBy(candidate)),
  );
  return closest === undefined ? "" : bound.describeClosest(closest, nameOf(closest));
}

/** The one with the best figure, the first of equals. */
function findClosest({ figureOf }: Bound, candidates: readonly Candidate[]): Candidate | undefined {
  return candidates.toSorted((one, other) => figureOf(one) - figureOf(other))[0];
}

function nameOf({ model }: Candidate): string {
  return fullNameOf(model);
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function listAll(items: readonly string[]): string {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}
