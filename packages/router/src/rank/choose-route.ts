import { Fault } from "@trunkline/core/fault.ts";
import type { Task } from "@trunkline/core/inference.ts";
import { fullNameOf } from "@trunkline/core/model.ts";
import { formatCredits, type NanoCredits } from "@trunkline/core/money.ts";
import type { Candidate, Excluded, Route } from "@trunkline/core/route.ts";
import type { EligibleModel } from "../candidates/eligibility.ts";
import type { CandidatePool } from "../candidates/find-candidates.ts";
import { balanceEqualProviders } from "./balance-providers.ts";
import { type ExplorationPolicy, explore } from "./explore.ts";
import { type RankedTier, rankModels } from "./rank-models.ts";
import { RankedCandidate } from "./ranked-candidate.ts";
import { preferSessionModel, type SessionAffinity } from "./sticky-sessions.ts";
import type { RoutingPolicy, ScoredItem } from "./strategies.ts";

/** What there is to spend: of the account, and of the key where it has a budget. */
export interface SpendableFunds {
  readonly balance: NanoCredits;
  /** What is left of the key's budget; undefined: the key has none. */
  readonly budget: NanoCredits | undefined;
}

/** What may still change the order once the strategy has ranked it. */
export interface Tiebreak extends SessionAffinity, ExplorationPolicy {
  /** Whether nothing is learnt now, so that there is nothing to try out either. */
  readonly frozen: boolean;
}

/** Leaves nothing to chance: what is equal keeps the order it came in. */
export const NO_TIEBREAK: Tiebreak = {
  random: () => 0,
  sessionModel: undefined,
  exploration: 0,
  frozen: true,
};

/** Orders what can serve and be paid for, tier by tier, or refuses for lack of money. */
export function chooseRoute(
  candidatePool: CandidatePool,
  spendableFunds: SpendableFunds,
  routingPolicy: RoutingPolicy,
  tiebreak: Tiebreak = NO_TIEBREAK,
): Route {
  const { affordable, unaffordable } = splitByAffordability(candidatePool, spendableFunds);
  const candidates: Candidate[] = [];
  let first: RankedTier | undefined;
  let stickyTo: string | undefined;
  for (const [tier, eligibleModels] of affordable.entries()) {
    if (eligibleModels.length === 0) continue;
    const rankedTier = rankTier(eligibleModels, tier, candidatePool.task, routingPolicy, tiebreak, candidates);
    first ??= rankedTier;
    stickyTo ??= rankedTier.stickyTo;
  }
  if (first === undefined || !isAtLeastOne(candidates)) throw insufficientFundsFault(candidatePool, spendableFunds);
  const { propensity, explored: exploration } = first;
  return {
    strategy: routingPolicy.strategy,
    weights: routingPolicy.weights,
    qualityFloor: routingPolicy.qualityFloor,
    chosenBy: routingPolicy.chosenBy,
    task: candidatePool.task,
    promptFeatures: candidatePool.promptFeatures,
    candidates,
    excluded: () => [...candidatePool.excluded(), ...unaffordable.map(unaffordableExclusion(spendableFunds))],
    ...(stickyTo === undefined ? {} : { stickyTo }),
    ...(propensity === 1 ? {} : { propensity }),
    ...(exploration === undefined ? {} : { explored: exploration }),
  };
}

function isAtLeastOne(candidates: readonly Candidate[]): candidates is Route["candidates"] {
  return candidates.length > 0;
}

/**
 * Puts the models of one tier behind those that are there: ranked by the strategy, equals spread by weight, the session's
 * kept, a near-equal tried now and then.
 */
function rankTier(
  eligibleModels: readonly EligibleModel[],
  tier: number,
  task: Task,
  routingPolicy: RoutingPolicy,
  tiebreak: Tiebreak,
  candidates: Candidate[],
): RankedTier {
  const scoredItems = rankModels(eligibleModels, task, routingPolicy);
  const ranked = scoredItems.map(({ item }) => item);
  const spread = balanceEqualProviders(ranked, tiebreak.random);
  const kept = preferSessionModel(spread, tiebreak, routingPolicy.qualityFloor);
  const explores = tier === 0 && mayExplore(kept, routingPolicy, tiebreak);
  const rankedTier = explores ? explore(kept, task, routingPolicy, tiebreak) : kept;
  let note = firstPlaceReason(rankedTier);
  for (const scoredItem of rankedTier.eligibleModels === ranked
    ? scoredItems
    : reorder(rankedTier.eligibleModels, scoredItems)) {
    candidates.push(new RankedCandidate(scoredItem, tier, routingPolicy, note));
    note = undefined;
  }
  return rankedTier;
}

/** Whoever moves to the front moves the others by one place at most: nearly all are found where they were. */
function reorder(eligibleModels: readonly EligibleModel[], scoredItems: readonly ScoredItem<EligibleModel>[]) {
  const inOrder: ScoredItem<EligibleModel>[] = [];
  for (const [place, eligibleModel] of eligibleModels.entries()) {
    let scoredItem = scoredItems[place];
    if (scoredItem?.item !== eligibleModel) scoredItem = scoredItems[place - 1];
    if (scoredItem?.item !== eligibleModel) scoredItem = scoredItems.find(({ item }) => item === eligibleModel);
    if (scoredItem !== undefined) inOrder.push(scoredItem);
  }
  return inOrder;
}

/** Only where the service chooses, and not away from the model that a session stays with. */
function mayExplore(
  { best, stickyTo }: RankedTier,
  { chosenBy }: RoutingPolicy,
  { exploration, frozen }: Tiebreak,
): boolean {
  return exploration > 0 && !frozen && stickyTo === undefined && chosenBy !== "name" && best?.tier === "automatic";
}

/** What, beside the strategy, has put the first in its place. */
function firstPlaceReason({ stickyTo, explored: exploration, tiedCount: equals }: RankedTier): string | undefined {
  if (stickyTo !== undefined) return "stays with its session's model";
  if (exploration !== undefined) return `tried in the place of its near-equal ${exploration.insteadOf}`;
  return equals > 1 ? `drawn by weight among ${equals} equal providers` : undefined;
}

type Tiers = readonly (readonly EligibleModel[])[];

/** Parts what there is money for from what there is not. */
function splitByAffordability({ tiers, dearestWorst }: CandidatePool, spendableFunds: SpendableFunds) {
  if (unaffordableReason(dearestWorst, spendableFunds) === undefined) return { affordable: tiers, unaffordable: [] };
  const unaffordable: EligibleModel[] = [];
  const affordable: Tiers = tiers.map((eligibleModels) =>
    eligibleModels.filter((eligibleModel) => {
      const isCovered = unaffordableReason(eligibleModel.quote.worst, spendableFunds) === undefined;
      if (!isCovered) unaffordable.push(eligibleModel);
      return isCovered;
    }),
  );
  return { affordable, unaffordable };
}

/** What costs nothing needs no funds, even where a budget is overdrawn. */
function unaffordableReason(worst: NanoCredits, { balance, budget }: SpendableFunds): string | undefined {
  if (worst <= 0n) return undefined;
  if (worst > balance) return "the account's balance does not cover its worst case";
  if (budget !== undefined && worst > budget) return "the key's budget does not cover its worst case";
  return undefined;
}

function unaffordableExclusion(spendableFunds: SpendableFunds) {
  return ({ model, quote }: EligibleModel): Excluded => ({
    model: fullNameOf(model),
    reason: unaffordableReason(quote.worst, spendableFunds) ?? "",
  });
}

function insufficientFundsFault(candidatePool: CandidatePool, { balance, budget }: SpendableFunds): Fault {
  const needed = candidatePool.cheapestWorst;
  if (needed <= balance && budget !== undefined) {
    const left = budget > 0n ? budget : 0n;
    return new Fault(
      "budget_exceeded",
      `This request may cost ${formatCredits(needed)} and this key's budget has ${formatCredits(left)} left. ` +
        "Raise the budget, wait for its next period, or lower max_tokens.",
    );
  }
  return new Fault(
    "insufficient_balance",
    `This request may cost ${formatCredits(needed)} and ${formatCredits(balance)} are available. ` +
      "Add credits, or lower max_tokens.",
  );
}

/** A route in the order in which a cascade goes through it: tier by tier, within each from the cheapest on. */
export function inCascadeOrder(route: Route): Route {
  const [first, ...others] = route.candidates;
  const [cheapest = first, ...dearer] = [first, ...others].sort(compareInCascade);
  return { ...route, candidates: [cheapest, ...dearer] };
}

function compareInCascade(one: Candidate, other: Candidate): number {
  return (
    one.tier - other.tier ||
    Number(other.isWanted) - Number(one.isWanted) ||
    (one.quote.estimate === other.quote.estimate ? 0 : one.quote.estimate < other.quote.estimate ? -1 : 1) ||
    other.quality - one.quality
  );
}

/**
 * Where a cascade goes on from a step that failed: to the next one that is predicted to be better. A tier without a better
 * one is left for the next tier; in the last tier, the next dearer one has to do.
 */
export function nextCascadeCandidate(candidates: readonly Candidate[], last: Candidate): Candidate | undefined {
  const later = candidates.slice(candidates.indexOf(last) + 1);
  const better = later.find(({ tier, quality }) => tier === last.tier && quality > last.quality);
  return better ?? later.find(({ tier }) => tier > last.tier) ?? later[0];
}
