import { STRATEGIES, type Strategy } from "@trunkline/core/inference.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import { settleFloors } from "../rank/settle-floors.ts";
import { type Rankable, type RoutingPolicy, rankByStrategy } from "../rank/strategies.ts";

/** A candidate of a past request, with the figures of that time. */
export interface PastCandidate extends Rankable {
  /** `provider/name` */
  readonly model: string;
  /** The estimate that it was ranked by, in nano-credits. */
  readonly estimate: number;
  /** What this request would have cost with it, by its price of that time and the tokens that were really used. */
  readonly cost: NanoCredits;
}

/** A request that was answered, and its candidates. */
export interface PastRequest {
  readonly id: string;
  readonly createdAt: Date;
  /** `provider/name` of the candidate that answered. */
  readonly model: string;
  /** What was charged. */
  readonly cost: NanoCredits;
  /** Candidates that failed: another order would not have made them answer. */
  readonly failed: ReadonlySet<string>;
  readonly candidates: readonly PastCandidate[];
}

/** The sum of the costs, and the average expected time and quality of some requests. */
export interface RoutingTotals {
  readonly cost: NanoCredits;
  readonly latencyMs: number;
  readonly quality: number;
}

/** A request that would have gone to another model. */
export interface ReroutedRequest {
  readonly requestId: string;
  readonly createdAt: Date;
  readonly from: string;
  readonly to: string;
  readonly difference: RoutingTotals;
}

/** The result of one strategy. */
export interface StrategyComparison extends RoutingTotals {
  readonly strategy: Strategy;
  /** The difference to what was chosen. */
  readonly difference: RoutingTotals;
  /** How many requests would have gone to another model. */
  readonly moved: number;
  /** Some of those, in the order of the requests. */
  readonly examples: readonly ReroutedRequest[];
}

export interface StrategyReport {
  readonly actual: RoutingTotals;
  readonly strategies: readonly StrategyComparison[];
}

const MAX_EXAMPLES = 20;

/** What every strategy would have chosen for past requests, compared with what was chosen. Calls no provider. */
export function reportStrategies(
  requests: readonly PastRequest[],
  measures: Omit<RoutingPolicy, "strategy" | "chosenBy">,
  strategies: readonly Strategy[] = STRATEGIES,
): StrategyReport {
  const known = requests.flatMap((request) => {
    const answered = request.candidates.find(({ model }) => model === request.model);
    return answered === undefined ? [] : [{ request, answered: { ...answered, cost: request.cost } }];
  });
  const actual = totalsOf(known.map(({ answered }) => answered));
  return {
    actual,
    strategies: strategies.map((strategy) => {
      const choices = known.map(({ request, answered }) => {
        const first = firstChoice(request, { ...measures, strategy });
        return {
          request,
          answered,
          instead: first === request.model ? answered : findCandidate(request, first),
        };
      });
      const routingTotals = totalsOf(choices.map(({ instead, answered }) => instead ?? answered));
      const reroutedRequests = choices.flatMap(({ request, answered, instead = answered }) =>
        instead === answered ? [] : [toReroutedRequest(request, answered, instead)],
      );
      return {
        strategy,
        ...routingTotals,
        difference: subtractTotals(routingTotals, actual),
        moved: reroutedRequests.length,
        examples: reroutedRequests.slice(0, MAX_EXAMPLES),
      };
    }),
  };
}

/** The first choice among the candidates that did not fail. */
function firstChoice({ candidates, failed, model }: PastRequest, policy: Omit<RoutingPolicy, "chosenBy">): string {
  const working = candidates.filter((candidate) => candidate.model === model || !failed.has(candidate.model));
  const [first] = rankByStrategy(
    working,
    ({ estimate }) => estimate,
    () => 0,
    settleFloors(working, policy),
  );
  return first?.candidate.model ?? model;
}

function findCandidate({ candidates }: PastRequest, model: string): PastCandidate | undefined {
  return candidates.find((candidate) => candidate.model === model);
}

function toReroutedRequest(request: PastRequest, answered: PastCandidate, instead: PastCandidate): ReroutedRequest {
  return {
    requestId: request.id,
    createdAt: request.createdAt,
    from: answered.model,
    to: instead.model,
    difference: subtractTotals(instead, answered),
  };
}

function totalsOf(parts: readonly RoutingTotals[]): RoutingTotals {
  let [cost, latencyMs, quality] = [0n, 0, 0];
  for (const part of parts) {
    cost += part.cost;
    latencyMs += part.latencyMs;
    quality += part.quality;
  }
  const count = Math.max(parts.length, 1);
  return { cost, latencyMs: latencyMs / count, quality: quality / count };
}

function subtractTotals(one: RoutingTotals, other: RoutingTotals): RoutingTotals {
  return {
    cost: one.cost - other.cost,
    latencyMs: one.latencyMs - other.latencyMs,
    quality: one.quality - other.quality,
  };
}
