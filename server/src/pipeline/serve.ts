import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { cachedFullNameOf, type Model } from "@trunkline/core/model.ts";
import type { Part, Receipt } from "@trunkline/core/parts.ts";
import type { Permission } from "@trunkline/core/permissions.ts";
import { createQuoter } from "@trunkline/core/quote.ts";
import type { Random } from "@trunkline/core/random.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import { filterRoute, type Route } from "@trunkline/core/route.ts";
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

/** A request at the door, whatever wire format it came in. */
export interface IncomingRequest {
  readonly trace: RequestTrace;
  readonly authorization: string | undefined;
  /** The dashboard's cookie; it counts only where no key was sent. */
  readonly session: SessionCookie | undefined;
  /** In whose name it comes where nobody is at the door: a line of a batch comes in that of the key that made the batch. */
  readonly keyId?: string | undefined;
  /** The client's network address. */
  readonly address: string;
  readonly idempotencyKey: string | undefined;
  /** Aborted when the client hangs up. */
  readonly signal: AbortSignal;
}

/** An arrival that asks for an answer. Its body is read only once the caller is known and admitted. */
export interface IncomingInference extends IncomingRequest {
  /** Who passed the first three checks already, where a body had to be read to know what it asks for. */
  readonly admitted?: Caller;
  readInference(): Promise<{ readonly inference: Inference; readonly body: string }>;
}

/** The first three checks, the same for every operation: who is it, may it do this, not too often. No power: anyone known may. */
export async function admit(
  services: Services,
  incomingRequest: IncomingRequest,
  power: Permission | undefined | ((caller: Caller) => Permission),
): Promise<Caller> {
  const { trace } = incomingRequest;
  const caller =
    incomingRequest.keyId === undefined
      ? await authenticate(services.keyring, services.sessions, incomingRequest)
      : await authenticateById(services.keyring, incomingRequest.keyId);
  trace.caller = caller;
  trace.endStage("authenticate");
  requirePermission(caller, typeof power === "function" ? power(caller) : power, incomingRequest.address);
  await services.rateLimiter.admit(caller, (state) => {
    trace.rateLimit = state;
  });
  rejectWhenOverloaded(services.inFlight.size, services.config.limits.concurrentRequests);
  trace.endStage("admit");
  return caller;
}

/** The path of a request, from the door to the receipt. Whatever ends it, the money is settled here and only here. */
export async function* serve(services: Services, arrival: IncomingInference): AsyncGenerator<Part | Receipt> {
  const { trace, signal } = arrival;
  const caller = arrival.admitted ?? (await admit(services, arrival, "inference.use"));
  const { inference, body } = await arrival.readInference();
  trace.inference = inference;
  trace.endStage("validate");
  const idempotentRun = await IdempotentRun.begin(services.idempotentRuns, arrival.idempotencyKey, caller, trace, body);
  if (idempotentRun.stored !== undefined) return yield* replayIdempotentAnswer(inference, body, idempotentRun.stored);
  if (arrival.idempotencyKey !== undefined) trace.endStage("claim");

  const refused = (error: unknown) => refuse(services, caller, trace, idempotentRun, error);
  // What may be asked again under its key is no trial.
  const explores = arrival.idempotencyKey === undefined;
  const { route, sent, redactions } = await planAndScreen(services, caller, inference, trace, explores).catch(refused);
  const cached = await lookUpCache(services, caller, sent, route, trace);
  const bill = await openBill(services, caller, route, cached?.cachedHit, trace).catch(refused);
  const redactionRestorer = restorerFor(services, caller, sent, redactions);
  try {
    const judged =
      cached?.cachedHit === undefined
        ? produceAnswer({ services, caller, route, inference: sent, redactions, bill, trace: trace, signal })
        : screenAnswer({ services, caller, inference: sent, redactions, trace: trace }, cached.cachedHit.replay());
    const ear = services.outcomeLearner.observerFor(sent);
    const withheld: Part[] = [];
    for await (const part of judged) {
      trace.endStage("provider");
      // A client that asked for the whole answer is given all of it at the end, or nothing.
      if (inference.streaming) bill.deliver(part);
      else withheld.push(part);
      idempotentRun.record(part);
      ear.observe(part);
      cached?.addPart(part);
      yield* redactionRestorer.read(part);
      trace.endStage("client");
    }
    yield* redactionRestorer.flush();
    trace.endStage("provider");
    for (const part of withheld) bill.deliver(part);
    idempotentRun.recordSealed(() => sealRedactions(body, redactionRestorer.restoredValues));
    const receipt = await bill.settle(idempotentRun);
    cached?.save(trace.requestId, receipt);
    rememberSession(services, caller, sent, trace);
    const { outputTokens } = receipt.legs?.at(-1) ?? receipt;
    services.outcomeLearner.record(trace, { observer: ear, outputTokens, hasIdempotencyKey: !explores });
    yield receipt;
  } catch (error) {
    if (bill.isSettled || signal.aborted) throw error;
    yield* redactionRestorer.flush();
    throw await bill.settleFault(streamFault(error, trace.attempts), idempotentRun);
  } finally {
    if (!bill.isSettled) await bill.settleDisconnect(idempotentRun);
  }
}

interface PlannedRequest {
  readonly route: Route;
  /** The request as a provider may see it. */
  readonly sent: Inference;
  /** What was taken out of it. */
  readonly redactions: ScreenedInput["redactions"];
}

/** What can refuse a request before it is looked at whether somebody has to be called and paid: route, screen. */
async function planAndScreen(
  services: Services,
  caller: Caller,
  inference: Inference,
  trace: RequestTrace,
  explores: boolean,
): Promise<PlannedRequest> {
  const { requestId, receivedAt } = trace;
  const { random } = services;
  const occasion = { requestId, receivedAt, random, explores };
  const route = await planRoute(services, caller, inference, occasion);
  trace.route = route;
  services.prober.considered(route.candidates);
  trace.endStage("route");
  const guard = services.guardFor(caller);
  const screening = screenCandidates(guard, route.candidates, inference, (verdict, safe) => {
    trace.inputVerdict = verdict;
    trace.inference = safe;
  });
  const { isAccepted, screened: screenedInput } = await screening;
  const { inference: sent, redactions } = screenedInput;
  const narrow = (wide: Route) => filterRoute(wide, isAccepted, REFUSED_BY_MODEL_RULES);
  trace.route = narrow(route) ?? route;
  trace.endStage("screen");
  // Other words that are sent have another price.
  if (sent !== inference) trace.route = narrow(await planRoute(services, caller, sent, occasion)) ?? trace.route;
  return { route: trace.route, sent, redactions };
}

/** Whether the answer was given before. undefined, at no cost of time, where neither the request nor its key asks for that. */
async function lookUpCache(
  services: Services,
  caller: Caller,
  inference: Inference,
  route: Route,
  trace: RequestTrace,
): Promise<CacheLookup | undefined> {
  if ((inference.cache ?? caller.cache ?? false) === false) return undefined;
  const visit = await services.cache.lookUp(caller, inference, route);
  trace.cache = visit?.outcome;
  trace.chosen = visit?.cachedHit?.candidate;
  trace.endStage("cache");
  return visit;
}

/** The money: the worst case is held, unless the answer was given before and costs nothing. */
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
    .holdForFirstAffordable(route.candidates)
    .catch((error) => explainInsufficientFunds(services.ledger, caller.accountId, error));
  trace.endStage("hold");
  return bill;
}

/** For which request a route is planned. */
export interface PlanContext {
  readonly requestId: string;
  readonly receivedAt: Date;
  /** Decides between equals; always 0 for those who only look. */
  readonly random: Random;
  /** Whether a near-equal of the best may be tried. */
  readonly explores: boolean;
}

/** The models to try, best first, among those that can serve this and be paid for. Calls nobody, charges nothing. */
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

/** The session stays with the model that answered. An answer out of our own cache was nobody's. */
function rememberSession(services: Services, caller: Caller, { session }: Inference, trace: RequestTrace): void {
  if (session === undefined || trace.chosen === undefined || trace.cache?.result === "hit") return;
  services.stickySessions.recordAnswer(caller.accountId, session, trace.chosen.model);
}

/** Nothing ran, nothing is charged; the idempotency key is free again and the refusal is on record. */
async function refuse(
  services: Services,
  caller: Caller,
  trace: RequestTrace,
  idempotentRun: IdempotentRun,
  error: unknown,
): Promise<never> {
  await idempotentRun.abandon();
  if (error instanceof Fault) services.recordRefusal(unchargedSettlement(trace, caller, error));
  throw error;
}
