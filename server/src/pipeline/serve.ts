import type { Part } from "@trunkline/core/answer.ts";
import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import type { Journal } from "@trunkline/core/journal.ts";
import { keptNameOf, type Model } from "@trunkline/core/model.ts";
import type { Power } from "@trunkline/core/permissions.ts";
import { quoter } from "@trunkline/core/quote.ts";
import type { Random } from "@trunkline/core/random.ts";
import type { Receipt } from "@trunkline/core/receipt.ts";
import { narrowRoute, type Route } from "@trunkline/core/route.ts";
import { REFUSED_BY_ITS_RULES, screenCandidates } from "@trunkline/guard/screen/screen-candidates.ts";
import type { Screened } from "@trunkline/guard/screen/screen-input.ts";
import { faultOfEnd } from "@trunkline/providers/call/cut-off.ts";
import { findCandidates } from "@trunkline/router/candidates/find-candidates.ts";
import { ticketOf } from "@trunkline/router/candidates/takes-part.ts";
import { chooseRoute } from "@trunkline/router/rank/choose-route.ts";
import { resolvePolicy } from "@trunkline/router/rank/resolve-strategy.ts";
import { inStepOrder } from "@trunkline/router/rank/step-order.ts";
import type { House } from "../app/services.ts";
import type { CacheVisit, Hit } from "../cache/cache-visit.ts";
import { authenticate, requirePower, type SessionCookie, standFor } from "../identity/auth/authenticate.ts";
import { Bill } from "../ledger/billing/bill.ts";
import { explainLack } from "../ledger/billing/explain-lack.ts";
import { Run } from "../ledger/billing/idempotent-run.ts";
import { unchargedSettlement } from "../ledger/billing/settlement.ts";
import { refuseOverload } from "../ledger/limits/refuse-overload.ts";
import { makeAnswer, screened } from "./make-answer.ts";
import { replayed, restorerFor, sealedFor } from "./restore-redactions.ts";

/** A request at the door, whatever wire format it came in. */
export interface Arrival {
  readonly journal: Journal;
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
export interface InferenceArrival extends Arrival {
  /** Who passed the first three checks already, where a body had to be read to know what it asks for. */
  readonly admitted?: Caller;
  readInference(): Promise<{ readonly inference: Inference; readonly body: string }>;
}

/** The first three checks, the same for every operation: who is it, may it do this, not too often. No power: anyone known may. */
export async function enter(
  house: House,
  arrival: Arrival,
  power: Power | undefined | ((caller: Caller) => Power),
): Promise<Caller> {
  const { journal } = arrival;
  const caller =
    arrival.keyId === undefined
      ? await authenticate(house.keyring, house.sessions, arrival)
      : await standFor(house.keyring, arrival.keyId);
  journal.caller = caller;
  journal.mark("authenticate");
  requirePower(caller, typeof power === "function" ? power(caller) : power, arrival.address);
  await house.rateLimiter.admit(caller, (state) => {
    journal.rateLimit = state;
  });
  refuseOverload(house.inFlight.size, house.config.limits.concurrentRequests);
  journal.mark("admit");
  return caller;
}

/** The path of a request, from the door to the receipt. Whatever ends it, the money is settled here and only here. */
export async function* serve(house: House, arrival: InferenceArrival): AsyncGenerator<Part | Receipt> {
  const { journal, signal } = arrival;
  const caller = arrival.admitted ?? (await enter(house, arrival, "inference.use"));
  const { inference, body } = await arrival.readInference();
  journal.inference = inference;
  journal.mark("validate");
  const run = await Run.begin(house.runs, arrival.idempotencyKey, caller, journal, body);
  if (run.kept !== undefined) return yield* replayed(inference, body, run.kept);
  if (arrival.idempotencyKey !== undefined) journal.mark("claim");

  const refused = (error: unknown) => refuse(house, caller, journal, run, error);
  // What may be asked again under its key is no trial.
  const explores = arrival.idempotencyKey === undefined;
  const { route, sent, vault } = await check(house, caller, inference, journal, explores).catch(refused);
  const cached = await lookUp(house, caller, sent, route, journal);
  const bill = await openBill(house, caller, route, cached?.hit, journal).catch(refused);
  const restorer = restorerFor(house, caller, sent, vault);
  try {
    const judged =
      cached?.hit === undefined
        ? makeAnswer({ house, caller, route, inference: sent, vault, bill, journal, signal })
        : screened({ house, caller, inference: sent, vault, journal }, cached.hit.again());
    const ear = house.lessons.listen(sent);
    const withheld: Part[] = [];
    for await (const part of judged) {
      journal.mark("provider");
      // A client that asked for the whole answer is given all of it at the end, or nothing.
      if (inference.streaming) bill.give(part);
      else withheld.push(part);
      run.note(part);
      ear.hear(part);
      cached?.note(part);
      yield* restorer.read(part);
      journal.mark("client");
    }
    yield* restorer.flush();
    journal.mark("provider");
    for (const part of withheld) bill.give(part);
    run.noteSealed(() => sealedFor(body, restorer.putBack));
    const receipt = await bill.settle(run);
    cached?.keep(journal.requestId, receipt);
    rememberSession(house, caller, sent, journal);
    const { outputTokens } = receipt.legs?.at(-1) ?? receipt;
    house.lessons.note(journal, { ear, outputTokens, isKeyed: !explores });
    yield receipt;
  } catch (error) {
    if (bill.isSettled || signal.aborted) throw error;
    yield* restorer.flush();
    throw await bill.settleFault(faultOfEnd(error, journal.attempts), run);
  } finally {
    if (!bill.isSettled) await bill.settleHangUp(run);
  }
}

interface Checked {
  readonly route: Route;
  /** The request as a provider may see it. */
  readonly sent: Inference;
  /** What was taken out of it. */
  readonly vault: Screened["vault"];
}

/** What can refuse a request before it is looked at whether somebody has to be called and paid: route, screen. */
async function check(
  house: House,
  caller: Caller,
  inference: Inference,
  journal: Journal,
  explores: boolean,
): Promise<Checked> {
  const { requestId, receivedAt } = journal;
  const { random } = house;
  const occasion = { requestId, receivedAt, random, explores };
  const route = await plan(house, caller, inference, occasion);
  journal.route = route;
  house.prober.considered(route.candidates);
  journal.mark("route");
  const guard = house.guardFor(caller);
  const screening = screenCandidates(guard, route.candidates, inference, (verdict, safe) => {
    journal.inputVerdict = verdict;
    journal.inference = safe;
  });
  const { isAccepted, screened } = await screening;
  const { inference: sent, vault } = screened;
  const narrow = (wide: Route) => narrowRoute(wide, isAccepted, REFUSED_BY_ITS_RULES);
  journal.route = narrow(route) ?? route;
  journal.mark("screen");
  // Other words that are sent have another price.
  if (sent !== inference) journal.route = narrow(await plan(house, caller, sent, occasion)) ?? journal.route;
  return { route: journal.route, sent, vault };
}

/** Whether the answer was given before. undefined, at no cost of time, where neither the request nor its key asks for that. */
async function lookUp(
  house: House,
  caller: Caller,
  inference: Inference,
  route: Route,
  journal: Journal,
): Promise<CacheVisit | undefined> {
  if ((inference.cache ?? caller.cache ?? false) === false) return undefined;
  const visit = await house.cache.visit(caller, inference, route);
  journal.cache = visit?.outcome;
  journal.chosen = visit?.hit?.candidate;
  journal.mark("cache");
  return visit;
}

/** The money: the worst case is held, unless the answer was given before and costs nothing. */
async function openBill(
  house: House,
  caller: Caller,
  route: Route,
  hit: Hit | undefined,
  journal: Journal,
): Promise<Bill> {
  if (hit !== undefined) return Bill.ofKept(house.settler, caller, journal, hit.answer.usage);
  const bill = await Bill.open(house.funds, house.settler, caller, journal);
  await bill
    .holdForOneOf(route.candidates)
    .catch((error) => explainLack(house.ledger, caller.accountId, error));
  journal.mark("hold");
  return bill;
}

/** For which request a route is planned. */
export interface Occasion {
  readonly requestId: string;
  readonly receivedAt: Date;
  /** Decides between equals; always 0 for those who only look. */
  readonly random: Random;
  /** Whether a near-equal of the best may be tried. */
  readonly explores: boolean;
}

/** The models to try, best first, among those that can serve this and be paid for. Calls nobody, charges nothing. */
export async function plan(
  house: House,
  caller: Caller,
  inference: Inference,
  { requestId, receivedAt, random, explores }: Occasion,
): Promise<Route> {
  const { session, sessionIsImplied, batch, cascade } = inference;
  const sessionModel =
    session === undefined ? undefined : await house.stickySessions.modelOf(caller.accountId, session);
  const reading = house.predictor.read(inference);
  const learntLength = house.lengths.forWork(inference.task.kind, reading.domain);
  const usualLength = (model: Model) =>
    learntLength(keptNameOf(model)) ?? house.predictor.expectedOutputTokens(model, reading);
  const eligible = findCandidates({
    predictor: house.predictor,
    reading,
    catalogue: house.ownKeys.catalogueFor(caller),
    healthOf: house.health.now(),
    quoteOf: quoter(inference, usualLength),
    caller,
    inference,
    ticket: ticketOf(inference, caller, requestId),
  });
  const { cheapestWorst, dearestWorst } = eligible;
  const funds = await house.funds.spendable(caller, receivedAt.getTime(), cheapestWorst, dearestWorst);
  const { strategy } = house.settings.current;
  const { exploration, qualityFloor } = house.config.routing;
  try {
    const policy = resolvePolicy(inference, caller, { strategy, qualityFloor });
    const route = chooseRoute(eligible, funds, policy, {
      random,
      sessionModel,
      sessionIsImplied,
      exploration: explores && batch === undefined && cascade === undefined ? exploration : 0,
      frozen: house.learning.isFrozen(caller),
    });
    return cascade === undefined ? route : inStepOrder(route);
  } catch (error) {
    return explainLack(house.ledger, caller.accountId, error);
  }
}

/** The session stays with the model that answered. An answer out of our own cache was nobody's. */
function rememberSession(house: House, caller: Caller, { session }: Inference, journal: Journal): void {
  if (session === undefined || journal.chosen === undefined || journal.cache?.result === "hit") return;
  house.stickySessions.noteAnswer(caller.accountId, session, journal.chosen.model);
}

/** Nothing ran, nothing is charged; the idempotency key is free again and the refusal is on record. */
async function refuse(
  house: House,
  caller: Caller,
  journal: Journal,
  run: Run,
  error: unknown,
): Promise<never> {
  await run.abandon();
  if (error instanceof Fault) house.recordRefusal(unchargedSettlement(journal, caller, error));
  throw error;
}
