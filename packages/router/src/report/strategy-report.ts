import { STRATEGIES, type Strategy } from "@trunkline/core/inference.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import { type RankingCriteria, rankByMetrics } from "../rank/strategies.ts";

/** A model that could have served a request, with what was known of it at that time. */
export interface PastCandidate {
  /** `provider/name` */
  readonly model: string;
  /** What it was ranked by then, in nano-credits. */
  readonly estimate: number;
  /** What this request would have cost with it: by its price then, and by what the request really used. */
  readonly cost: NanoCredits;
  readonly latencyMs: number;
  readonly quality: number;
  /** What was held against the floor. */
  readonly sureQuality: number;
  readonly errorRate: number;
  readonly isWanted: boolean;
}

/** A request that was answered, and who could have. */
export interface PastRequest {
  readonly id: string;
  readonly createdAt: Date;
  /** Who answered; one of the candidates. */
  readonly model: string;
  /** What was really charged. */
  readonly cost: NanoCredits;
  /** Who was called first and failed: another order would not have made them answer. */
  readonly failed: ReadonlySet<string>;
  readonly candidates: readonly PastCandidate[];
}

/** What some requests cost together, how fast they were expected to be and how good, on average. */
export interface RoutingTotals {
  readonly cost: NanoCredits;
  readonly latencyMs: number;
  readonly quality: number;
}

/** A request that would have gone elsewhere. */
export interface ReroutedRequest {
  readonly requestId: string;
  readonly createdAt: Date;
  readonly from: string;
  readonly to: string;
  readonly difference: RoutingTotals;
}

/** What one strategy would have made of the requests. */
export interface StrategyComparison extends RoutingTotals {
  readonly strategy: Strategy;
  /** Less what really happened. */
  readonly difference: RoutingTotals;
  /** How many requests would have gone elsewhere. */
  readonly moved: number;
  /** Some of those, in the order of the requests. */
  readonly examples: readonly ReroutedRequest[];
}

export interface StrategyReport {
  readonly actual: RoutingTotals;
  readonly strategies: readonly StrategyComparison[];
}

const MAX_EXAMPLES = 20;

/** What every strategy would have made of past requests, and what really became of them. Calls nobody, charges nothing. */
export function reportStrategies(
  requests: readonly PastRequest[],
  measures: Omit<RankingCriteria, "strategy">,
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

/** Who would have been called, of those who would have answered. */
function firstChoice({ candidates, failed, model }: PastRequest, rankingCriteria: RankingCriteria): string {
  const sound = candidates.filter((candidate) => candidate.model === model || !failed.has(candidate.model));
  const [first] = rankByMetrics(
    sound,
    ({ estimate, ...known }) => ({ ...known, cost: estimate, efficiency: 0 }),
    rankingCriteria,
  );
  return first?.item.model ?? model;
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
