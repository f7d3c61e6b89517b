import type { Caller } from "@trunkline/core/caller.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { createQuoter } from "@trunkline/core/quote.ts";
import type { Random } from "@trunkline/core/random.ts";
import type { Route } from "@trunkline/core/route.ts";
import { trafficKeyOf } from "@trunkline/router/candidates/eligibility.ts";
import { type CandidatePool, findCandidates } from "@trunkline/router/candidates/find-candidates.ts";
import {
  boundFailover,
  chooseRoute,
  inCascadeOrder,
  type SpendableFunds,
} from "@trunkline/router/rank/choose-route.ts";
import { resolveRoutingPolicy } from "@trunkline/router/rank/strategies.ts";
import type { Services } from "../app/services.ts";
import { explainInsufficientFunds } from "../ledger/billing/account-funds.ts";

/** The request that a route is planned for. */
export interface PlanContext {
  readonly requestId: string;
  readonly receivedAt: Date;
  /** Decides between equals; always 0 in a preview. */
  readonly random: Random;
  /** Whether a near-equal of the best may be tried. */
  readonly explores: boolean;
}

/**
 * The models to try, best first, among those that can serve this request and be paid for. Calls and charges nothing.
 * Waits only for a session or for funds that are not in memory.
 */
export function planRoute(
  services: Services,
  caller: Caller,
  inference: Inference,
  context: PlanContext,
): Route | Promise<Route> {
  const { session } = inference;
  const sessionModel: string | undefined | Promise<string | undefined> =
    session === undefined ? undefined : services.routing.stickySessions.modelFor(caller.accountId, session);
  return sessionModel instanceof Promise
    ? planLater(services, caller, inference, context, sessionModel)
    : planForSession(services, caller, inference, context, sessionModel);
}

async function planLater(
  services: Services,
  caller: Caller,
  inference: Inference,
  context: PlanContext,
  sessionModel: Promise<string | undefined>,
): Promise<Route> {
  return planForSession(services, caller, inference, context, await sessionModel);
}

/** The route, where the model that answered last in the request's session is known. */
function planForSession(
  services: Services,
  caller: Caller,
  inference: Inference,
  context: PlanContext,
  sessionModel: string | undefined,
): Route | Promise<Route> {
  const candidatePool = poolFor(services, caller, inference, context);
  const { cheapestWorst, dearestWorst } = candidatePool;
  const funds: SpendableFunds | Promise<SpendableFunds> = services.ledger.funds.spendable(
    caller,
    context.receivedAt.getTime(),
    cheapestWorst,
    dearestWorst,
  );
  return funds instanceof Promise
    ? chooseLater(services, caller, inference, context, sessionModel, candidatePool, funds)
    : chooseAffordable(services, caller, inference, context, sessionModel, candidatePool, funds);
}

async function chooseLater(
  services: Services,
  caller: Caller,
  inference: Inference,
  context: PlanContext,
  sessionModel: string | undefined,
  candidatePool: CandidatePool,
  funds: Promise<SpendableFunds>,
): Promise<Route> {
  return chooseAffordable(services, caller, inference, context, sessionModel, candidatePool, await funds);
}

/** The models that can serve this request, with what each may cost. */
function poolFor(services: Services, caller: Caller, inference: Inference, context: PlanContext): CandidatePool {
  const { predictor, lengthStats } = services.routing;
  const catalogue = services.providers.providerKeys.catalogueFor(caller);
  const promptFeatures = predictor.extractFeatures(inference, catalogue.all());
  const learntLength = lengthStats.forWork(inference.task.kind, promptFeatures.domain);
  return findCandidates({
    predictor,
    promptFeatures,
    catalogue,
    healthOf: services.providers.health.lookupNow(),
    quoteOf: createQuoter(
      inference,
      (model, { fullName }) => learntLength(fullName) ?? predictor.expectedOutputTokens(model, promptFeatures),
    ),
    caller,
    inference,
    // Only automatic requests share the traffic of a model.
    trafficKey: inference.model === undefined ? trafficKeyOf(inference, caller, context.requestId) : 0,
  });
}

/** What a request may cost whoever pays for it: the model that is chosen first, and the cheapest. Calls and charges nothing. */
export async function quoteUnpaid(services: Services, caller: Caller, inference: Inference, context: PlanContext) {
  const candidatePool = poolFor(services, caller, inference, context);
  const unlimited: SpendableFunds = { balance: 2n ** 62n, budget: undefined };
  const route = await chooseAffordable(services, caller, inference, context, undefined, candidatePool, unlimited);
  return { worst: route.candidates[0].quote.worst, least: candidatePool.cheapestWorst };
}

function chooseAffordable(
  services: Services,
  caller: Caller,
  inference: Inference,
  { random, explores }: PlanContext,
  sessionModel: string | undefined,
  candidatePool: CandidatePool,
  funds: SpendableFunds,
): Route | Promise<Route> {
  const { batch, cascade } = inference;
  const { exploration, qualityFloor } = services.config.routing;
  try {
    const defaults = { strategy: services.settings.current.strategy, qualityFloor };
    const route = chooseRoute(candidatePool, funds, resolveRoutingPolicy(inference, caller, defaults), {
      random,
      sessionModel,
      sessionIsImplied: inference.sessionIsImplied,
      strategyIsNamed: inference.strategy !== undefined && inference.model === undefined,
      exploration: explores && batch === undefined && cascade === undefined ? exploration : 0,
      frozen: services.routing.learningPolicy.isFrozen(caller),
    });
    const ordered = cascade === undefined ? route : inCascadeOrder(route);
    const { boundedFor } = candidatePool;
    return boundedFor === undefined ? ordered : boundFailover(ordered, boundedFor);
  } catch (error) {
    return explainInsufficientFunds(services.ledger.store, caller.accountId, error);
  }
}
