import { quoter } from "../../../server/src/billing/quote.ts";
import type { Inference } from "../../../server/src/domain/inference.ts";
import type { Model } from "../../../server/src/domain/model.ts";
import type { Route } from "../../../server/src/domain/route.ts";
import type { Random } from "../../../server/src/kit/random.ts";
import { EndpointHealth } from "../../../server/src/providers/endpoint-health.ts";
import { RetryBudget } from "../../../server/src/providers/retry-budget.ts";
import { chooseRoute } from "../../../server/src/route/choose-route.ts";
import { findCandidates } from "../../../server/src/route/find-candidates.ts";
import type { Predictor } from "../../../server/src/route/predictor.ts";
import { resolvePolicy } from "../../../server/src/route/resolve-strategy.ts";
import { ticketOf } from "../../../server/src/route/takes-part.ts";
import { sampleCaller, sampleCatalogue } from "../../../server/test/samples.ts";
import type { SimulatedTime } from "./simulated-time.ts";

export const CALLER = sampleCaller();
const FUNDS = { balance: 10n ** 18n, budget: undefined };
/** As the service has them where nobody says otherwise. */
const EXPLORATION = 0.05;
const DEFAULTS = { strategy: "cost-optimized", qualityFloor: 0.3 } as const;
/** How far below the truth the predictor's lower bound is. */
const MARGIN = 0.05;

/** Whether a model of this quality is surely good enough for a request. */
export function clearsFloor(quality: number, { preferences }: Inference): boolean {
  return quality - MARGIN >= (preferences.minQuality ?? DEFAULTS.qualityFloor);
}

/** Knows how good every model is: what is tried here is how the router meets changes, not how it judges answers. */
const knowingPredictor: Predictor = {
  read: ({ task }) => ({
    domain: task.kind,
    family: task.kind,
    confidence: 1,
    difficulty: 0.5,
    shares: [{ domain: task.kind, share: 1 }],
  }),
  predict: ({ accuracyScore = 0.5 }) => ({
    quality: accuracyScore,
    lower: accuracyScore - MARGIN,
    evidence: 100,
  }),
  expectedOutputTokens: () => undefined,
};

/** The service's own way from a request to its candidates, with what it learns on the way, and no store. */
export class SimulatedRouter {
  readonly health: EndpointHealth;
  readonly retries: RetryBudget;
  readonly random: Random;

  constructor(time: SimulatedTime, random: Random) {
    this.random = random;
    this.health = new EndpointHealth(time, random);
    this.retries = new RetryBudget(time);
  }

  plan(models: readonly Model[], inference: Inference, requestId: string): Route {
    const eligible = findCandidates({
      predictor: knowingPredictor,
      reading: knowingPredictor.read(inference),
      catalogue: sampleCatalogue(models),
      healthOf: (model) => this.health.of(model.id),
      quoteOf: quoter(inference, () => undefined),
      caller: CALLER,
      inference,
      ticket: ticketOf(inference, CALLER, requestId),
    });
    return chooseRoute(eligible, FUNDS, resolvePolicy(inference, CALLER, DEFAULTS), {
      random: this.random,
      sessionModel: undefined,
      exploration: EXPLORATION,
      frozen: false,
    });
  }
}
