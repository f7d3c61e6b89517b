import type { Strategy, StrategyWeights, Task } from "./inference.ts";
import { fullNameOf, type Model, type Price } from "./model.ts";
import { NANO_PER_CREDIT, type NanoCredits } from "./money.ts";
import type { PromptFeatures } from "./prediction.ts";
import type { Outage } from "./provider-failure.ts";

/** The audio that a request is about, in milliseconds: what is usual, and the most that is paid for. */
export interface AudioLength {
  /** How long the input takes to say, where the model makes speech of it. */
  readonly spokenMs: number;
  readonly maxSpokenMs: number;
  /** How long what was attached takes to hear. */
  readonly heardMs: number;
  readonly maxHeardMs: number;
  /** Whether the length of everything attached was read off it, and none is an estimate. */
  readonly heardIsExact: boolean;
}

/** What an answer of one model will cost: likely, and at the very most. */
export interface Quote {
  /** The version that this request is charged by, whatever becomes of the model's price while it runs. */
  readonly price: Price;
  /** What is taken off it already, in ten-thousandths; undefined: nothing. */
  readonly discount?: number | undefined;
  readonly inputTokens: number;
  /** What may come on top of these for what is attached, which only the provider can count. */
  readonly attachedTokens: number;
  /** The most output tokens that the provider is asked for. */
  readonly maxOutputTokens: number;
  /** How many of them the answer usually has: what the estimate and the expected time are made from. */
  readonly usualOutputTokens: number;
  readonly audio: AudioLength;
  readonly estimate: NanoCredits;
  readonly worst: NanoCredits;
}

/** How long a whole answer will take: the wait, the first token, and then as many as the answer usually has. */
export interface ExpectedTime {
  readonly wholeMs: number;
  /** What the calls that are under way there add to the wait for the first token. */
  readonly queueMs: number;
  readonly firstTokenMs: number;
  /** undefined: the answer comes in one piece, and the first token is all of it. */
  readonly tokensPerSecond: number | undefined;
}

/** A model that could serve this request, with everything the choice is made from. */
export interface Candidate {
  readonly model: Model;
  readonly quote: Quote;
  /** 0 to 1. */
  readonly quality: number;
  /** The same at its lower bound. */
  readonly lowerQuality: number;
  /** The quality without what was learnt while serving; undefined: it is the same. */
  readonly unlearnt?: number | undefined;
  /** By how many outcomes the prediction is backed. */
  readonly evidence: number;
  /** Expected for the whole answer. */
  readonly latencyMs: number;
  /** What that is made of. */
  readonly time: ExpectedTime;
  /** 0 to 1, of recent calls. */
  readonly errorRate: number;
  /** Of its circuit breaker. */
  readonly state: Health["state"];
  /** How many calls are under way there. */
  readonly inFlight: number;
  /** Its quality is as surely above the floor as it takes for `cost-optimized` to choose it by its cost. */
  readonly clearsFloor: boolean;
  /** What the strategy compared, with the calls that it takes: nano-credits, milliseconds, quality, or the weighed balance. */
  readonly score: number;
  /** The client's word is unknown, and the model lists it: it goes before those that do not. */
  readonly isWanted: boolean;
  /** Those of one tier compete. A later tier is tried only after every earlier one. */
  readonly tier: number;
  readonly reasons: readonly string[];
}

export interface Excluded {
  /** `provider/name` */
  readonly model: string;
  readonly reason: string;
}

/** Who chose the model: the account's strategy, one that the request brought along, or the client by its name. */
type ChosenBy = "account" | "request" | "name";

/** The models to try, best first, and why. */
export interface Route {
  readonly strategy: Strategy;
  /** What `hybrid` weighed. */
  readonly weights: StrategyWeights;
  /** What `cost-optimized` asks of a model's quality, 0 to 1. */
  readonly qualityFloor: number;
  readonly chosenBy: ChosenBy;
  readonly task: Task;
  /** What the request was taken for. */
  readonly promptFeatures: PromptFeatures;
  readonly candidates: readonly [Candidate, ...Candidate[]];
  /** Who can't serve, and why: in words, so only for those who ask. */
  readonly excluded: () => readonly Excluded[];
  /** `provider/name` of the model that its session stays with, first in its tier; undefined: there is none, or it can't serve this. */
  readonly stickyTo?: string | undefined;
  /** How likely the first place was to go to whom it went; undefined: nothing was left to chance. */
  readonly propensity?: number | undefined;
  /** The first was tried in the place of another, so that more is known of it. */
  readonly explored?: Exploration | undefined;
}

/** A route without those that are not accepted, for a reason that its record tells; undefined: nobody is. */
export function filterRoute(
  route: Route,
  isAccepted: (candidate: Candidate) => boolean,
  reason: string,
): Route | undefined {
  const [first, ...others] = route.candidates.filter(isAccepted);
  if (first === undefined) return undefined;
  if (others.length + 1 === route.candidates.length) return route;
  const dropped = route.candidates.filter((candidate) => !isAccepted(candidate));
  const leftOut = dropped.map(({ model }) => ({ model: fullNameOf(model), reason }));
  const isStuck = leftOut.some(({ model }) => model === route.stickyTo);
  return {
    ...route,
    candidates: [first, ...others],
    excluded: () => [...route.excluded(), ...leftOut],
    stickyTo: isStuck ? undefined : route.stickyTo,
    // Who was tried in the place of another and then left out was tried by nobody.
    explored: first === route.candidates[0] ? route.explored : undefined,
  };
}

export interface Exploration {
  /** How likely that was. */
  readonly propensity: number;
  /** `provider/name` of the one that would have been the first. */
  readonly insteadOf: string;
}

/** What the router knows of an endpoint: from its own calls, and from those of other instances where it has none. */
export interface Health {
  /**
   * Whether a call should go there now. An endpoint that comes back is available to a growing share of those who ask:
   * each question is a draw.
   */
  readonly available: boolean;
  readonly calls: number;
  readonly latencyMs: number | undefined;
  /** What 19 in 20 of the last answers did not exceed; undefined until there are 8. */
  readonly wholeP95Ms: number | undefined;
  readonly firstPartMs: number | undefined;
  /** What 19 in 20 of the last answers did not exceed; undefined until there are 8. */
  readonly firstPartP95Ms: number | undefined;
  readonly tokensPerSecond: number | undefined;
  /** 0 to 1, decayed. */
  readonly errorRate: number;
  /** Calls of this instance that run now. */
  readonly inFlight: number;
  /** By how much the calls in flight will delay the first part of one more, beyond what is usual. */
  readonly waitMs: number;
  /** Calls that the provider will still take until its limit is reset, as it says itself; undefined: it does not say. */
  readonly room: number | undefined;
  /** open: left alone. half-open: one call at a time tries it. ramping: it answered, and gets a growing share. */
  readonly state: "closed" | "open" | "half-open" | "ramping";
  /** Its provider refuses to serve us, and somebody has to do something about it. */
  readonly outage: Outage | undefined;
}

/** In what a strategy compares: the first two are better the less there is of them. */
export const MEASURES = ["credits", "ms", "quality", "balance"] as const;
export type Measure = (typeof MEASURES)[number];

const MEASURE_OF: Readonly<Record<Strategy, Measure>> = {
  "cost-optimized": "credits",
  "speed-optimized": "ms",
  "quality-optimized": "quality",
  hybrid: "balance",
};

/** One of those that competed, with what the strategy compared. */
interface ScoredModel {
  /** `provider/name` */
  readonly model: string;
  readonly tier: number;
  /** In the strategy's measure. */
  readonly score: number;
}

/** Who came next, and by how much the first was better, in the strategy's own measure. */
interface WinningMargin {
  readonly measure: Measure;
  readonly runnerUp: string | undefined;
  /** Below zero where something else decided: the floor, a near tie, a word that only one lists, a session or a draw. */
  readonly margin: number | undefined;
}

/** A score as it is shown: costs in credits, all others as they are, to so many decimals as mean something. */
export function displayScore(strategy: Strategy, score: number): number {
  if (MEASURE_OF[strategy] === "credits") return Math.round(score) / Number(NANO_PER_CREDIT);
  return Math.round(score * 10_000) / 10_000;
}

/** How the first of some candidates came to be the first. Only those of its tier competed with it. */
export function winningMarginOf(strategy: Strategy, [first, ...others]: readonly ScoredModel[]): WinningMargin {
  const measure = MEASURE_OF[strategy];
  const second = others.find(({ tier }) => tier === first?.tier);
  if (first === undefined || second === undefined) return { measure, runnerUp: undefined, margin: undefined };
  const ahead = first.score - second.score;
  const margin = measure === "credits" || measure === "ms" ? -ahead : ahead;
  // Nine decimals are those of a nano-credit; what differs behind them is the arithmetic of doubles.
  return { measure, runnerUp: second.model, margin: Math.round(margin * 1e9) / 1e9 + 0 };
}
