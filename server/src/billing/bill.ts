import type { Part, UsagePart } from "../domain/answer.ts";
import type { Caller } from "../domain/caller.ts";
import type { Journal } from "../domain/journal.ts";
import type { Receipt } from "../domain/receipt.ts";
import type { Candidate } from "../domain/route.ts";
import { Fault } from "../kit/fault.ts";
import { type NanoCredits, toCredits } from "../kit/money.ts";
import { writeCredits } from "../kit/write-credits.ts";
import { type AudioSource, acceptAudio, NO_AUDIO, withAudio } from "./accept-audio.ts";
import { acceptUsage } from "./accept-usage.ts";
import { countTokens } from "./count-tokens.ts";
import type { Funds, Hold } from "./funds.ts";
import { priceOf, type Usage } from "./price.ts";
import type { Run } from "./runs.ts";
import { type IdempotentAnswer, settlementOf } from "./settlement.ts";
import type { Settler } from "./settler.ts";

interface Charge extends Usage {
  readonly source: "provider" | "own" | "none";
  readonly audioSource: AudioSource | undefined;
  readonly cost: NanoCredits;
}

const NOTHING: Charge = {
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  images: 0,
  audioMs: 0,
  source: "none",
  audioSource: undefined,
  cost: 0n,
};

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
  #made = "";
  #given = "";
  #images = 0;
  #audio = NO_AUDIO;
  #hasOutput = false;
  #gaveMedia = false;
  #reported: UsagePart | undefined;
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

  /** Before a dearer candidate is tried the hold is raised; false where the money does not reach. */
  async covers(candidate: Candidate): Promise<boolean> {
    return (await this.#hold.raiseTo(candidate.quote.worst)) === "held";
  }

  /** What the provider made, before moderation. */
  hear(part: Part): void {
    if (part.type === "usage") this.#reported = part;
    if (part.type === "text" || part.type === "thinking") this.#made += part.text;
    if (part.type === "tool-call") this.#made += part.arguments;
    if (part.type === "media" && part.kind === "image") this.#images++;
    if (part.type === "media" && part.kind === "audio") this.#audio = withAudio(this.#audio, part.url);
    if (isOutput(part)) this.#hasOutput = true;
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
    const charge = await this.#chargeFor(this.#made, this.#reported);
    const receipt = this.#receiptFor(charge);
    await this.#end(charge, { idempotent: run.answeredWith(receipt) }, run);
    return receipt;
  }

  /** The client hung up: what it was given is charged, and its idempotency key is free for a new run. */
  async settleHangUp(run: Run): Promise<void> {
    const charge = this.#gaveNothing ? NOTHING : await this.#chargeFor(this.#given, undefined);
    await this.#end(charge, { hungUp: true }, run);
    await run.abandon();
  }

  /**
   * Broken off. Before any output it costs nothing; after it, what the client was given is charged; a refused output
   * is charged whole, as the provider did the work. Returns the fault with what was charged for it.
   */
  async settleFault(fault: Fault, run: Run): Promise<Fault> {
    let charge = NOTHING;
    if (fault.type === "unsafe_output") charge = await this.#chargeFor(this.#made, this.#reported);
    else if (!this.#gaveNothing) charge = await this.#chargeFor(this.#given, undefined);
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
  async #end(charge: Charge, ending: Ending, run: Run): Promise<void> {
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

  get #gaveNothing(): boolean {
    return this.#given === "" && !this.#gaveMedia;
  }

  async #chargeFor(text: string, reported: UsagePart | undefined): Promise<Charge> {
    const chosen = this.#journal.chosen;
    if (chosen === undefined || !this.#hasOutput) return NOTHING;
    const { model, quote } = chosen;
    const own = { inputTokens: quote.inputTokens, outputTokens: countTokens(text) };
    const { maxTokens = model.maxOutputTokens, choices = 1 } = this.#journal.inference?.parameters ?? {};
    const accepted = acceptUsage(reported, own, {
      maxOutputTokens: maxTokens === undefined ? undefined : maxTokens * choices,
      attachedTokens: quote.attachedTokens,
      // A stranger may say anything of its own model; what it thought it can show.
      thinks: model.mayDialPrivate && model.capabilities.includes("reasoning"),
      believed: model.discovered === true,
    });
    const audio = acceptAudio(reported, accepted, this.#audio, quote.audio);
    const usage = { ...accepted, ...audio, images: this.#images };
    const cost = priceOf(quote.price, usage);
    // A provider may count more input than we did. Where the money reaches, the hold grows; it is never exceeded.
    // A store that is away must not keep the bill from ending: the charge then stays within what is held.
    await this.#hold.raiseTo(cost).catch(() => undefined);
    return { ...usage, cost: cost < this.#hold.amount ? cost : this.#hold.amount };
  }

  #receiptFor({ cost, ...charge }: Charge): Receipt {
    const model = this.#journal.chosen?.model;
    if (model === undefined) throw new Error("A request was answered by no model.");
    const { provider, name } = model;
    const {
      inputTokens,
      outputTokens,
      cachedInputTokens,
      cacheWriteTokens,
      audioMs = 0,
    } = this.#kept ?? charge;
    return {
      type: "receipt",
      model: { provider, name },
      inputTokens,
      outputTokens,
      cachedInputTokens,
      cacheWriteTokens,
      reasoningTokens: this.#kept?.reasoningTokens ?? reasoningIn(this.#reported, outputTokens),
      ...(audioMs === 0 ? {} : { audioMs }),
      cost,
      latencyMs: this.#journal.elapsedMs,
    };
  }
}

/** Whether a part is something that was made, and not only word of it. */
function isOutput(part: Part): boolean {
  if (part.type === "text" || part.type === "thinking") return part.text !== "";
  // Which of the client's own words ended it is an answer, too, and to some questions the only one.
  if (part.type === "finish") return part.stopSequence !== undefined;
  return part.type === "media" || part.type === "tool-call" || part.type === "embedding";
}

/** What the provider says of its thoughts is shown as long as it can be true; nothing is charged by it. */
function reasoningIn(reported: UsagePart | undefined, outputTokens: number): number {
  const tokens = reported?.reasoningTokens;
  if (typeof tokens !== "number" || !Number.isSafeInteger(tokens) || tokens < 0) return 0;
  return Math.min(tokens, outputTokens);
}
