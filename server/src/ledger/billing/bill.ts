import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { formatCredits, type NanoCredits, toCredits } from "@trunkline/core/money.ts";
import type { Part, Receipt, ReceiptSegment } from "@trunkline/core/parts.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import type { AccountFunds, Hold } from "./account-funds.ts";
import { AnswerSegments, type SegmentCharge, sumSegments, type TotalCharge } from "./answer-segments.ts";
import type { IdempotentRun } from "./idempotent-run.ts";
import { type IdempotentAnswer, settlementOf } from "./settlement.ts";
import type { SettlementWriter } from "./settlement-writer.ts";

/** What a receipt tells of the work done. */
type ReportedUsage = Pick<
  Receipt,
  "inputTokens" | "outputTokens" | "cachedInputTokens" | "cacheWriteTokens" | "reasoningTokens" | "audioMs"
>;

/** What a bill needs of a hold. */
type BillHold = Pick<Hold, "amount" | "budget" | "raiseTo" | "capture" | "release" | "settleFromLedger">;

/** The hold of what costs nothing. */
const NO_HOLD: BillHold = {
  amount: 0n,
  budget: undefined,
  raiseTo: async () => "held",
  capture: () => undefined,
  release: () => undefined,
  settleFromLedger: async () => undefined,
};

interface Ending {
  readonly fault?: Fault;
  readonly hungUp?: boolean;
  readonly idempotent?: IdempotentAnswer | undefined;
}

/** One request's money from the first hold to the one settlement. */
export class Bill {
  readonly #settlementWriter: SettlementWriter;
  readonly #requestTrace: RequestTrace;
  readonly #caller: Caller;
  readonly #hold: BillHold;
  readonly #cachedUsage: ReportedUsage | undefined;
  readonly #answerSegments = new AnswerSegments();
  #delivered = "";
  #deliveredMedia = false;
  #settled = false;

  private constructor(
    settlementWriter: SettlementWriter,
    requestTrace: RequestTrace,
    caller: Caller,
    hold: BillHold,
    kept?: ReportedUsage,
  ) {
    this.#settlementWriter = settlementWriter;
    this.#requestTrace = requestTrace;
    this.#caller = caller;
    this.#hold = hold;
    this.#cachedUsage = kept;
  }

  /** Of an answer that is given again: nothing is held, nothing is charged, and the receipt tells what it once took. */
  static forCachedAnswer(
    settlementWriter: SettlementWriter,
    caller: Caller,
    requestTrace: RequestTrace,
    usage: ReportedUsage,
  ): Bill {
    return new Bill(settlementWriter, requestTrace, caller, NO_HOLD, usage);
  }

  static async open(
    accountFunds: AccountFunds,
    settlementWriter: SettlementWriter,
    caller: Caller,
    requestTrace: RequestTrace,
  ): Promise<Bill> {
    return new Bill(
      settlementWriter,
      requestTrace,
      caller,
      await accountFunds.openHold(caller, requestTrace.receivedAt.getTime()),
    );
  }

  /**
   * The hold stage: the worst case of the best candidate that the money covers is set aside, or 402. All of them were
   * covered a moment ago, when the route was chosen; others may have spent of the same money since.
   */
  async holdForFirstAffordable(candidates: readonly [Candidate, ...Candidate[]]): Promise<void> {
    try {
      await this.#holdForOneOf(candidates);
    } catch (error) {
      this.#settled = true;
      this.#hold.release();
      throw error;
    }
  }

  async #holdForOneOf([best, ...others]: readonly [Candidate, ...Candidate[]]): Promise<void> {
    const held = await this.#hold.raiseTo(best.quote.worst);
    if (held === "held") return;
    for (const candidate of others) if (await this.raiseHoldFor(candidate)) return;
    const needed = `This request may cost up to ${formatCredits(best.quote.worst)}`;
    throw held === "budget"
      ? new Fault(
          "budget_exceeded",
          `${needed}, more than this key's budget has left. Raise the budget or lower \`max_tokens\`.`,
        )
      : new Fault(
          "insufficient_balance",
          `${needed}, more than the account has available. Add credits or lower \`max_tokens\`.`,
        );
  }

  /**
   * Before a candidate is called the hold is raised to its worst case beside what the answer has cost so far; false where
   * the money does not reach.
   */
  async raiseHoldFor(candidate: Candidate): Promise<boolean> {
    return (await this.#hold.raiseTo(this.costSoFar + candidate.quote.worst)) === "held";
  }

  /** What is charged if the answer ends here, with all that was made of it given out. */
  get costSoFar(): NanoCredits {
    return this.#answerSegments.costSoFar;
  }

  /** From here on what is heard is a new leg of the answer, priced by this candidate. */
  startSegment(candidate: Candidate): void {
    this.#answerSegments.start(candidate, this.#requestTrace.inference?.parameters ?? {});
  }

  /** The answer that was just heard is whole and is not given out: it is charged, as its provider did the work. */
  failCheck(): void {
    this.#answerSegments.failCheck();
  }

  /** What was just heard is not whole and not given out: it costs nothing. */
  dropSegment(): void {
    this.#answerSegments.dropCurrent();
  }

  /** What the provider made, before moderation. */
  meter(part: Part): void {
    this.#answerSegments.meter(part);
  }

  /** What the client is given, after moderation. */
  deliver(part: Part): void {
    if (part.type === "text" || part.type === "thinking") this.#delivered += part.text;
    if (part.type === "tool-call") this.#delivered += part.arguments;
    if (part.type === "media" || part.type === "embedding") this.#deliveredMedia = true;
  }

  /** Whether the money has found its end. */
  get isSettled(): boolean {
    return this.#settled;
  }

  /** The request was answered in full: charged, and the receipt is given out once the charge is on disk. */
  async settle(idempotentRun: IdempotentRun): Promise<Receipt> {
    const charge = await this.#raiseHoldToCost(this.#answerSegments.chargeForAll("answered"));
    const receipt = this.#receiptFor(charge);
    await this.#end(charge, { idempotent: idempotentRun.answeredWith(receipt) }, idempotentRun);
    return receipt;
  }

  /** The client hung up: what it was given is charged, and its idempotency key is free for a new run. */
  async settleDisconnect(idempotentRun: IdempotentRun): Promise<void> {
    const charge = await this.#raiseHoldToCost(
      this.#answerSegments.chargeForDelivered(this.#delivered, this.#deliveredMedia),
    );
    await this.#end(charge, { hungUp: true }, idempotentRun);
    await idempotentRun.abandon();
  }

  /**
   * Broken off. Before any output it costs nothing; after it, what the client was given is charged; a refused output
   * is charged whole, as the provider did the work. Returns the fault with what was charged for it.
   */
  async settleFault(fault: Fault, idempotentRun: IdempotentRun): Promise<Fault> {
    const legs =
      fault.type === "unsafe_output"
        ? this.#answerSegments.chargeForAll("refused")
        : this.#answerSegments.chargeForDelivered(this.#delivered, this.#deliveredMedia);
    const charge = await this.#raiseHoldToCost(legs);
    const told =
      charge.cost === 0n
        ? fault
        : new Fault(fault.type, fault.message, { ...fault.details, cost: toCredits(charge.cost) }, { cause: fault });
    await this.#end(charge, { fault: told, idempotent: idempotentRun.failedWith(told) }, idempotentRun);
    return told;
  }

  /** The one place where a request is charged or released. */
  async #end(charge: TotalCharge, ending: Ending, idempotentRun: IdempotentRun): Promise<void> {
    this.#settled = true;
    const { cost } = charge;
    const outcome = {
      inputTokens: charge.inputTokens,
      outputTokens: charge.outputTokens,
      images: charge.images,
      cachedInputTokens: charge.cachedInputTokens,
      cacheWriteTokens: charge.cacheWriteTokens,
      audioMs: charge.audioMs,
      audioSource: charge.audioSource,
      usageSource: charge.source,
      legs: charge.legs,
      cost,
      held: this.#hold.amount,
      budget: this.#hold.budget,
      output: this.#delivered,
      fault: ending.fault,
      hungUp: ending.hungUp ?? false,
      idempotent: ending.idempotent,
    };
    this.#requestTrace.endStage("charge");
    let leasesChanged: boolean;
    try {
      ({ leasesChanged } = await this.#settlementWriter.write(settlementOf(this.#requestTrace, this.#caller, outcome)));
    } catch (error) {
      await this.#hold.settleFromLedger();
      // Where the answer was not kept after all, its idempotency key is free for another run.
      await idempotentRun.abandon().catch(() => undefined);
      throw error;
    }
    if (leasesChanged) await this.#hold.settleFromLedger();
    else this.#hold.capture(cost);
    this.#requestTrace.endStage("settle");
  }

  /** A provider may count more input than we did. Where the money reaches, the hold grows; it is never exceeded. */
  async #raiseHoldToCost(legs: readonly SegmentCharge[]): Promise<TotalCharge> {
    const cost = legs.reduce((sum, leg) => sum + leg.cost, 0n);
    // A store that is away must not keep the bill from ending: the charge then stays within what is held.
    await this.#hold.raiseTo(cost).catch(() => undefined);
    return sumSegments(legs, this.#hold.amount);
  }

  #receiptFor({ cost, legs, ...charge }: TotalCharge): Receipt {
    const model = legs.at(-1)?.candidate.model ?? this.#requestTrace.chosen?.model;
    if (model === undefined) throw new Error("A request was answered by no model.");
    const { provider, name } = model;
    const usage: ReportedUsage = this.#cachedUsage ?? charge;
    const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, audioMs = 0 } = usage;
    return {
      type: "receipt",
      model: { provider, name },
      inputTokens,
      outputTokens,
      cachedInputTokens,
      cacheWriteTokens,
      reasoningTokens: usage.reasoningTokens,
      ...(audioMs === 0 ? {} : { audioMs }),
      cost,
      ...(legs.length > 1 ? { legs: legs.map(receiptLeg) } : {}),
      latencyMs: this.#requestTrace.elapsedMs,
    };
  }
}

function receiptLeg({ candidate, outcome, inputTokens, outputTokens, cost }: SegmentCharge): ReceiptSegment {
  const { provider, name } = candidate.model;
  return { model: { provider, name }, outcome, inputTokens, outputTokens, cost };
}
