import { fullNameOf } from "../domain/model.ts";
import type { Candidate, LeftOut, Route } from "../domain/route.ts";
import { Fault } from "../kit/fault.ts";
import type { NanoCredits } from "../kit/money.ts";
import { writeCredits } from "../kit/write-credits.ts";
import type { Eligible } from "./find-candidates.ts";
import type { Prospect } from "./prospect.ts";
import { rankProspects } from "./rank-prospects.ts";
import { RankedCandidate } from "./ranked-candidate.ts";
import type { Policy } from "./resolve-strategy.ts";

/** What there is to spend: of the account, and of the key where it has a budget. */
export interface Funds {
  readonly balance: NanoCredits;
  /** What is left of the key's budget; undefined: the key has none. */
  readonly budget: NanoCredits | undefined;
}

/** Orders what can serve and be paid for by the strategy, tier by tier, or refuses for lack of money. */
export function chooseRoute(eligible: Eligible, funds: Funds, policy: Policy): Route {
  const { affordable, unaffordable } = afford(eligible, funds);
  const [first, ...others] = rank(affordable, eligible, policy);
  if (first === undefined) throw lackOfMoney(eligible, funds);
  let leftOut: readonly LeftOut[] | undefined;
  return {
    strategy: policy.strategy,
    weights: policy.weights,
    qualityFloor: policy.qualityFloor,
    chosenBy: policy.chosenBy,
    task: eligible.task,
    reading: eligible.reading,
    candidates: [first, ...others],
    // Put into words only when somebody asks for them, as this runs for every request.
    get leftOut() {
      leftOut ??= [...eligible.leftOut, ...unaffordable.map(leftOutFor(funds))];
      return leftOut;
    },
  };
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

/** Puts those of each tier in the order of the strategy. */
function rank(tiers: Tiers, { task }: Eligible, policy: Policy): Candidate[] {
  const candidates: Candidate[] = [];
  for (const [tier, prospects] of tiers.entries()) {
    for (const standing of rankProspects(prospects, task, policy)) {
      candidates.push(new RankedCandidate(standing, tier, policy));
    }
  }
  return candidates;
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
