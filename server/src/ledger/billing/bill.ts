import type { Part } from "@trunkline/core/answer.ts";
import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import type { Journal } from "@trunkline/core/journal.ts";
import { type NanoCredits, toCredits } from "@trunkline/core/money.ts";
import type { Receipt, ReceiptLeg } from "@trunkline/core/receipt.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import { writeCredits } from "@trunkline/core/write-credits.ts";
import type { Funds, Hold } from "./funds.ts";
import type { Run } from "./idempotent-run.ts";
import { type LegCharge, Legs } from "./legs.ts";
import { type IdempotentAnswer, settlementOf } from "./settlement.ts";
import type { Settler } from "./settlement-writer.ts";
import { sumOfLegs, type TotalCharge } from "./sum-of-legs.ts";

/** What a receipt tells of the work done. */
type UsageTold = Pick<
  Receipt,
  "inputTokens" | "outputTokens" | "cachedInputTokens" | "cacheWriteTokens" | "reasoningTokens" | "audioMs"
>;

/** What a bill needs of a hold. */
type Held = Pick<Hold, "amount" | "budget" | "raiseTo" | "capture" | "release" | "endByTheBooks">;

/** The hold of what costs nothing. */
const NO_HOLD: Held = {
  amount: 0n,
  budget: undefined,
  raiseTo: async () => "held",
  capture: () => undefined,
  release: () => undefined,
  endByTheBooks: async () => undefined,
};

interface Ending {
  readonly fault?: Fault;
  readonly hungUp?: boolean;
  readonly idempotent?: IdempotentAnswer | undefined;
}

/** One request's money from the first hold to the one settlement. */
export class Bill {
  readonly #settler: Settler;
  readonly #journal: Journal;
  readonly #caller: Caller;
  readonly #hold: Held;
  readonly #kept: UsageTold | undefined;
  readonly #legs = new Legs();
  #given = "";
  #gaveMedia = false;
  #settled = false;

  private constructor(settler: Settler, journal: Journal, caller: Caller, hold: Held, kept?: UsageTold) {
    this.#settler = settler;
    this.#journal = journal;
    this.#caller = caller;
    this.#hold = hold;
    this.#kept = kept;
  }

  /** Of an answer that is given again: nothing is held, nothing is charged, and the receipt tells what it once took. */
  static ofKept(settler: Settler, caller: Caller, journal: Journal, usage: UsageTold): Bill {
    return new Bill(settler, journal, caller, NO_HOLD, usage);
  }

  static async open(funds: Funds, settler: Settler, caller: Caller, journal: Journal): Promise<Bill> {
    return new Bill(settler, journal, caller, await funds.openHold(caller, journal.receivedAt.getTime()));
  }

  /**
   * The hold stage: the worst case of the best candidate that the money covers is set aside, or 402. All of them were
   * covered a moment ago, when the route was chosen; others may have spent of the same money since.
   */
  async holdForOneOf(candidates: readonly [Candidate, ...Candidate[]]): Promise<void> {
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
    for (const candidate of others) if (await this.covers(candidate)) return;
    const needed = `This request may cost up to ${writeCredits(best.quote.worst)}`;
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
  async covers(candidate: Candidate): Promise<boolean> {
    return (await this.#hold.raiseTo(this.costSoFar + candidate.quote.worst)) === "held";
  }

  /** What is charged if the answer ends here, with all that was made of it given out. */
  get costSoFar(): NanoCredits {
    return this.#legs.costSoFar;
  }

  /** From here on what is heard is a new leg of the answer, priced by this candidate. */
  turnTo(candidate: Candidate): void {
    this.#legs.turnTo(candidate, this.#journal.inference?.parameters ?? {});
  }

  /** The answer that was just heard is whole and is not given out: it is charged, as its provider did the work. */
  throwAway(): void {
    this.#legs.failCheck();
  }

  /** What was just heard is not whole and not given out: it costs nothing. */
  forget(): void {
    this.#legs.forgetRunning();
  }

  /** What the provider made, before moderation. */
  hear(part: Part): void {
    this.#legs.hear(part);
  }

  /** What the client is given, after moderation. */
  give(part: Part): void {
    if (part.type === "text" || part.type === "thinking") this.#given += part.text;
    if (part.type === "tool-call") this.#given += part.arguments;
    if (part.type === "media" || part.type === "embedding") this.#gaveMedia = true;
  }

  /** Whether the money has found its end. */
  get isSettled(): boolean {
    return this.#settled;
  }

  /** The request was answered in full: charged, and the receipt is given out once the charge is on disk. */
  async settle(run: Run): Promise<Receipt> {
    const charge = await this.#cover(this.#legs.chargeForAll("answered"));
    const receipt = this.#receiptFor(charge);
    await this.#end(charge, { idempotent: run.answeredWith(receipt) }, run);
    return receipt;
  }

  /** The client hung up: what it was given is charged, and its idempotency key is free for a new run. */
  async settleHangUp(run: Run): Promise<void> {
    const charge = await this.#cover(this.#legs.chargeForGiven(this.#given, this.#gaveMedia));
    await this.#end(charge, { hungUp: true }, run);
    await run.abandon();
  }

  /**
   * Broken off. Before any output it costs nothing; after it, what the client was given is charged; a refused output
   * is charged whole, as the provider did the work. Returns the fault with what was charged for it.
   */
  async settleFault(fault: Fault, run: Run): Promise<Fault> {
    const legs =
      fault.type === "unsafe_output"
        ? this.#legs.chargeForAll("refused")
        : this.#legs.chargeForGiven(this.#given, this.#gaveMedia);
    const charge = await this.#cover(legs);
    const told =
      charge.cost === 0n
        ? fault
        : new Fault(
            fault.type,
            fault.message,
            { ...fault.details, cost: toCredits(charge.cost) },
            { cause: fault },
          );
    await this.#end(charge, { fault: told, idempotent: run.failedWith(told) }, run);
    return told;
  }

  /** The one place where a request is charged or released. */
  async #end(charge: TotalCharge, ending: Ending, run: Run): Promise<void> {
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
      output: this.#given,
      fault: ending.fault,
      hungUp: ending.hungUp ?? false,
      idempotent: ending.idempotent,
    };
    this.#journal.mark("charge");
    let leasesChanged: boolean;
    try {
      ({ leasesChanged } = await this.#settler.write(settlementOf(this.#journal, this.#caller, outcome)));
    } catch (error) {
      await this.#hold.endByTheBooks();
      // Where the answer was not kept after all, its idempotency key is free for another run.
      await run.abandon().catch(() => undefined);
      throw error;
    }
    if (leasesChanged) await this.#hold.endByTheBooks();
    else this.#hold.capture(cost);
    this.#journal.mark("settle");
  }

  /** A provider may count more input than we did. Where the money reaches, the hold grows; it is never exceeded. */
  async #cover(legs: readonly LegCharge[]): Promise<TotalCharge> {
    const cost = legs.reduce((sum, leg) => sum + leg.cost, 0n);
    // A store that is away must not keep the bill from ending: the charge then stays within what is held.
    await this.#hold.raiseTo(cost).catch(() => undefined);
    return sumOfLegs(legs, this.#hold.amount);
  }

  #receiptFor({ cost, legs, ...charge }: TotalCharge): Receipt {
    const model = legs.at(-1)?.candidate.model ?? this.#journal.chosen?.model;
    if (model === undefined) throw new Error("A request was answered by no model.");
    const { provider, name } = model;
    const usage: UsageTold = this.#kept ?? charge;
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
      ...(legs.length > 1 ? { legs: legs.map(tellLeg) } : {}),
      latencyMs: this.#journal.elapsedMs,
    };
  }
}

function tellLeg({ candidate, outcome, inputTokens, outputTokens, cost }: LegCharge): ReceiptLeg {
  const { provider, name } = candidate.model;
  return { model: { provider, name }, outcome, inputTokens, outputTokens, cost };
}
