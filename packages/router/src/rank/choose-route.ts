import { Fault } from "@trunkline/core/fault.ts";
import { fullNameOf } from "@trunkline/core/model.ts";
import { formatCredits, type NanoCredits } from "@trunkline/core/money.ts";
import { type Candidate, type Excluded, type RankedCandidate, type Route, rankingOf } from "@trunkline/core/route.ts";
import { isThirdPartyTo } from "../candidates/catalogue.ts";
import { FAILOVER_FACTOR, failoverLimitOf } from "../candidates/eligibility.ts";
import type { CandidatePool } from "../candidates/find-candidates.ts";
import { balanceEqualProviders } from "./balance-providers.ts";
import { type ExplorationPolicy, explore } from "./explore.ts";
import { type RankedTier, rankCandidates } from "./rank-models.ts";
import { CascadeStep } from "./ranked-candidate.ts";
import { settleFloors } from "./settle-floors.ts";
import { preferSessionModel, type SessionAffinity } from "./sticky-sessions.ts";
import type { RankingCriteria, RoutingPolicy } from "./strategies.ts";

export interface SpendableFunds {
  readonly balance: NanoCredits;
  /** What is left of the key's budget; undefined: the key has none. */
  readonly budget: NanoCredits | undefined;
  /** What is left of the account's budget; undefined: the account has none. */
  readonly accountBudget?: NanoCredits | undefined;
}

/** What may change the order after the strategy has ranked it. */
export interface Tiebreak extends SessionAffinity, ExplorationPolicy {
  /** Nothing is learnt now, so nothing is explored. */
  readonly frozen: boolean;
}

/** No random choice: equal candidates keep their order. */
export const NO_TIEBREAK: Tiebreak = {
  random: () => 0,
  sessionModel: undefined,
  exploration: 0,
  frozen: true,
};

/** Ranks the candidates that the funds cover, tier by tier. Throws a fault if they cover none. */
export function chooseRoute(
  candidatePool: CandidatePool,
  spendableFunds: SpendableFunds,
  routingPolicy: RoutingPolicy,
  tiebreak: Tiebreak = NO_TIEBREAK,
): Route {
  const { tiers, excluded } = candidatePool;
  const coversAll = isCovered(candidatePool.dearestWorst, spendableFunds);
  let ranking: readonly RankedCandidate[] = NOTHING_RANKED;
  let first: RankedTier | undefined;
  let firstCriteria: RankingCriteria | undefined;
  let stickyTo: string | undefined;
  let firstTier: readonly Candidate[] | undefined;
  for (let tier = 0; tier < tiers.length; tier++) {
    const all = tiers[tier] ?? [];
    const candidates = coversAll ? all : coveredOf(all, spendableFunds);
    if (candidates.length === 0) continue;
    const criteria = settleFloors(candidates, routingPolicy);
    const rankedTier = rankTier(candidates, tier, criteria, routingPolicy.chosenBy, tiebreak);
    firstCriteria ??= criteria;
    firstTier ??= candidates;
    ranking = first === undefined ? rankedTier.ranking : [...ranking, ...rankedTier.ranking];
    first ??= rankedTier;
    stickyTo ??= rankedTier.stickyTo;
  }
  // A request that names its model has one candidate.
  const ordered = ranking.length === 1 && firstTier !== undefined ? firstTier : ranking.map(candidateOf);
  if (first === undefined || !isAtLeastOne(ranking) || !isAtLeastOne(ordered))
    throw insufficientFundsFault(candidatePool, spendableFunds);
  return {
    strategy: routingPolicy.strategy,
    weights: routingPolicy.weights,
    qualityFloor: firstCriteria?.qualityFloor ?? routingPolicy.qualityFloor,
    loweredFloor: firstCriteria?.loweredFloor,
    speedFloor: firstCriteria?.speedFloor,
    chosenBy: routingPolicy.chosenBy,
    task: candidatePool.task,
    promptFeatures: candidatePool.promptFeatures,
    ranking,
    candidates: ordered,
    excluded: coversAll ? excluded : withUnaffordable(candidatePool, spendableFunds),
    stickyTo,
    propensity: first.propensity === 1 ? undefined : first.propensity,
    explored: first.explored,
  };
}

function coveredOf(candidates: readonly Candidate[], spendableFunds: SpendableFunds): readonly Candidate[] {
  return candidates.filter(({ quote }) => isCovered(quote.worst, spendableFunds));
}

function withUnaffordable(candidatePool: CandidatePool, spendableFunds: SpendableFunds): Route["excluded"] {
  return () => [...candidatePool.excluded(), ...unaffordableExclusions(candidatePool, spendableFunds)];
}

function candidateOf({ candidate }: RankedCandidate): Candidate {
  return candidate;
}

const NOTHING_RANKED: readonly RankedCandidate[] = [];

function isAtLeastOne<Item>(list: readonly Item[]): list is readonly [Item, ...Item[]] {
  return list.length > 0;
}

/** Ranks one tier: by the strategy, then equal providers by weight, the session's model, and exploration. */
function rankTier(
  candidates: readonly Candidate[],
  tier: number,
  criteria: RankingCriteria,
  chosenBy: RoutingPolicy["chosenBy"],
  tiebreak: Tiebreak,
): RankedTier {
  const balanced = balanceEqualProviders(rankCandidates(candidates, criteria), tiebreak.random);
  const withSession = preferSessionModel(balanced, tiebreak, criteria.qualityFloor);
  const { best, stickyTo } = withSession;
  // Only where the service chooses the model, and not in a session that stays with its model.
  const mayExplore =
    tier === 0 &&
    tiebreak.exploration > 0 &&
    !tiebreak.frozen &&
    stickyTo === undefined &&
    chosenBy !== "name" &&
    best?.tierKind === "automatic";
  const rankedTier = mayExplore ? explore(withSession, criteria, tiebreak) : withSession;
  const [first] = rankedTier.ranking;
  if (first !== undefined) first.firstPlaceReason = firstPlaceReason(rankedTier);
  return rankedTier;
}

/** Why the first candidate is first, where the strategy alone did not decide. */
function firstPlaceReason({ stickyTo, explored, tiedCount }: RankedTier): string | undefined {
  if (stickyTo !== undefined) return "stays with its session's model";
  if (explored !== undefined) return `tried in the place of its near-equal ${explored.insteadOf}`;
  return tiedCount > 1 ? `drawn by weight among ${tiedCount} equal providers` : undefined;
}

function isCovered(worst: NanoCredits, spendableFunds: SpendableFunds): boolean {
  return unaffordableReason(worst, spendableFunds) === undefined;
}

/** A free model needs no funds, even if a budget is overdrawn. */
function unaffordableReason(
  worst: NanoCredits,
  { balance, budget, accountBudget }: SpendableFunds,
): string | undefined {
  if (worst <= 0n) return undefined;
  if (worst > balance) return "the account's balance does not cover its worst case";
  if (budget !== undefined && worst > budget) return "the key's budget does not cover its worst case";
  if (accountBudget !== undefined && worst > accountBudget)
    return "the organisation's budget does not cover its worst case";
  return undefined;
}

function unaffordableExclusions({ tiers }: CandidatePool, spendableFunds: SpendableFunds): readonly Excluded[] {
  return tiers.flat().flatMap(({ model, quote }) => {
    const reason = unaffordableReason(quote.worst, spendableFunds);
    return reason === undefined ? [] : [{ model: fullNameOf(model), reason }];
  });
}

function insufficientFundsFault(candidatePool: CandidatePool, spendableFunds: SpendableFunds): Fault {
  const { balance, budget, accountBudget } = spendableFunds;
  const needed = candidatePool.cheapestWorst;
  const ofKey = budget !== undefined && needed > budget;
  const exceeded = ofKey ? budget : (accountBudget ?? budget);
  if (needed <= balance && exceeded !== undefined) {
    const left = exceeded > 0n ? exceeded : 0n;
    const whose = ofKey || accountBudget === undefined ? "this key's budget" : "the organisation's budget";
    return new Fault(
      "budget_exceeded",
      `This request may cost ${formatCredits(needed)} and ${whose} has ${formatCredits(left)} left. ` +
        "Raise the budget, wait for its next period, or lower max_tokens.",
    );
  }
  return new Fault(
    "insufficient_balance",
    `This request may cost ${formatCredits(needed)} and ${formatCredits(balance)} are available. ` +
      "Add credits, or lower max_tokens.",
  );
}

/**
 * The route without other accounts' models that may cost more than twice the first candidate: a failure must not lead an
 * automatic request to a dear model.
 */
export function boundFailover(route: Route, accountId: string): Route {
  const [first, ...others] = route.ranking;
  const limit = failoverLimitOf(first.candidate.quote.worst);
  const isWithin = ({ candidate: { model, quote } }: RankedCandidate) =>
    quote.worst <= limit || !isThirdPartyTo(model, accountId);
  if (others.every(isWithin)) return route;
  const tooDear = others.filter((ranked) => !isWithin(ranked));
  return {
    ...route,
    ...rankingOf(first, others.filter(isWithin)),
    excluded: () => [
      ...route.excluded(),
      ...tooDear.map(({ candidate: { model, quote } }) => ({
        model: fullNameOf(model),
        reason: `it may cost ${formatCredits(quote.worst)}, more than ${FAILOVER_FACTOR} times the first model, and max_cost does not allow it`,
      })),
    ],
  };
}

/** The route in the order in which a cascade tries it: tier by tier, the cheapest first. */
export function inCascadeOrder(route: Route): Route {
  const [first, ...others] = route.ranking;
  const [cheapest = first, ...dearer] = [first, ...others].sort((one, other) =>
    compareInCascade(one.candidate, other.candidate),
  );
  return {
    ...route,
    ...rankingOf(
      new CascadeStep(cheapest, true),
      dearer.map((ranked) => new CascadeStep(ranked, false)),
    ),
    isCascade: true,
    // The order is by cost alone, whatever a session or chance said.
    stickyTo: undefined,
    propensity: undefined,
    explored: undefined,
  };
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
 * The next candidate after a step of a cascade that failed: the next one of the tier with a better predicted quality, else
 * the first of the next tier, else the next more expensive one.
 */
export function nextCascadeCandidate(candidates: readonly Candidate[], last: Candidate): Candidate | undefined {
  const later = candidates.slice(candidates.indexOf(last) + 1);
  const better = later.find(({ tier, quality }) => tier === last.tier && quality > last.quality);
  return better ?? later.find(({ tier }) => tier > last.tier) ?? later[0];
}
