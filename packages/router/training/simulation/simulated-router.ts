import type { Inference } from "@trunkline/core/inference.ts";
import type { Model } from "@trunkline/core/model.ts";
import { createQuoter } from "@trunkline/core/quote.ts";
import type { Random } from "@trunkline/core/random.ts";
import type { Route } from "@trunkline/core/route.ts";
import { RetryBudget } from "@trunkline/providers/call/retry-budget.ts";
import { EndpointHealth } from "@trunkline/providers/health/endpoint-health.ts";
import { sampleCaller, sampleCatalogue } from "@trunkline/testing/samples.ts";
import { findCandidates } from "../../src/candidates/find-candidates.ts";
import { trafficKeyOf } from "../../src/candidates/takes-part.ts";
import type { Predictor } from "../../src/predict/predictor.ts";
import { chooseRoute } from "../../src/rank/choose-route.ts";
import { resolveRoutingPolicy } from "../../src/rank/resolve-strategy.ts";
import type { SimulatedClock } from "./simulated-clock.ts";

export const CALLER = sampleCaller();
const FUNDS = { balance: 10n ** 18n, budget: undefined };
/** As the service has them where nobody says otherwise. */
const EXPLORATION = 0.05;
const DEFAULTS = { strategy: "cost-optimized", qualityFloor: 0.3 } as const;
/** How far below the truth the predictor's lower bound is. */
const LOWER_BOUND_MARGIN = 0.05;

/** Whether a model of this quality is surely good enough for a request. */
export function clearsFloor(quality: number, { preferences }: Inference): boolean {
  return quality - LOWER_BOUND_MARGIN >= (preferences.minQuality ?? DEFAULTS.qualityFloor);
}

/** Knows how good every model is: what is tried here is how the router meets changes, not how it judges answers. */
const oraclePredictor: Predictor = {
  extractFeatures: ({ task }) => ({
    domain: task.kind,
    family: task.kind,
    confidence: 1,
    difficulty: 0.5,
    shares: [{ domain: task.kind, share: 1 }],
  }),
  predict: ({ accuracyScore = 0.5 }) => ({
    quality: accuracyScore,
    lower: accuracyScore - LOWER_BOUND_MARGIN,
    evidence: 100,
  }),
  expectedOutputTokens: () => undefined,
};

/** The service's own way from a request to its candidates, with what it learns on the way, and no store. */
export class SimulatedRouter {
  readonly health: EndpointHealth;
  readonly retries: RetryBudget;
  readonly random: Random;

  constructor(time: SimulatedClock, random: Random) {
    this.random = random;
    this.health = new EndpointHealth(time, random);
    this.retries = new RetryBudget(time);
  }

  plan(models: readonly Model[], inference: Inference, requestId: string): Route {
    const candidatePool = findCandidates({
      predictor: oraclePredictor,
      promptFeatures: oraclePredictor.extractFeatures(inference),
      catalogue: sampleCatalogue(models),
      healthOf: (model) => this.health.of(model.id),
      quoteOf: createQuoter(inference, () => undefined),
      caller: CALLER,
      inference,
      trafficKey: trafficKeyOf(inference, CALLER, requestId),
    });
    return chooseRoute(candidatePool, FUNDS, resolveRoutingPolicy(inference, CALLER, DEFAULTS), {
      random: this.random,
      sessionModel: undefined,
      exploration: EXPLORATION,
      frozen: false,
    });
  }
}
