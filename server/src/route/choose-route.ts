import { fullNameOf } from "../domain/model.ts";
import type { LeftOut, Route } from "../domain/route.ts";
import { Fault } from "../kit/fault.ts";
import type { NanoCredits } from "../kit/money.ts";
import type { Random } from "../kit/random.ts";
import { writeCredits } from "../kit/write-credits.ts";
import { explore } from "./explore.ts";
import type { Eligible } from "./find-candidates.ts";
import { keepSession, type SessionSway } from "./keep-session.ts";
import type { Order } from "./order.ts";
import type { Prospect } from "./prospect.ts";
import { rankProspects } from "./rank-prospects.ts";
import { RankedCandidate } from "./ranked-candidate.ts";
import type { Policy } from "./resolve-strategy.ts";
import { spreadEquals } from "./spread-equals.ts";
import type { Standing } from "./standing.ts";

/** What there is to spend: of the account, and of the key where it has a budget. */
export interface Funds {
  readonly balance: NanoCredits;
  /** What is left of the key's budget; undefined: the key has none. */
  readonly budget: NanoCredits | undefined;
}

/** What may still change the order once the strategy has ranked it. */
export interface Sway extends SessionSway {
  readonly random: Random;
  /** How often a near-equal of the best is tried, 0 to 1; 0: this request tries nothing out. */
  readonly exploration: number;
  /** Whether nothing is learnt now, so that there is nothing to try out either. */
  readonly frozen: boolean;
}

/** Leaves nothing to chance: what is equal keeps the order it came in. */
export const NO_SWAY: Sway = { random: () => 0, sessionModel: undefined, exploration: 0, frozen: true };

/** Orders what can serve and be paid for, tier by tier, or refuses for lack of money. */
export function chooseRoute(eligible: Eligible, funds: Funds, policy: Policy, sway: Sway = NO_SWAY): Route {
  const { affordable, unaffordable } = afford(eligible, funds);
  const orders = affordable.map((prospects, tier) => arrange(prospects, tier, eligible, policy, sway));
  const [first, ...others] = orders.flatMap(({ candidates }) => candidates);
  if (first === undefined) throw lackOfMoney(eligible, funds);
  const { propensity = 1, explored } = orders.find(({ candidates }) => candidates.length > 0)?.order ?? {};
  const stickyTo = orders.find(({ order }) => order.stickyTo !== undefined)?.order.stickyTo;
  return {
    strategy: policy.strategy,
    weights: policy.weights,
    qualityFloor: policy.qualityFloor,
    chosenBy: policy.chosenBy,
    task: eligible.task,
    reading: eligible.reading,
    candidates: [first, ...others],
    leftOut: () => [...eligible.leftOut(), ...unaffordable.map(leftOutFor(funds))],
    ...(stickyTo === undefined ? {} : { stickyTo }),
    ...(propensity === 1 ? {} : { propensity }),
    ...(explored === undefined ? {} : { explored }),
  };
}

/** The models of one tier: ranked by the strategy, equals spread by weight, the session's kept, a near-equal tried now and then. */
function arrange(
  prospects: readonly Prospect[],
  tier: number,
  { task }: Eligible,
  policy: Policy,
  sway: Sway,
) {
  const standings = rankProspects(prospects, task, policy);
  const ranked = standings.map(({ item }) => item);
  const spread = spreadEquals(ranked, sway.random);
  const { strategy, qualityFloor } = policy;
  const kept = keepSession(spread, sway, qualityFloor);
  const explores = tier === 0 && mayExplore(kept, policy, sway);
  const order = explores ? explore(kept, { ...sway, task, strategy, qualityFloor }) : kept;
  const inOrder = order.prospects === ranked ? standings : inOrderOf(order.prospects, standings);
  const note = whyFirst(order);
  const candidates = inOrder.map(
    (standing, place) => new RankedCandidate(standing, tier, policy, place === 0 ? note : undefined),
  );
  return { order, candidates };
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
