import { STRATEGIES, type Strategy } from "@trunkline/core/inference.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import { type Ranking, rankByFigures } from "../rank/rank-by-figures.ts";

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
export interface Effect {
  readonly cost: NanoCredits;
  readonly latencyMs: number;
  readonly quality: number;
}

/** A request that would have gone elsewhere. */
export interface Move {
  readonly requestId: string;
  readonly createdAt: Date;
  readonly from: string;
  readonly to: string;
  readonly difference: Effect;
}

/** What one strategy would have made of the requests. */
export interface StrategyEffect extends Effect {
  readonly strategy: Strategy;
  /** Less what really happened. */
  readonly difference: Effect;
  /** How many requests would have gone elsewhere. */
  readonly moved: number;
  /** Some of those, in the order of the requests. */
  readonly examples: readonly Move[];
}

export interface StrategyReport {
  readonly actual: Effect;
  readonly strategies: readonly StrategyEffect[];
}

const EXAMPLES = 20;

/** What every strategy would have made of past requests, and what really became of them. Calls nobody, charges nothing. */
export function reportStrategies(
  requests: readonly PastRequest[],
  measures: Omit<Ranking, "strategy">,
  strategies: readonly Strategy[] = STRATEGIES,
): StrategyReport {
  const known = requests.flatMap((request) => {
    const answered = request.candidates.find(({ model }) => model === request.model);
    return answered === undefined ? [] : [{ request, answered: { ...answered, cost: request.cost } }];
  });
  const actual = sumUp(known.map(({ answered }) => answered));
  return {
    actual,
    strategies: strategies.map((strategy) => {
      const choices = known.map(({ request, answered }) => {
        const first = firstOf(request, { ...measures, strategy });
        return { request, answered, instead: first === request.model ? answered : findIn(request, first) };
      });
      const effect = sumUp(choices.map(({ instead, answered }) => instead ?? answered));
      const moves = choices.flatMap(({ request, answered, instead = answered }) =>
        instead === answered ? [] : [moveOf(request, answered, instead)],
      );
      return {
        strategy,
        ...effect,
        difference: less(effect, actual),
        moved: moves.length,
        examples: moves.slice(0, EXAMPLES),
      };
    }),
  };
}

/** Who would have been called, of those who would have answered. */
function firstOf({ candidates, failed, model }: PastRequest, ranking: Ranking): string {
  const sound = candidates.filter((candidate) => candidate.model === model || !failed.has(candidate.model));
  const [first] = rankByFigures(
    sound,
    ({ estimate, ...known }) => ({ ...known, cost: estimate, efficiency: 0 }),
    ranking,
  );
  return first?.item.model ?? model;
}

function findIn({ candidates }: PastRequest, model: string): PastCandidate | undefined {
  return candidates.find((candidate) => candidate.model === model);
}

function moveOf(request: PastRequest, answered: PastCandidate, instead: PastCandidate): Move {
  return {
    requestId: request.id,
    createdAt: request.createdAt,
    from: answered.model,
    to: instead.model,
    difference: less(instead, answered),
  };
}

function sumUp(parts: readonly Effect[]): Effect {
  let [cost, latencyMs, quality] = [0n, 0, 0];
  for (const part of parts) {
    cost += part.cost;
    latencyMs += part.latencyMs;
    quality += part.quality;
  }
  const count = Math.max(parts.length, 1);
  return { cost, latencyMs: latencyMs / count, quality: quality / count };
}

function less(one: Effect, other: Effect): Effect {
  return {
    cost: one.cost - other.cost,
    latencyMs: one.latencyMs - other.latencyMs,
    quality: one.quality - other.quality,
  };
}
