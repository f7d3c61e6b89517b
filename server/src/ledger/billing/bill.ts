import type { Caller } from "@trunkline/core/caller.ts";
import type { CollectedAnswer } from "@trunkline/core/collected-answer.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { type Completion, promiseOf } from "@trunkline/core/in-step.ts";
import { formatCredits, type NanoCredits, toCredits } from "@trunkline/core/money.ts";
import type { Part, Receipt, ReceiptSegment, ReceiptUsage } from "@trunkline/core/parts.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import type { AccountFunds, Hold } from "./account-funds.ts";
import {
  AnswerSegments,
  chargeForInput,
  type OutputLimits,
  type SegmentCharge,
  sumSegments,
  type TotalCharge,
} from "./answer-segments.ts";
import { EndingBill } from "./ending-bill.ts";
import type { BegunStream, IdempotentRun } from "./idempotent-run.ts";
import {
  calledCandidate,
  type IdempotentAnswer,
  type Settlement,
  settlementOf,
  unchargedSettlement,
} from "./settlement.ts";
import { OutcomeUnknown, type SettlementWriter, type WriteResult } from "./settlement-writer.ts";

/** What a request delivered that ended early. */
type Delivered = Pick<CollectedAnswer, "output" | "hasMediaOrEmbeddings">;

/** An answer from the cache: the model and the usage of the first request that it was given to. */
export interface CachedCharge {
  readonly model: Receipt["model"];
  readonly usage: ReceiptUsage;
}

type BillHold = Pick<
  Hold,
  "amount" | "budget" | "accountBudget" | "raiseTo" | "capture" | "release" | "settleFromLedger"
>;

/** The hold of a request that costs nothing. */
const NO_HOLD: BillHold = {
  amount: 0n,
  budget: undefined,
  accountBudget: undefined,
  raiseTo: () => "held",
  capture: () => undefined,
  release: () => undefined,
  settleFromLedger: async () => undefined,
};

/** The money of one request, from its first hold to its single settlement. */
export class Bill {
  readonly #settlementWriter: SettlementWriter;
  readonly #requestTrace: RequestTrace;
  readonly #caller: Caller;
  readonly #hold: BillHold;
  readonly #cached: CachedCharge | undefined;
  readonly #answerSegments = new AnswerSegments();
  /** The candidate that answers. Its segment is not charged where the answer is empty. */
  #answering: Candidate | undefined;
  #settled = false;

  private constructor(
    settlementWriter: SettlementWriter,
    requestTrace: RequestTrace,
    caller: Caller,
    hold: BillHold,
    cached: CachedCharge | undefined,
  ) {
    this.#settlementWriter = settlementWriter;
    this.#requestTrace = requestTrace;
    this.#caller = caller;
    this.#hold = hold;
    this.#cached = cached;
  }

  /** For an answer from the cache: nothing is held or charged, and the receipt shows the usage of the first answer. */
  static forCachedAnswer(
    settlementWriter: SettlementWriter,
    caller: Caller,
    requestTrace: RequestTrace,
    cached: CachedCharge,
  ): Bill {
    return new Bill(settlementWriter, requestTrace, caller, NO_HOLD, cached);
  }

  /** Returns a promise only where the hold needs the ledger. */
  static open(
    accountFunds: AccountFunds,
    settlementWriter: SettlementWriter,
    caller: Caller,
    requestTrace: RequestTrace,
  ): Bill | Promise<Bill> {
    const hold = accountFunds.openHold(caller, requestTrace.receivedAt.getTime());
    if (hold instanceof Promise)
      return hold.then((opened) => new Bill(settlementWriter, requestTrace, caller, opened, undefined));
    return new Bill(settlementWriter, requestTrace, caller, hold, undefined);
  }

  /**
   * The hold stage: sets aside the worst case of the best affordable candidate, or throws a 402. All candidates were
   * affordable when the route was chosen, but other requests may have spent the same money since. Returns a promise only
   * where the best one needs the ledger or is not affordable.
   */
  holdForFirstAffordable(candidates: readonly [Candidate, ...Candidate[]]): void | Promise<void> {
    const outcome = this.#hold.raiseTo(candidates[0].quote.worst);
    if (outcome !== "held") return this.#holdForOneOf(candidates, outcome);
  }

  async #holdForOneOf(
    [best, ...others]: readonly [Candidate, ...Candidate[]],
    ofBest: ReturnType<BillHold["raiseTo"]>,
  ): Promise<void> {
    try {
      const held = await ofBest;
      if (held === "held") return;
      for (const candidate of others) if (await this.raiseHoldFor(candidate)) return;
      const needed = `This request may cost up to ${formatCredits(best.quote.worst)}`;
      if (held === "balance")
        throw new Fault(
          "insufficient_balance",
          `${needed}, more than the account has available. Add credits or lower \`max_tokens\`.`,
        );
      const whose = held === "budget" ? "this key's budget" : "the organisation's budget";
      throw new Fault(
        "budget_exceeded",
        `${needed}, more than ${whose} has left. Raise the budget or lower \`max_tokens\`.`,
      );
    } catch (error) {
      this.#settled = true;
      this.#hold.release();
      throw error;
    }
  }

  /**
   * Raises the hold to a candidate's worst case plus the cost of the answer so far, before the candidate is called. False
   * where the money does not suffice. Returns a promise only where the ledger must be called.
   */
  raiseHoldFor(candidate: Candidate): boolean | Promise<boolean> {
    const outcome = this.#hold.raiseTo(this.costSoFar + candidate.quote.worst);
    if (outcome instanceof Promise) return outcome.then((settled) => settled === "held");
    return outcome === "held";
  }

  /** The charge if the answer ends now and all of it is delivered. */
  get costSoFar(): NanoCredits {
    return this.#answerSegments.costSoFar;
  }

  /** Starts a new segment of the answer, priced by this candidate, within the limits that the client set. */
  startSegment(candidate: Candidate, limits: OutputLimits = {}): void {
    this.#answering = candidate;
    this.#answerSegments.start(candidate, limits);
  }

  /** Ends the current segment as a whole answer that is not delivered. It is charged: its provider did the work. */
  failCheck(): void {
    this.#answerSegments.failCheck();
  }

  /** Drops the current segment, which is incomplete and not delivered. It costs nothing. */
  dropSegment(): void {
    this.#answerSegments.dropCurrent();
  }

  /** Counts a part as the provider sent it, before moderation. */
  meter(part: Part): void {
    this.#answerSegments.meter(part);
  }

  /** Counts speech that is passed on as it comes, in tokens by its length. */
  meterSpeech(tokens: number): void {
    this.#answerSegments.meterSpeech(tokens);
  }

  get isSettled(): boolean {
    return this.#settled;
  }

  /**
   * Charges a complete answer. Returns the receipt once the charge is durable. `sealed`: the redacted values that a
   * repeated request needs to get the same answer.
   */
  settle(answer: CollectedAnswer, idempotentRun: IdempotentRun, sealed?: string): Promise<Receipt> {
    const settling = this.startSettling(answer, idempotentRun, sealed);
    return settling instanceof Promise ? settling : promiseOf(settling);
  }

  /** The same, without a promise where the hold need not grow. */
  startSettling(
    answer: CollectedAnswer,
    idempotentRun: IdempotentRun,
    sealed?: string,
  ): Completion<Receipt> | Promise<Receipt> {
    const pending = this.#chargeWithinHold(this.#answerSegments.chargeForAll("answered"));
    return pending instanceof Promise
      ? this.#settleLater(pending, answer, idempotentRun, sealed)
      : this.#settleCharge(pending, answer, idempotentRun, sealed);
  }

  async #settleLater(
    charging: Promise<TotalCharge>,
    answer: CollectedAnswer,
    idempotentRun: IdempotentRun,
    sealed: string | undefined,
  ): Promise<Receipt> {
    return promiseOf(this.#settleCharge(await charging, answer, idempotentRun, sealed));
  }

  #settleCharge(
    charge: TotalCharge,
    answer: CollectedAnswer,
    idempotentRun: IdempotentRun,
    sealed: string | undefined,
  ): Completion<Receipt> {
    const receipt = this.#receiptFor(charge);
    const idempotent = idempotentRun.answeredWith(answer.parts, receipt, sealed);
    return this.#end(charge, answer.output, undefined, false, idempotent, idempotentRun, receipt);
  }

  /**
   * Charges the delivered part after the request was broken off, and frees the idempotency key for a new run. A client that
   * left before anything was delivered, but after a provider was called, pays for the input, and for a whole answer that
   * has arrived: the provider is paid for them.
   */
  async settleDisconnect(delivered: Delivered, idempotentRun: IdempotentRun, byClient = false): Promise<void> {
    let charges = this.#answerSegments.chargeForDelivered(delivered.output, delivered.hasMediaOrEmbeddings);
    if (byClient && charges.length === 0) charges = this.#answerSegments.chargeForAll("cut-off");
    if (byClient && charges.length === 0) {
      const called = calledCandidate(this.#requestTrace);
      if (called !== undefined) charges = [chargeForInput(called)];
    }
    const charge = await this.#chargeWithinHold(charges);
    await promiseOf(this.#end(charge, delivered.output, undefined, true, undefined, idempotentRun, undefined));
    await idempotentRun.abandon();
  }

  /** Charges the delivered part when the service ends the request, and frees the key. Returns the fault with the cost. */
  async settleStop(fault: Fault, delivered: Delivered, idempotentRun: IdempotentRun): Promise<Fault> {
    const charge = await this.#chargeWithinHold(
      this.#answerSegments.chargeForDelivered(delivered.output, delivered.hasMediaOrEmbeddings),
    );
    const faultWithCost = withCost(fault, charge.cost);
    await promiseOf(this.#end(charge, delivered.output, faultWithCost, false, undefined, idempotentRun, undefined));
    await idempotentRun.abandon();
    return faultWithCost;
  }

  /**
   * Charges a failed request: nothing before any output, afterwards the delivered part. Output that moderation refused is
   * charged in full, as the provider did the work. `begun`: what a stream gave, for repeated requests. Returns the fault with
   * the charged cost.
   */
  async settleFault(
    fault: Fault,
    delivered: Delivered,
    idempotentRun: IdempotentRun,
    begun?: Pick<BegunStream, "parts" | "sealed">,
  ): Promise<Fault> {
    const segments =
      fault.type === "unsafe_output"
        ? this.#answerSegments.chargeForAll("refused")
        : this.#answerSegments.chargeForDelivered(delivered.output, delivered.hasMediaOrEmbeddings);
    const charge = await this.#chargeWithinHold(segments);
    const faultWithCost = withCost(fault, charge.cost);
    const models = segments.map(({ candidate: { model } }) => ({ provider: model.provider, name: model.name }));
    const idempotent = idempotentRun.failedWith(faultWithCost, begun && { ...begun, models });
    return promiseOf(
      this.#end(charge, delivered.output, faultWithCost, false, idempotent, idempotentRun, faultWithCost),
    );
  }

  /** The one place where a request is charged or released. Completes with `result` once the charge is durable. */
  #end<Result>(
    charge: TotalCharge,
    output: string,
    fault: Fault | undefined,
    hungUp: boolean,
    idempotent: IdempotentAnswer | undefined,
    idempotentRun: IdempotentRun,
    result: Result,
  ): Completion<Result> {
    this.#settled = true;
    const { amount: held, budget, accountBudget } = this.#hold;
    const outcome = { fault, hungUp, charge, held, budget, accountBudget, output, idempotent };
    this.#requestTrace.endStage("charge");
    this.#requestTrace.charge = charge;
    this.#requestTrace.output = output;
    this.#requestTrace.faultType = fault?.type;
    const settlement = settlementOf(this.#requestTrace, this.#caller, outcome);
    const endingBill = new EndingBill(this, settlement, idempotentRun, result);
    this.#settlementWriter.queue(endingBill);
    return endingBill;
  }

  /** The settlement was written. Returns a promise only where the ledger must be read. */
  finish({ leasesChanged }: WriteResult, cost: NanoCredits): void | Promise<void> {
    if (leasesChanged) return this.#hold.settleFromLedger().then(() => this.#requestTrace.endStage("settle"));
    this.#hold.capture(cost);
    this.#requestTrace.endStage("settle");
  }

  /** The settlement was not written, as far as is known. Throws why the request failed. */
  async failToEnd(settlement: Settlement, idempotentRun: IdempotentRun, error: unknown): Promise<never> {
    if (error instanceof OutcomeUnknown) throw this.#settleWhenKnown(settlement, idempotentRun, error);
    await this.#hold.settleFromLedger();
    // When the answer was not stored, its idempotency key is free for another run.
    await idempotentRun.abandon()?.catch(() => undefined);
    throw error;
  }

  /**
   * The store may have written the settlement or not. Until it says so, the hold stays. What was delivered, and what is
   * stored under an idempotency key, is then charged; a whole answer that nobody will get costs nothing.
   */
  #settleWhenKnown(settlement: Settlement, idempotentRun: IdempotentRun, error: OutcomeUnknown): Fault {
    const isStored = settlement.idempotent !== undefined;
    const isDelivered = this.#requestTrace.inference?.streaming === true || settlement.detail.client_hung_up === true;
    const givesBack = !isStored && !isDelivered && settlement.cost > 0n;
    const fault = new Fault(
      "unavailable",
      `The service's store was away when this request was to be charged. ${
        isStored
          ? "Its answer is kept: send the same request with the same Idempotency-Key to get it, charged once."
          : isDelivered
            ? "What was delivered is charged once the store is back."
            : "It costs nothing: send it again."
      }`,
      error.details,
      { cause: error.cause },
    );
    const final = givesBack
      ? unchargedSettlement(this.#requestTrace, this.#caller, fault, settlement.held)
      : settlement;
    this.#settlementWriter.settleLater(final, givesBack, (isWritten) => {
      void this.#hold.settleFromLedger();
      // Where the answer was not stored after all, the key is free for another run.
      if (isStored && !isWritten) void idempotentRun.abandon()?.catch(() => undefined);
    });
    if (!isStored) void idempotentRun.abandon()?.catch(() => undefined);
    return fault;
  }

  /** A provider may count more input than we did. The hold grows where the money suffices; the charge never exceeds it. */
  #chargeWithinHold(segments: readonly SegmentCharge[]): TotalCharge | Promise<TotalCharge> {
    let cost = 0n;
    for (const segment of segments) cost += segment.cost;
    const raised = this.#hold.raiseTo(cost);
    return raised instanceof Promise ? this.#sumLater(segments, raised) : sumSegments(segments, this.#hold.amount);
  }

  /** A store that is unavailable must not keep the bill from ending: the charge then stays within the hold. */
  async #sumLater(segments: readonly SegmentCharge[], raising: Promise<unknown>): Promise<TotalCharge> {
    await raising.catch(() => undefined);
    return sumSegments(segments, this.#hold.amount);
  }

  #receiptFor(charge: TotalCharge): Receipt {
    const { segments } = charge;
    const model = (segments.at(-1)?.candidate ?? this.#answering)?.model ?? this.#cached?.model;
    if (model === undefined) throw new Error("A request was answered by no model.");
    const usage: ReceiptUsage = this.#cached?.usage ?? charge;
    return {
      type: "receipt",
      model: { provider: model.provider, name: model.name },
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      cachedInputTokens: usage.cachedInputTokens,
      cacheWriteTokens: usage.cacheWriteTokens,
      reasoningTokens: usage.reasoningTokens,
      audioMs: usage.audioMs === 0 ? undefined : usage.audioMs,
      cost: charge.cost,
      legs: segments.length > 1 ? segments.map(toReceiptSegment) : undefined,
      latencyMs: this.#requestTrace.elapsedMs,
    };
  }
}

function withCost(fault: Fault, cost: NanoCredits): Fault {
  if (cost === 0n) return fault;
  return new Fault(fault.type, fault.message, { ...fault.details, cost: toCredits(cost) }, { cause: fault });
}

function toReceiptSegment({ candidate, outcome, inputTokens, outputTokens, cost }: SegmentCharge): ReceiptSegment {
  const { provider, name } = candidate.model;
  return { model: { provider, name }, outcome, inputTokens, outputTokens, cost };
}
