import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { cachedFullNameOf, type Model } from "@trunkline/core/model.ts";
import type { Part, Receipt } from "@trunkline/core/parts.ts";
import type { Permission } from "@trunkline/core/permissions.ts";
import { createQuoter } from "@trunkline/core/quote.ts";
import type { Random } from "@trunkline/core/random.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import { candidatesOf, filterRoute, type Route } from "@trunkline/core/route.ts";
import { REFUSED_BY_MODEL_RULES, type ScreenedInput, screenCandidates } from "@trunkline/guard/screen/screen-input.ts";
import { streamFault } from "@trunkline/providers/call/faults.ts";
import { trafficKeyOf } from "@trunkline/router/candidates/eligibility.ts";
import { findCandidates } from "@trunkline/router/candidates/find-candidates.ts";
import { chooseRoute, inCascadeOrder } from "@trunkline/router/rank/choose-route.ts";
import { resolveRoutingPolicy } from "@trunkline/router/rank/strategies.ts";
import type { Services } from "../app/services.ts";
import type { CachedHit, CacheLookup } from "../cache/answer-cache.ts";
import {
  authenticate,
  authenticateById,
  requirePermission,
  type SessionCookie,
} from "../identity/auth/authenticate.ts";
import { explainInsufficientFunds } from "../ledger/billing/account-funds.ts";
import { Bill } from "../ledger/billing/bill.ts";
import { IdempotentRun } from "../ledger/billing/idempotent-run.ts";
import { unchargedSettlement } from "../ledger/billing/settlement.ts";
import { rejectWhenOverloaded } from "../ledger/limits/rate-limiter.ts";
import { produceAnswer, screenAnswer } from "./produce-answer.ts";
import { replayIdempotentAnswer, restorerFor, sealRedactions } from "./restore-redactions.ts";

/** A request as it came in, in whatever client format. */
export interface IncomingRequest {
  readonly trace: RequestTrace;
  readonly authorization: string | undefined;
  /** The dashboard's cookie. Ignored when a key was sent. */
  readonly session: SessionCookie | undefined;
  /** The key that a line of a batch runs under. Such a request brings no credentials of its own. */
  readonly keyId?: string | undefined;
  /** The client's network address. */
  readonly address: string;
  readonly idempotencyKey: string | undefined;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/** A request for an answer. Its body is read only after the caller is admitted. */
export interface IncomingInference extends IncomingRequest {
  /** Set when the caller was admitted before, because the body had to be read to know the operation. */
  readonly admitted?: Caller;
  readInference(): Promise<{ readonly inference: Inference; readonly body: string }>;
}

/** The first three checks of every operation: authentication, permission, rate limit. Without a permission any caller may. */
export async function admit(
  services: Services,
  incomingRequest: IncomingRequest,
  permission: Permission | undefined | ((caller: Caller) => Permission),
): Promise<Caller> {
  const { trace } = incomingRequest;
  const caller =
    incomingRequest.keyId === undefined
      ? await authenticate(services.keyring, services.sessions, incomingRequest)
      : await authenticateById(services.keyring, incomingRequest.keyId);
  trace.caller = caller;
  trace.endStage("authenticate");
  requirePermission(
    caller,
    typeof permission === "function" ? permission(caller) : permission,
    incomingRequest.address,
  );
  await services.rateLimiter.admit(caller, (state) => {
    trace.rateLimit = state;
  });
  rejectWhenOverloaded(services.inFlight.size, services.config.limits.concurrentRequests);
  trace.endStage("admit");
  return caller;
}

/** The path of a request, from admission to the receipt. Whatever ends it, the money is settled here and only here. */
export async function* serve(services: Services, incoming: IncomingInference): AsyncGenerator<Part | Receipt> {
  const { trace, signal } = incoming;
  const caller = incoming.admitted ?? (await admit(services, incoming, "inference.use"));
  const { inference, body } = await incoming.readInference();
  trace.inference = inference;
  trace.endStage("validate");
  const { idempotencyKey } = incoming;
  const run = await IdempotentRun.begin(services.idempotentRuns, idempotencyKey, caller, trace, body);
  if (run.stored !== undefined) return yield* replayIdempotentAnswer(inference, body, run.stored);
  if (idempotencyKey !== undefined) trace.endStage("claim");

  const refused = (error: unknown) => refuse(services, caller, trace, run, error);
  // A retry under the same idempotency key must not be routed by chance.
  const explores = idempotencyKey === undefined;
  const { route, sent, redactions } = await planAndScreen(services, caller, inference, trace, explores).catch(refused);
  const cached = await lookUpCache(services, caller, sent, route, trace);
  const bill = await openBill(services, caller, route, cached?.cachedHit, trace).catch(refused);
  const restorer = restorerFor(services, caller, sent, redactions);
  try {
    const parts =
      cached?.cachedHit === undefined
        ? produceAnswer({ services, caller, route, inference: sent, redactions, bill, trace, signal })
        : screenAnswer({ services, caller, inference: sent, redactions, trace }, cached.cachedHit.replay());
    const observer = services.outcomeLearner.observerFor(sent);
    const withheld: Part[] = [];
    for await (const part of parts) {
      trace.endStage("provider");
      // A whole answer is delivered at its end or not at all, so nothing of it is charged before.
      if (inference.streaming) bill.deliver(part);
      else withheld.push(part);
      run.record(part);
      observer.observe(part);
      cached?.addPart(part);
      yield* restorer.read(part);
      trace.endStage("client");
    }
    yield* restorer.flush();
    trace.endStage("provider");
    for (const part of withheld) bill.deliver(part);
    run.recordSealed(() => sealRedactions(body, restorer.restoredValues));
    const receipt = await bill.settle(run);
    cached?.save(trace.requestId, receipt);
    rememberSession(services, caller, sent, trace);
    const { outputTokens } = receipt.legs?.at(-1) ?? receipt;
    services.outcomeLearner.record(trace, { observer, outputTokens, hasIdempotencyKey: !explores });
    yield receipt;
  } catch (error) {
    if (bill.isSettled || signal.aborted) throw error;
    yield* restorer.flush();
    throw await bill.settleFault(streamFault(error, trace.attempts), run);
  } finally {
    if (!bill.isSettled) await bill.settleDisconnect(run);
  }
}

interface PlannedRequest {
  readonly route: Route;
  /** The request as providers may see it. */
  readonly sent: Inference;
  /** The private values that were taken out of it. */
  readonly redactions: ScreenedInput["redactions"];
}

/** Plans the route and screens the input: what can refuse a request before the cache is asked and money is held. */
async function planAndScreen(
  services: Services,
  caller: Caller,
  inference: Inference,
  trace: RequestTrace,
  explores: boolean,
): Promise<PlannedRequest> {
  const { requestId, receivedAt } = trace;
  const { random } = services;
  const context = { requestId, receivedAt, random, explores };
  const route = await planRoute(services, caller, inference, context);
  trace.route = route;
  const candidates = candidatesOf(route);
  services.prober.considered(candidates);
  trace.endStage("route");
  const guard = services.guardFor(caller);
  const { isAccepted, screened } = await screenCandidates(guard, candidates, inference, (verdict, safe) => {
    trace.inputVerdict = verdict;
    trace.inference = safe;
  });
  const { inference: sent, redactions } = screened;
  const accepted = (planned: Route) => filterRoute(planned, isAccepted, REFUSED_BY_MODEL_RULES);
  trace.route = accepted(route) ?? route;
  trace.endStage("screen");
  // A redacted prompt has another length and so another price.
  if (sent !== inference) trace.route = accepted(await planRoute(services, caller, sent, context)) ?? trace.route;
  return { route: trace.route, sent, redactions };
}

/** Looks for a stored answer. Without a wish for caching in the request or its key it returns at once. */
async function lookUpCache(
  services: Services,
  caller: Caller,
  inference: Inference,
  route: Route,
  trace: RequestTrace,
): Promise<CacheLookup | undefined> {
  if ((inference.cache ?? caller.cache ?? false) === false) return undefined;
  const lookup = await services.cache.lookUp(caller, inference, route);
  trace.cache = lookup?.outcome;
  trace.chosen = lookup?.cachedHit?.candidate;
  trace.endStage("cache");
  return lookup;
}

/** Holds the worst case of the first affordable candidate. A cached answer costs nothing and needs no hold. */
async function openBill(
  services: Services,
  caller: Caller,
  route: Route,
  cachedHit: CachedHit | undefined,
  trace: RequestTrace,
): Promise<Bill> {
  if (cachedHit !== undefined)
    return Bill.forCachedAnswer(services.settlementWriter, caller, trace, cachedHit.answer.usage);
  const bill = await Bill.open(services.accountFunds, services.settlementWriter, caller, trace);
  await bill
    .holdForFirstAffordable(candidatesOf(route))
    .catch((error) => explainInsufficientFunds(services.ledger, caller.accountId, error));
  trace.endStage("hold");
  return bill;
}

/** The request that a route is planned for. */
export interface PlanContext {
  readonly requestId: string;
  readonly receivedAt: Date;
  /** Decides between equals; always 0 in a preview. */
  readonly random: Random;
  /** Whether a near-equal of the best may be tried. */
  readonly explores: boolean;
}

/** The models to try, best first, among those that can serve this request and be paid for. Calls and charges nothing. */
export async function planRoute(
  services: Services,
  caller: Caller,
  inference: Inference,
  { requestId, receivedAt, random, explores }: PlanContext,
): Promise<Route> {
  const { session, sessionIsImplied, batch, cascade } = inference;
  const sessionModel =
    session === undefined ? undefined : await services.stickySessions.modelFor(caller.accountId, session);
  const promptFeatures = services.predictor.extractFeatures(inference);
  const learntLength = services.lengthStats.forWork(inference.task.kind, promptFeatures.domain);
  const usualLength = (model: Model) =>
    learntLength(cachedFullNameOf(model)) ?? services.predictor.expectedOutputTokens(model, promptFeatures);
  const candidatePool = findCandidates({
    predictor: services.predictor,
    promptFeatures,
    catalogue: services.providerKeys.catalogueFor(caller),
    healthOf: services.health.lookupNow(),
    quoteOf: createQuoter(inference, usualLength),
    caller,
    inference,
    trafficKey: trafficKeyOf(inference, caller, requestId),
  });
  const { cheapestWorst, dearestWorst } = candidatePool;
  const funds = await services.accountFunds.spendable(caller, receivedAt.getTime(), cheapestWorst, dearestWorst);
  const { strategy } = services.settings.current;
  const { exploration, qualityFloor } = services.config.routing;
  try {
    const routingPolicy = resolveRoutingPolicy(inference, caller, { strategy, qualityFloor });
    const route = chooseRoute(candidatePool, funds, routingPolicy, {
      random,
      sessionModel,
      sessionIsImplied,
      exploration: explores && batch === undefined && cascade === undefined ? exploration : 0,
      frozen: services.learningPolicy.isFrozen(caller),
    });
    return cascade === undefined ? route : inCascadeOrder(route);
  } catch (error) {
    return explainInsufficientFunds(services.ledger, caller.accountId, error);
  }
}

/** The session stays with the model that answered. A cached answer does not change it. */
function rememberSession(services: Services, caller: Caller, { session }: Inference, trace: RequestTrace): void {
  if (session === undefined || trace.chosen === undefined || trace.cache?.result === "hit") return;
  services.stickySessions.recordAnswer(caller.accountId, session, trace.chosen.model);
}

/** Frees the idempotency key and records the refusal. Nothing ran and nothing is charged. */
async function refuse(
  services: Services,
  caller: Caller,
  trace: RequestTrace,
  run: IdempotentRun,
  error: unknown,
): Promise<never> {
  await run.abandon();
  if (error instanceof Fault) services.recordRefusal(unchargedSettlement(trace, caller, error));
  throw error;
}
