import type { Strategy } from "../domain/inference.ts";
import { fullNameOf, type Model } from "../domain/model.ts";
import type { Candidate, LeftOut, Quote, Route } from "../domain/route.ts";
import { Fault } from "../kit/fault.ts";
import type { NanoCredits } from "../kit/money.ts";
import type { Random } from "../kit/random.ts";
import { writeCredits } from "../kit/write-credits.ts";
import { explore } from "./explore.ts";
import type { Eligible } from "./find-candidates.ts";
import { keepSession } from "./keep-session.ts";
import type { Order } from "./order.ts";
import type { Prospect } from "./prospect.ts";
import { isWanted, rankProspects } from "./rank-prospects.ts";
import { reasonsFor } from "./reasons-for.ts";
import type { Policy } from "./resolve-strategy.ts";
import { spreadEquals } from "./spread-equals.ts";

/** What there is to spend: of the account, and of the key where it has a budget. */
export interface Funds {
  readonly balance: NanoCredits;
  /** What is left of the key's budget; undefined: the key has none. */
  readonly budget: NanoCredits | undefined;
}

/** What may still change the order once the strategy has ranked it. */
export interface Sway {
  readonly random: Random;
  /** `provider/name` of the model that answered last in the request's session. */
  readonly sessionModel: string | undefined;
  /** How often a near-equal of the best is tried, 0 to 1; 0: this request tries nothing out. */
  readonly exploration: number;
  /** Whether nothing is learnt now, so that there is nothing to try out either. */
  readonly frozen: boolean;
  /** The least quality, at its lower bound, of what is tried out. */
  readonly qualityFloor: number;
}

/** Leaves nothing to chance: what is equal keeps the order it came in. */
export const NO_SWAY: Sway = {
  random: () => 0,
  sessionModel: undefined,
  exploration: 0,
  frozen: true,
  qualityFloor: 0,
};

/** Orders what can serve and be paid for, tier by tier, or refuses for lack of money. */
export function chooseRoute(eligible: Eligible, funds: Funds, policy: Policy, sway: Sway = NO_SWAY): Route {
  const { task, reading } = eligible;
  const leftOut: LeftOut[] = [...eligible.leftOut];
  const candidates: Candidate[] = [];
  let leading: Order | undefined;
  let stickyTo: string | undefined;
  for (const [tier, prospects] of eligible.tiers.entries()) {
    const affordable = takeAffordable(prospects, funds, leftOut);
    if (affordable.length === 0) continue;
    const ranked = rankProspects(affordable, task, policy);
    const spread = spreadEquals(ranked, sway.random);
    const kept = keepSession(spread, sway.sessionModel);
    const explores = leading === undefined && mayExplore(kept, policy, sway);
    const order = explores ? explore(kept, { ...sway, task, strategy: policy.strategy }) : kept;
    leading ??= order;
    stickyTo ??= order.stickyTo;
    for (const [place, prospect] of order.prospects.entries()) {
      const note = place === 0 ? whyFirst(order) : undefined;
      candidates.push(new RankedCandidate(prospect, isWanted(prospect, task), tier, policy.strategy, note));
    }
  }
  const [first, ...others] = candidates;
  if (first === undefined || leading === undefined) throw lackOfMoney(eligible, funds);
  const { propensity, explored } = leading;
  return {
    ...policy,
    task,
    reading,
    candidates: [first, ...others],
    leftOut,
    ...(stickyTo === undefined ? {} : { stickyTo }),
    ...(propensity === 1 ? {} : { propensity }),
    ...(explored === undefined ? {} : { explored }),
  };
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

function takeAffordable(prospects: readonly Prospect[], funds: Funds, leftOut: LeftOut[]): Prospect[] {
  return prospects.filter((prospect) => {
    const lack = whyUnaffordable(prospect.quote.worst, funds);
    if (lack !== undefined) leftOut.push({ model: fullNameOf(prospect.model), reason: lack });
    return lack === undefined;
  });
}

/** What costs nothing needs no funds, even where a budget is overdrawn. */
function whyUnaffordable(worst: NanoCredits, { balance, budget }: Funds): string | undefined {
  if (worst <= 0n) return undefined;
  if (worst > balance) return "the account's balance does not cover its worst case";
  if (budget !== undefined && worst > budget) return "the key's budget does not cover its worst case";
  return undefined;
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

/**
 * A prospect with its place. Its reasons are put into words only when somebody asks for them,
 * as this runs for every request; so they are no property of its own that a spread would copy.
 */
class RankedCandidate implements Candidate {
  readonly model: Model;
  readonly quote: Quote;
  readonly quality: number;
  readonly lowerQuality: number;
  readonly evidence: number;
  readonly latencyMs: number;
  readonly errorRate: number;
  readonly isWanted: boolean;
  readonly tier: number;
  readonly #prospect: Prospect;
  readonly #strategy: Strategy;
  /** Why it is the first of its tier, where that is not the strategy's doing alone. */
  readonly #note: string | undefined;

  constructor(
    prospect: Prospect,
    wanted: boolean,
    tier: number,
    strategy: Strategy,
    note: string | undefined,
  ) {
    this.model = prospect.model;
    this.quote = prospect.quote;
    this.quality = prospect.prediction.quality;
    this.lowerQuality = prospect.prediction.lower;
    this.evidence = prospect.prediction.evidence;
    this.latencyMs = prospect.latencyMs;
    this.errorRate = prospect.health.errorRate;
    this.isWanted = wanted;
    this.tier = tier;
    this.#prospect = prospect;
    this.#strategy = strategy;
    this.#note = note;
  }

  get reasons(): readonly string[] {
    const reasons = reasonsFor(this.#prospect, this.#strategy);
    return this.#note === undefined ? reasons : [...reasons, this.#note];
  }
}
