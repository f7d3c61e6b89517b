import type { Strategy, StrategyWeights, Task } from "./inference.ts";
import { fullNameOf, type Model, type Price } from "./model.ts";
import { NANO_PER_CREDIT, type NanoCredits } from "./money.ts";
import type { Fit, PromptFeatures } from "./prediction.ts";
import type { Outage } from "./provider-failure.ts";

/** The audio of a request in milliseconds: the usual amount, and the upper bound that is charged. */
export interface AudioLength {
  /** How long the input takes to speak, where the model turns it into speech. */
  readonly spokenMs: number;
  readonly maxSpokenMs: number;
  /** How long the attached audio takes to play. */
  readonly heardMs: number;
  readonly maxHeardMs: number;
  /** Whether the length of all attached audio was read from its headers; false: some is estimated. */
  readonly heardIsExact: boolean;
}

/** The cost of one model's answer: estimated, and at most. */
export interface Quote {
  /** The price version that this request is charged at, even if the model's price changes while it runs. */
  readonly price: Price;
  /** The discount that the price already includes, in ten-thousandths; undefined: none. */
  readonly discount?: number | undefined;
  readonly inputTokens: number;
  /** What attachments may add, which only the provider can count. */
  readonly attachedTokens: number;
  /** Audio that the provider has heard, in tokens: charged where it reports no usage. undefined: none. */
  readonly heardTokens?: number | undefined;
  /** The maximum that is requested from the provider. */
  readonly maxOutputTokens: number;
  /** The usual length of the answer, on which the estimate and the expected time are based. */
  readonly usualOutputTokens: number;
  readonly audio: AudioLength;
  readonly estimate: NanoCredits;
  readonly worst: NanoCredits;
}

/** How long a whole answer takes: waiting, the first token, then the usual number of tokens. */
export interface ExpectedTime {
  readonly wholeMs: number;
  /** How much the calls in flight delay the first token. */
  readonly queueMs: number;
  readonly firstTokenMs: number;
  /** undefined: the answer comes in one piece, with the first token. */
  readonly tokensPerSecond: number | undefined;
}

/** Why a model is considered for a request. */
export type TierKind = "automatic" | "named" | "fallback" | "backup" | "built-in";

/** A model that could serve this request, with all values that ranking uses. */
export interface Candidate {
  readonly model: Model;
  readonly quote: Quote;
  readonly fit: Fit;
  /** The chance that its answer satisfies, 0 to 1. The floor and `min_quality` are compared with it. */
  readonly quality: number;
  /** The lower bound of the quality. */
  readonly lowerQuality: number;
  /** The quality without learnt outcomes; undefined: the same. */
  readonly unlearnt?: number | undefined;
  /** The weight of the outcomes behind the prediction. */
  readonly evidence: number;
  /** Expected for the whole answer. */
  readonly latencyMs: number;
  /** The components of `latencyMs`. */
  readonly time: ExpectedTime;
  /** 0 to 1, of recent calls. */
  readonly errorRate: number;
  /** Whether its circuit breaker lets this request through. */
  readonly available: boolean;
  /** The state of its circuit breaker. */
  readonly state: Health["state"];
  /** Calls that its endpoint's figures were measured from. */
  readonly calls: number;
  /** Calls that run there now. */
  readonly inFlight: number;
  /** The client's task word is unknown and this model lists it: it goes before models that do not. */
  readonly isWanted: boolean;
  readonly tierKind: TierKind;
  /** Candidates of one tier compete. A later tier is tried only after every earlier one. */
  readonly tier: number;
}

/** A candidate as ranking returns it. */
export interface RankedCandidate {
  readonly candidate: Candidate;
  /** What the strategy compares: the cost in nano-credits, milliseconds, the quality, or the worth in nano-credits. */
  readonly score: number;
  /** Whether `cost-optimized` chooses it by its cost: its quality clears the floor that its tier is asked for. */
  readonly clearsFloor: boolean;
  readonly reasons: readonly string[];
}

export interface Excluded {
  /** `provider/name` */
  readonly model: string;
  readonly reason: string;
}

/** Who chose the model: the account's strategy, the request's own strategy, or the client by naming it. */
type ChosenBy = "account" | "request" | "name";

/** Who set the floor of quality. A request's own is a bound; the others never leave a model out. */
export type FloorSetBy = "request" | "account" | "service";

/** A floor that the best of the candidates does not reach, or hardly. */
export interface LoweredFloor {
  readonly asked: number;
  /** The best quality of the candidates. */
  readonly best: number;
  readonly setBy: FloorSetBy;
}

/** The candidates to try, best first, and why. */
export interface Route {
  readonly strategy: Strategy;
  /** The weights that `hybrid` used. */
  readonly weights: StrategyWeights;
  /** The quality that `cost-optimized` asks for among the first candidates, 0 to 1. */
  readonly qualityFloor: number;
  /** The floor as it was set, where it came down to what these candidates can do. */
  readonly loweredFloor?: LoweredFloor | undefined;
  /** What `speed-optimized` asks of a quality, 0 to 1. */
  readonly speedFloor?: number | undefined;
  /** The candidates are steps of a cascade, the cheapest first. */
  readonly isCascade?: boolean | undefined;
  readonly chosenBy: ChosenBy;
  readonly task: Task;
  /** What the request is about and how hard it is. */
  readonly promptFeatures: PromptFeatures;
  readonly ranking: readonly [RankedCandidate, ...RankedCandidate[]];
  /** The candidates of `ranking`, in the same order. */
  readonly candidates: readonly [Candidate, ...Candidate[]];
  /** The models that can't serve, with reasons. Computed only on demand, since it formats text. */
  readonly excluded: () => readonly Excluded[];
  /**
   * `provider/name` of the model that the session stays with, first in its tier; undefined: none, or it can't serve
   * this request.
   */
  readonly stickyTo?: string | undefined;
  /** The probability that the first candidate got its place; undefined: no random choice was involved. */
  readonly propensity?: number | undefined;
  /** The first candidate took another's place, to learn more about it. */
  readonly explored?: Exploration | undefined;
}

/** A ranking in the two forms in which a route has it. */
export function rankingOf(
  first: RankedCandidate,
  others: readonly RankedCandidate[],
): Pick<Route, "ranking" | "candidates"> {
  return {
    ranking: [first, ...others],
    candidates: [first.candidate, ...others.map(({ candidate }) => candidate)],
  };
}

/**
 * The route without the candidates that are not accepted, which are listed as excluded with this reason; undefined: no
 * candidate is left.
 */
export function filterRoute(
  route: Route,
  isAccepted: (candidate: Candidate) => boolean,
  reason: string,
): Route | undefined {
  // Most requests keep every candidate.
  if (route.candidates.every(isAccepted)) return route;
  const [first, ...others] = route.ranking.filter(({ candidate }) => isAccepted(candidate));
  if (first === undefined) return undefined;
  const dropped = route.ranking.filter(({ candidate }) => !isAccepted(candidate));
  const leftOut = dropped.map(({ candidate: { model } }) => ({ model: fullNameOf(model), reason }));
  const isStuck = leftOut.some(({ model }) => model === route.stickyTo);
  return {
    ...route,
    ...rankingOf(first, others),
    excluded: () => [...route.excluded(), ...leftOut],
    stickyTo: isStuck ? undefined : route.stickyTo,
    // A candidate that was to be explored and was then left out was not explored.
    explored: first === route.ranking[0] ? route.explored : undefined,
  };
}

export interface Exploration {
  /** The probability of this exploration. */
  readonly propensity: number;
  /** `provider/name` of the candidate that would have been first. */
  readonly insteadOf: string;
}

/** What routing knows about an endpoint: from its own calls, or from other instances where it has none. */
export interface Health {
  /**
   * Whether a call should go there now. A recovering endpoint is available to a growing share of calls: each read is a
   * random draw.
   */
  readonly available: boolean;
  readonly calls: number;
  readonly latencyMs: number | undefined;
  /** The 95th percentile of recent whole answers; undefined until there are 8. */
  readonly wholeP95Ms: number | undefined;
  readonly firstPartMs: number | undefined;
  /** The 95th percentile of recent times to the first part; undefined until there are 8. */
  readonly firstPartP95Ms: number | undefined;
  readonly tokensPerSecond: number | undefined;
  /** 0 to 1, exponentially decayed. */
  readonly errorRate: number;
  /** Calls of this instance that run now. */
  readonly inFlight: number;
  /** How much the calls in flight delay the first part of one more call, beyond the usual. */
  readonly waitMs: number;
  /** Calls that the provider accepts until its limit resets, as it reports; undefined: it does not say. */
  readonly room: number | undefined;
  /** open: no calls. half-open: one call at a time tries it. ramping: it answered, and gets a growing share. */
  readonly state: "closed" | "open" | "half-open" | "ramping";
  /** The provider refuses to serve us until the endpoint's owner acts. */
  readonly outage: Outage | undefined;
}

/** What a strategy compares. For the first two, less is better. */
export const MEASURES = ["credits", "ms", "quality", "worth"] as const;
export type Measure = (typeof MEASURES)[number];

const MEASURE_OF: Readonly<Record<Strategy, Measure>> = {
  "cost-optimized": "credits",
  "speed-optimized": "ms",
  "quality-optimized": "quality",
  hybrid: "worth",
};

/** The runner-up, and how much better the winner was, in the strategy's measure. */
interface WinningMargin {
  readonly measure: Measure;
  readonly runnerUp: string | undefined;
  /** Negative where something else decided: the floor, a near tie, a listed task word, a session or a random draw. */
  readonly margin: number | undefined;
}

/** A score for display: costs and worths in credits, all others unchanged, rounded to meaningful decimals. */
export function displayScore(strategy: Strategy, score: number): number {
  const measure = MEASURE_OF[strategy];
  if (measure === "credits" || measure === "worth") return Math.round(score) / Number(NANO_PER_CREDIT);
  return Math.round(score * 10_000) / 10_000;
}

/** By how much the first of some displayed candidates won. Only candidates of its tier competed with it. */
export function winningMarginOf(
  strategy: Strategy,
  [first, ...others]: readonly { readonly model: string; readonly tier: number; readonly score: number }[],
): WinningMargin {
  const measure = MEASURE_OF[strategy];
  const second = others.find(({ tier }) => tier === first?.tier);
  if (first === undefined || second === undefined) return { measure, runnerUp: undefined, margin: undefined };
  const ahead = first.score - second.score;
  const margin = measure === "credits" || measure === "ms" ? -ahead : ahead;
  // Nine decimals are a nano-credit; differences beyond that are floating-point noise.
  return { measure, runnerUp: second.model, margin: Math.round(margin * 1e9) / 1e9 + 0 };
}
