import type { Caller } from "@trunkline/core/caller.ts";
import { callerForPreset } from "@trunkline/core/caller-presets.ts";
import { type CancelSignal, ClientDisconnected } from "@trunkline/core/cancellation.ts";
import { CollectedAnswer } from "@trunkline/core/collected-answer.ts";
import { Fault, ServiceStopping } from "@trunkline/core/fault.ts";
import { inStep, runStages, type Stages, waitFor } from "@trunkline/core/in-step.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import type { Part, Receipt } from "@trunkline/core/parts.ts";
import type { Permission } from "@trunkline/core/permissions.ts";
import { withPreset } from "@trunkline/core/preset.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { Route } from "@trunkline/core/route.ts";
import type { RedactionRestorer } from "@trunkline/guard/private-data/redaction-restorer.ts";
import { streamFault } from "@trunkline/providers/call/faults.ts";
import type { Services } from "../app/services.ts";
import type { CachedHit, CacheLookup } from "../cache/answer-cache.ts";
import type { OpenGuardrailHook } from "../guardrails/guardrail-hook.ts";
import {
  authenticate,
  authenticateById,
  type RequestSource,
  requirePermission,
  type SessionCookie,
} from "../identity/auth/authenticate.ts";
import { explainInsufficientFunds } from "../ledger/billing/account-funds.ts";
import { Bill } from "../ledger/billing/bill.ts";
import { IdempotentRun } from "../ledger/billing/idempotent-run.ts";
import { unchargedSettlement } from "../ledger/billing/settlement.ts";
import { AnswerProgress, type DeliverParts } from "./answer-progress.ts";
import { createAnswerGuard } from "./guard-answer.ts";
import { type PlanContext, planRoute } from "./plan-route.ts";
import { type AnswerInput, produceAnswer, screenAnswer } from "./produce-answer.ts";
import { replayIdempotentAnswer, restoreAnswer, restorerFor, sealRedactions } from "./restore-redactions.ts";
import { type PlannedRequest, screenPlanned } from "./screen-planned.ts";

/** A request as it came in, in whatever client format. */
export interface IncomingRequest extends RequestSource {
  readonly trace: RequestTrace;
  readonly authorization: string | undefined;
  /** The dashboard's cookie. Ignored when a key was sent. */
  readonly session: SessionCookie | undefined;
  /** The key that a line of a batch runs under. Such a request brings no credentials of its own. */
  readonly keyId?: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** Aborted when the client disconnects. */
  readonly signal: CancelSignal;
}

/** A request for an answer. Its body is read only after the caller is admitted. */
export interface IncomingInference extends IncomingRequest {
  /** Set when the caller was admitted before, because the body had to be read to know the operation. */
  readonly admitted?: Caller | undefined;
  readInference(): ReadInference | Promise<ReadInference>;
}

/** A request as an operation understands it, with the text by which an idempotency key compares requests. */
export interface ReadInference {
  readonly inference: Inference;
  readonly body: string;
}

/**
 * The first three checks of every operation: authentication, permission, rate limit. Without a permission any caller may.
 * Returns a promise only where the store must be asked.
 */
export function admit(
  services: Services,
  incomingRequest: IncomingRequest,
  permission: Permission | undefined | ((caller: Caller) => Permission),
): Caller | Promise<Caller> {
  const caller =
    incomingRequest.keyId === undefined
      ? authenticate(services.identity.keyring, services.identity.sessions, incomingRequest)
      : authenticateById(services.identity.keyring, incomingRequest.keyId);
  return caller instanceof Promise
    ? admitFound(services, incomingRequest, permission, caller)
    : admitCaller(services, incomingRequest, permission, caller);
}

async function admitFound(
  services: Services,
  incomingRequest: IncomingRequest,
  permission: Permission | undefined | ((caller: Caller) => Permission),
  caller: Promise<Caller>,
): Promise<Caller> {
  return admitCaller(services, incomingRequest, permission, await caller);
}

function admitCaller(
  services: Services,
  incomingRequest: IncomingRequest,
  permission: Permission | undefined | ((caller: Caller) => Permission),
  caller: Caller,
): Caller | Promise<Caller> {
  const { trace } = incomingRequest;
  trace.caller = caller;
  trace.endStage("authenticate");
  requirePermission(caller, typeof permission === "function" ? permission(caller) : permission, incomingRequest);
  const counting = services.limits.rateLimiter.admit(caller, trace);
  if (counting instanceof Promise) return admitCounted(counting, trace, caller);
  trace.endStage("admit");
  return caller;
}

async function admitCounted(counting: Promise<unknown>, trace: RequestTrace, caller: Caller): Promise<Caller> {
  await counting;
  trace.endStage("admit");
  return caller;
}

/** What a request was answered with: as the client reads it, and what it cost. */
export interface ServedAnswer {
  /** Of a stream that is stored nowhere, only the text is kept. */
  readonly answer: CollectedAnswer;
  readonly receipt: Receipt;
}

/**
 * Serves a request for an answer: it is admitted, waits for its turn where the service has much to do, and is answered.
 * `send` gets the parts of an answer that the client wants as a stream, as they come. Whatever ends the request, the money
 * is settled here and only here.
 */
export function* serveInStages(
  instance: Services,
  incoming: IncomingInference,
  send?: DeliverParts,
): Stages<ServedAnswer> {
  const { trace, signal, idempotencyKey } = incoming;
  const { admissionQueue } = instance.limits;
  const admitting = incoming.admitted ?? admit(instance, incoming, "inference.use");
  const admitted = admitting instanceof Promise ? yield* waitFor(admitting) : admitting;
  const entering = admissionQueue.enter(admitted.accountId, admitted.admissionWeight, signal);
  const account = entering instanceof Promise ? yield* waitFor(entering) : entering;
  if (entering instanceof Promise) trace.endStage("admit");
  try {
    const services = instance.forAccount?.(admitted.accountId) ?? instance;
    // Here and below: the requests of this turn of the event loop pass each stage together.
    yield inStep;
    const reading = incoming.readInference();
    const { inference: given, body } = reading instanceof Promise ? yield* waitFor(reading) : reading;
    const inference = withPreset(admitted.presets, given);
    const caller = callerForPreset(admitted, inference);
    trace.inference = inference;
    trace.endStage("validate");
    const stream = inference.streaming ? send : undefined;
    const beginning = IdempotentRun.begin(services.ledger.idempotentRuns, idempotencyKey, caller, trace, body);
    const run = beginning instanceof Promise ? yield* waitFor(beginning) : beginning;
    if (run.stored !== undefined) return yield* waitFor(replayIdempotentAnswer(inference, body, run.stored, stream));
    if (idempotencyKey !== undefined) trace.endStage("claim");

    // A retry under the same idempotency key must not be routed by chance.
    const explores = idempotencyKey === undefined;
    let planned: PlannedRequest;
    let answerHooks: readonly OpenGuardrailHook[] | undefined;
    let lookup: CacheLookup | undefined;
    try {
      const context: PlanContext = {
        requestId: trace.requestId,
        receivedAt: trace.receivedAt,
        random: services.routing.random,
        explores,
      };
      const planning = planRoute(services, caller, inference, context);
      const plannedRoute = planning instanceof Promise ? yield* waitFor(planning) : planning;
      yield inStep;
      const screening = screenPlanned(services, trace, signal, caller, inference, context, plannedRoute);
      planned = screening instanceof Promise ? yield* waitFor(screening) : screening;
      if (caller.hasGuardrails === true)
        answerHooks = yield* waitFor(services.guardrailHooks.hooksFor(caller.accountId, "output"));
      // Without a wish for caching in the request or its key, the cache is not asked.
      if ((planned.sent.cache ?? caller.cache ?? false) !== false)
        lookup = yield* waitFor(lookUpCache(services, caller, planned.sent, planned.route, trace));
    } catch (error) {
      return yield* waitFor(refuse(services, caller, trace, run, error));
    }
    const { route, sent, redactions } = planned;
    const cachedHit = lookup?.cachedHit;
    const progress = new AnswerProgress(trace);
    const restorer = restorerFor(services, caller, sent, redactions);
    const answer = new CollectedAnswer(stream === undefined || run.storesAnswer || lookup !== undefined);
    // A whole answer is delivered at its end or not at all, so nothing of it is charged before.
    const delivered = stream === undefined ? NOTHING_DELIVERED : answer;
    const deliver = (parts: readonly Part[]): void | Promise<void> => {
      trace.endStage("provider");
      answer.addAll(parts);
      const sending = stream?.(restorer === undefined ? parts : restorer.readAll(parts));
      if (sending === undefined) return trace.endStage("client");
      return sending.then(() => {
        trace.endStage("client");
        signal.throwIfAborted();
      });
    };
    const guard =
      answerHooks === undefined || answerHooks.length === 0
        ? undefined
        : createAnswerGuard(
            { services, caller, inference: sent, trace, signal, hooks: answerHooks, deliver },
            stream !== undefined,
          );
    const pass = guard?.add ?? deliver;
    // From here on money may be held, so nothing may stand between this and the block that settles it.
    let bill: Bill;
    try {
      const opening = openBill(services, caller, route, cachedHit, trace);
      bill = opening instanceof Promise ? yield* waitFor(opening) : opening;
    } catch (error) {
      return yield* waitFor(refuse(services, caller, trace, run, error));
    }
    try {
      const input: AnswerInput = {
        services,
        caller,
        route,
        inference: sent,
        redactions,
        bill,
        progress,
        trace,
        deliver: pass,
        isStreamed: stream !== undefined,
        signal,
      };
      yield inStep;
      if (cachedHit !== undefined) progress.choose(cachedHit.candidate);
      const delivery = cachedHit === undefined ? produceAnswer(input) : screenAnswer(input, cachedHit.replay(), pass);
      if (delivery instanceof Promise) yield* waitFor(delivery);
      else for (let waiting = delivery.next(); waiting !== undefined; waiting = delivery.next()) yield waiting;
      if (guard !== undefined) yield* waitFor(guard.end());
      const reply = restorer === undefined || stream !== undefined ? answer : restoreAnswer(restorer, answer);
      const flushing = flushHeld(stream, restorer);
      if (flushing !== undefined) yield* waitFor(flushing);
      trace.endStage("provider");
      const sealed = restorer === undefined || !run.storesAnswer ? undefined : sealRedactions(body, restorer);
      yield inStep;
      // Every request waits here, where `waitFor` would be one more function of its own.
      const receipt = (yield bill.startSettling(answer, run, sealed)) as Receipt;
      lookup?.save(trace.requestId, receipt, answer);
      if (cachedHit === undefined) learn(services, trace, caller, sent, route, progress, answer, receipt, !explores);
      return { answer: reply, receipt };
    } catch (error) {
      if (bill.isSettled) throw error;
      if (signal.reason instanceof ServiceStopping)
        throw yield* waitFor(bill.settleStop(signal.reason, delivered, run));
      if (signal.aborted) throw error;
      if (guard !== undefined) yield* waitFor(guard.breakOff());
      yield* waitFor(flushHeld(stream, restorer));
      const begun =
        stream === undefined || !run.storesAnswer || answer.parts.length === 0
          ? undefined
          : { parts: answer.parts, sealed: restorer === undefined ? undefined : sealRedactions(body, restorer) };
      throw yield* waitFor(bill.settleFault(streamFault(error, progress.attempts), delivered, run, begun));
    } finally {
      // Of a stream, what was delivered is charged; of a whole answer that nobody waits for, what the provider was asked.
      const leavesWhole = (stream === undefined || guard !== undefined) && signal.reason instanceof ClientDisconnected;
      if (!bill.isSettled) yield* waitFor(bill.settleDisconnect(delivered, run, leavesWhole));
    }
  } finally {
    admissionQueue.leave(account);
  }
}

/** The same, with a promise of the answer. */
export function serve(instance: Services, incoming: IncomingInference, send?: DeliverParts): Promise<ServedAnswer> {
  return runStages(serveInStages(instance, incoming, send));
}

/** Learns from an answer that a model gave. */
function learn(
  services: Services,
  trace: RequestTrace,
  caller: Caller,
  inference: Inference,
  route: Route,
  { chosen, attempts, verdict }: AnswerProgress,
  answer: CollectedAnswer,
  receipt: Receipt,
  hasIdempotencyKey: boolean,
): void {
  if (chosen === undefined) return;
  // The session stays with the model that answered.
  if (inference.session !== undefined)
    services.routing.stickySessions.recordAnswer(caller.accountId, inference.session, chosen.model);
  services.routing.outcomeLearner.record({
    requestId: trace.requestId,
    receivedAt: trace.receivedAt,
    caller,
    inference,
    route,
    chosen,
    attempts,
    wasRedacted: verdict?.action === "redact",
    answer,
    outputTokens: (receipt.legs?.at(-1) ?? receipt).outputTokens,
    hasIdempotencyKey,
  });
}

/** Sends what was held back of a stream, as no placeholder of a redacted value followed. */
function flushHeld(stream: DeliverParts | undefined, restorer: RedactionRestorer | undefined): void | Promise<void> {
  const held = stream === undefined ? undefined : restorer?.flush();
  if (held !== undefined && held.length > 0) return stream?.(held);
}

const NOTHING_DELIVERED = new CollectedAnswer(false);

/** Looks for a stored answer. */
async function lookUpCache(
  services: Services,
  caller: Caller,
  inference: Inference,
  route: Route,
  trace: RequestTrace,
): Promise<CacheLookup | undefined> {
  const lookup = await services.cache.lookUp(caller, inference, route);
  trace.cache = lookup?.outcome;
  trace.endStage("cache");
  return lookup;
}

/**
 * Holds the worst case of the first affordable candidate. A cached answer costs nothing and needs no hold. Returns a
 * promise only where the ledger must be asked.
 */
function openBill(
  services: Services,
  caller: Caller,
  route: Route,
  cachedHit: CachedHit | undefined,
  trace: RequestTrace,
): Bill | Promise<Bill> {
  const { funds, settlementWriter } = services.ledger;
  if (cachedHit !== undefined) {
    const { candidate, answer } = cachedHit;
    return Bill.forCachedAnswer(settlementWriter, caller, trace, { model: candidate.model, usage: answer.usage });
  }
  const opening = Bill.open(funds, settlementWriter, caller, trace);
  const holding = opening instanceof Promise ? undefined : opening.holdForFirstAffordable(route.candidates);
  if (opening instanceof Promise || holding instanceof Promise)
    return awaitHold(services, caller, route, opening, holding, trace);
  trace.endStage("hold");
  return opening;
}

async function awaitHold(
  services: Services,
  caller: Caller,
  route: Route,
  opening: Bill | Promise<Bill>,
  holding: void | Promise<void>,
  trace: RequestTrace,
): Promise<Bill> {
  const bill = await opening;
  try {
    await (opening instanceof Promise ? bill.holdForFirstAffordable(route.candidates) : holding);
  } catch (error) {
    await explainInsufficientFunds(services.ledger.store, caller.accountId, error);
  }
  trace.endStage("hold");
  return bill;
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
  if (error instanceof Fault) services.ledger.recordRefusal(unchargedSettlement(trace, caller, error));
  throw error;
}
