import type { Strategy } from "../domain/inference.ts";
import { fullNameOf, type Model } from "../domain/model.ts";
import type { Candidate, LeftOut, Quote, Route } from "../domain/route.ts";
import { Fault } from "../kit/fault.ts";
import type { NanoCredits } from "../kit/money.ts";
import { writeCredits } from "../kit/write-credits.ts";
import type { Eligible } from "./find-candidates.ts";
import type { Prospect } from "./prospect.ts";
import { isWanted, rankProspects } from "./rank-prospects.ts";
import { reasonsFor } from "./reasons-for.ts";
import type { Policy } from "./resolve-strategy.ts";

/** What there is to spend: of the account, and of the key where it has a budget. */
export interface Funds {
  readonly balance: NanoCredits;
  /** What is left of the key's budget; undefined: the key has none. */
  readonly budget: NanoCredits | undefined;
}

/** Orders what can serve and be paid for by the strategy, tier by tier, or refuses for lack of money. */
export function chooseRoute(eligible: Eligible, funds: Funds, policy: Policy): Route {
  const leftOut: LeftOut[] = [...eligible.leftOut];
  const candidates: Candidate[] = [];
  for (const [tier, prospects] of eligible.tiers.entries()) {
    const affordable = prospects.filter((prospect) => {
      const lack = whyUnaffordable(prospect.quote.worst, funds);
      if (lack !== undefined) leftOut.push({ model: fullNameOf(prospect.model), reason: lack });
      return lack === undefined;
    });
    for (const prospect of rankProspects(affordable, eligible.task, policy)) {
      candidates.push(
        new RankedCandidate(prospect, isWanted(prospect, eligible.task), tier, policy.strategy),
      );
    }
  }
  const [first, ...others] = candidates;
  if (first === undefined) throw lackOfMoney(eligible, funds);
  const { task, reading } = eligible;
  return { ...policy, task, reading, candidates: [first, ...others], leftOut };
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

  constructor(prospect: Prospect, wanted: boolean, tier: number, strategy: Strategy) {
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
  }

  get reasons(): readonly string[] {
    return reasonsFor(this.#prospect, this.#strategy);
  }
}
