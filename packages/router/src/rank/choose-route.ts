import { Fault } from "@trunkline/core/fault.ts";
import type { Task } from "@trunkline/core/inference.ts";
import { fullNameOf } from "@trunkline/core/model.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { Candidate, LeftOut, Route } from "@trunkline/core/route.ts";
import { writeCredits } from "@trunkline/core/write-credits.ts";
import type { Eligible } from "../candidates/find-candidates.ts";
import type { Prospect } from "../candidates/prospect.ts";
import { spreadEquals } from "./balance-providers.ts";
import { type Curiosity, explore } from "./explore.ts";
import { keepSession, type SessionSway } from "./keep-session.ts";
import type { Order } from "./order.ts";
import { rankProspects } from "./rank-prospects.ts";
import { RankedCandidate } from "./ranked-candidate.ts";
import type { Policy } from "./resolve-strategy.ts";
import type { Standing } from "./standing.ts";

/** What there is to spend: of the account, and of the key where it has a budget. */
export interface Funds {
  readonly balance: NanoCredits;
  /** What is left of the key's budget; undefined: the key has none. */
  readonly budget: NanoCredits | undefined;
}

/** What may still change the order once the strategy has ranked it. */
export interface Sway extends SessionSway, Curiosity {
  /** Whether nothing is learnt now, so that there is nothing to try out either. */
  readonly frozen: boolean;
}

/** Leaves nothing to chance: what is equal keeps the order it came in. */
export const NO_SWAY: Sway = { random: () => 0, sessionModel: undefined, exploration: 0, frozen: true };

/** Orders what can serve and be paid for, tier by tier, or refuses for lack of money. */
export function chooseRoute(eligible: Eligible, funds: Funds, policy: Policy, sway: Sway = NO_SWAY): Route {
  const { affordable, unaffordable } = afford(eligible, funds);
  const candidates: Candidate[] = [];
  let first: Order | undefined;
  let stickyTo: string | undefined;
  for (const [tier, prospects] of affordable.entries()) {
    if (prospects.length === 0) continue;
    const order = arrange(prospects, tier, eligible.task, policy, sway, candidates);
    first ??= order;
    stickyTo ??= order.stickyTo;
  }
  if (first === undefined || !isAtLeastOne(candidates)) throw lackOfMoney(eligible, funds);
  const { propensity, explored } = first;
  return {
    strategy: policy.strategy,
    weights: policy.weights,
    qualityFloor: policy.qualityFloor,
    chosenBy: policy.chosenBy,
    task: eligible.task,
    reading: eligible.reading,
    candidates,
    leftOut: () => [...eligible.leftOut(), ...unaffordable.map(leftOutFor(funds))],
    ...(stickyTo === undefined ? {} : { stickyTo }),
    ...(propensity === 1 ? {} : { propensity }),
    ...(explored === undefined ? {} : { explored }),
  };
}

function isAtLeastOne(candidates: readonly Candidate[]): candidates is Route["candidates"] {
  return candidates.length > 0;
}

/**
 * Puts the models of one tier behind those that are there: ranked by the strategy, equals spread by weight, the session's
 * kept, a near-equal tried now and then.
 */
function arrange(
  prospects: readonly Prospect[],
  tier: number,
  task: Task,
  policy: Policy,
  sway: Sway,
  candidates: Candidate[],
): Order {
  const standings = rankProspects(prospects, task, policy);
  const ranked = standings.map(({ item }) => item);
  const spread = spreadEquals(ranked, sway.random);
  const kept = keepSession(spread, sway, policy.qualityFloor);
  const explores = tier === 0 && mayExplore(kept, policy, sway);
  const order = explores ? explore(kept, task, policy, sway) : kept;
  let note = whyFirst(order);
  for (const standing of order.prospects === ranked ? standings : inOrderOf(order.prospects, standings)) {
    candidates.push(new RankedCandidate(standing, tier, policy, note));
    note = undefined;
  }
  return order;
}

/** Whoever moves to the front moves the others by one place at most: nearly all are found where they were. */
function inOrderOf(prospects: readonly Prospect[], standings: readonly Standing<Prospect>[]) {
  const inOrder: Standing<Prospect>[] = [];
  for (const [place, prospect] of prospects.entries()) {
    let standing = standings[place];
    if (standing?.item !== prospect) standing = standings[place - 1];
    if (standing?.item !== prospect) standing = standings.find(({ item }) => item === prospect);
    if (standing !== undefined) inOrder.push(standing);
  }
  return inOrder;
}

/** Only where the service chooses, and not away from the model that a session stays with. */
function mayExplore({ best, stickyTo }: Order, { chosenBy }: Policy, { exploration, frozen }: Sway): boolean {
  return (
    exploration > 0 && !frozen && stickyTo === undefined && chosenBy !== "name" && best?.tier === "automatic"
  );
}

/** What, beside the strategy, has put the first in its place. */
function whyFirst({ stickyTo, explored, equals }: Order): string | undefined {
  if (stickyTo !== undefined) return "stays with its session's model";
  if (explored !== undefined) return `tried in the place of its near-equal ${explored.insteadOf}`;
  return equals > 1 ? `drawn by weight among ${equals} equal providers` : undefined;
}

type Tiers = readonly (readonly Prospect[])[];

/** Parts what there is money for from what there is not. */
function afford({ tiers, dearestWorst }: Eligible, funds: Funds) {
  if (whyUnaffordable(dearestWorst, funds) === undefined) return { affordable: tiers, unaffordable: [] };
  const unaffordable: Prospect[] = [];
  const affordable: Tiers = tiers.map((prospects) =>
    prospects.filter((prospect) => {
      const isCovered = whyUnaffordable(prospect.quote.worst, funds) === undefined;
      if (!isCovered) unaffordable.push(prospect);
      return isCovered;
    }),
  );
  return { affordable, unaffordable };
}

/** What costs nothing needs no funds, even where a budget is overdrawn. */
function whyUnaffordable(worst: NanoCredits, { balance, budget }: Funds): string | undefined {
  if (worst <= 0n) return undefined;
  if (worst > balance) return "the account's balance does not cover its worst case";
  if (budget !== undefined && worst > budget) return "the key's budget does not cover its worst case";
  return undefined;
}

function leftOutFor(funds: Funds) {
  return ({ model, quote }: Prospect): LeftOut => ({
    model: fullNameOf(model),
    reason: whyUnaffordable(quote.worst, funds) ?? "",
  });
}

function lackOfMoney(eligible: Eligible, { balance, budget }: Funds): Fault {
  const needed = eligible.cheapestWorst;
  if (needed <= balance && budget !== undefined) {
    const left = budget > 0n ? budget : 0n;
    return new Fault(
      "budget_exceeded",
      `This request may cost ${writeCredits(needed)} and this key's budget has ${writeCredits(left)} left. ` +
        "Raise the budget, wait for its next period, or lower max_tokens.",
    );
  }
  return new Fault(
    "insufficient_balance",
    `This request may cost ${writeCredits(needed)} and ${writeCredits(balance)} are available. ` +
      "Add credits, or lower max_tokens.",
  );
}
