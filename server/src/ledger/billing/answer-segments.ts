import { countTokens } from "@trunkline/core/count-tokens.ts";
import type { Parameters } from "@trunkline/core/inference.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { Part, SegmentOutcome, UsagePart } from "@trunkline/core/parts.ts";
import { priceOf, type Usage } from "@trunkline/core/price.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import { type AudioSource, acceptAudio, acceptUsage, addAudio, NO_GENERATED_AUDIO } from "./accept-usage.ts";

/** What is charged for work of one model. */
interface UsageCharge extends Usage {
  readonly source: "provider" | "own" | "none";
  readonly audioSource: AudioSource | undefined;
  /** How many of the output tokens were thoughts, as the provider says. */
  readonly reasoningTokens: number;
  readonly cost: NanoCredits;
}

/** The limits that a client set to an answer. */
type OutputLimits = Partial<Pick<Parameters, "maxTokens" | "choices">>;

/** What one model made of an answer, before moderation. Most answers have one leg; each is priced by its own model. */
class AnswerSegment {
  readonly candidate: Candidate;
  readonly #asked: OutputLimits;
  #made = "";
  #images = 0;
  #audio = NO_GENERATED_AUDIO;
  #hasOutput = false;
  #hasMedia = false;
  #reported: UsagePart | undefined;

  constructor(candidate: Candidate, asked: OutputLimits) {
    this.candidate = candidate;
    this.#asked = asked;
  }

  meter(part: Part): void {
    if (part.type === "usage") this.#reported = part;
    if (part.type === "text" || part.type === "thinking") this.#made += part.text;
    if (part.type === "tool-call") this.#made += part.arguments;
    if (part.type === "media" && part.kind === "image") this.#images++;
    if (part.type === "media" && part.kind === "audio") this.#audio = addAudio(this.#audio, part.url);
    if (part.type === "media" || part.type === "embedding") this.#hasMedia = true;
    if (isOutput(part)) this.#hasOutput = true;
  }

  /** Words, thoughts, and what tools are called with, as it came. */
  get made(): string {
    return this.#made;
  }

  /** Whether anything was made: what made nothing costs nothing. */
  get hasOutput(): boolean {
    return this.#hasOutput;
  }

  /** Whether some of it is no words. */
  get hasMedia(): boolean {
    return this.#hasMedia;
  }

  /** All that was made, by the provider's count where that can be believed. */
  chargeForAll(): UsageCharge {
    return this.#chargeFor(this.#made, this.#reported);
  }

  /** So much of the words, by our own count: what a provider counts is of the whole. */
  chargeForText(words: string): UsageCharge {
    return this.#chargeFor(words, undefined);
  }

  #chargeFor(words: string, reported: UsagePart | undefined): UsageCharge {
    const { model, quote } = this.candidate;
    const { maxTokens = model.maxOutputTokens, choices = 1 } = this.#asked;
    const own = { inputTokens: quote.inputTokens, outputTokens: countTokens(words) };
    const accepted = acceptUsage(reported, own, {
      maxOutputTokens: maxTokens === undefined ? undefined : maxTokens * choices,
      attachedTokens: quote.attachedTokens,
      // A stranger may say anything of its own model; what it thought it can show.
      thinks: model.mayDialPrivate && model.capabilities.includes("reasoning"),
      believed: model.discovered === true,
    });
    const audio = acceptAudio(reported, accepted, this.#audio, quote.audio);
    const usage = { ...accepted, ...audio, images: this.#images };
    const reasoningTokens = acceptReasoningTokens(reported, usage.outputTokens);
    return { ...usage, reasoningTokens, cost: priceOf(quote.price, usage) };
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
function acceptReasoningTokens(reported: UsagePart | undefined, outputTokens: number): number {
  const tokens = reported?.reasoningTokens;
  if (typeof tokens !== "number" || !Number.isSafeInteger(tokens) || tokens < 0) return 0;
  return Math.min(tokens, outputTokens);
}

/** What is charged for one leg. */
export interface SegmentCharge extends UsageCharge {
  readonly candidate: Candidate;
  readonly outcome: SegmentOutcome;
}

interface EndedSegment {
  readonly segment: AnswerSegment;
  readonly outcome: "cut-off" | "failed-check";
}

/** The models that made one answer, one after the other, and what each of them made. */
export class AnswerSegments {
  readonly #endedSegments: EndedSegment[] = [];
  #current: AnswerSegment | undefined;

  /** From here on this candidate is heard. Whoever was heard before broke off, unless it was said what became of it. */
  start(candidate: Candidate, asked: OutputLimits): void {
    if (this.#current !== undefined) this.#end(this.#current, "cut-off");
    this.#current = new AnswerSegment(candidate, asked);
  }

  meter(part: Part): void {
    this.#current?.meter(part);
  }

  /** The running leg gave a whole answer of which nothing is given out: it is charged all the same. */
  failCheck(): void {
    if (this.#current !== undefined) this.#end(this.#current, "failed-check");
    this.#current = undefined;
  }

  /** Of what the running leg made nothing is given out, and it was not whole either: it costs nothing. */
  dropCurrent(): void {
    this.#current = undefined;
  }

  #end(answerSegment: AnswerSegment, outcome: EndedSegment["outcome"]): void {
    if (answerSegment.hasOutput) this.#endedSegments.push({ segment: answerSegment, outcome });
  }

  /** What all of it costs if it ends here. */
  get costSoFar(): NanoCredits {
    const running = this.#current?.hasOutput ? this.#current.chargeForText(this.#current.made).cost : 0n;
    return this.#endedSegments.reduce((sum, endedSegment) => sum + chargeForEnded(endedSegment).cost, running);
  }

  /** For all that was made: the legs that others went on from by our own count, the last one by its provider's. */
  chargeForAll(outcome: SegmentOutcome): readonly SegmentCharge[] {
    const charges = this.#endedSegments.map(chargeForEnded);
    const last = this.#current;
    if (last?.hasOutput) charges.push({ ...last.chargeForAll(), candidate: last.candidate, outcome });
    return charges;
  }

  /**
   * For what was given out. Moderation holds words back but keeps their order, so that what was given is the beginning of
   * what was made, and each leg has its share by its length.
   */
  chargeForDelivered(words: string, gaveMedia: boolean): readonly SegmentCharge[] {
    const charges: SegmentCharge[] = [];
    let rest = words;
    for (const { segment: answerSegment, outcome } of this.#all()) {
      if (outcome === "failed-check") {
        charges.push(chargeForEnded({ segment: answerSegment, outcome }));
        continue;
      }
      const share = answerSegment === this.#current ? rest : rest.slice(0, answerSegment.made.length);
      rest = rest.slice(share.length);
      if (share === "" && !(gaveMedia && answerSegment.hasMedia)) continue;
      charges.push({ ...answerSegment.chargeForText(share), candidate: answerSegment.candidate, outcome });
    }
    return charges;
  }

  #all(): readonly EndedSegment[] {
    const running = this.#current;
    return running?.hasOutput
      ? [...this.#endedSegments, { segment: running, outcome: "cut-off" }]
      : this.#endedSegments;
  }
}

function chargeForEnded({ segment: answerSegment, outcome }: EndedSegment): SegmentCharge {
  const usageCharge =
    outcome === "failed-check" ? answerSegment.chargeForAll() : answerSegment.chargeForText(answerSegment.made);
  return { ...usageCharge, candidate: answerSegment.candidate, outcome };
}

/** What is charged for a whole request, and the legs that it is the sum of. */
export interface TotalCharge extends UsageCharge {
  readonly legs: readonly SegmentCharge[];
}

const NO_CHARGE: UsageCharge = {
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  images: 0,
  audioMs: 0,
  source: "none",
  audioSource: undefined,
  reasoningTokens: 0,
  cost: 0n,
};

/**
 * The legs together, never above what is held: the first legs are paid in full, and the one that the money does not reach
 * for is cut. So the legs add up to the total whatever happens.
 */
export function sumSegments(priced: readonly SegmentCharge[], held: NanoCredits): TotalCharge {
  const legs: SegmentCharge[] = [];
  let total: UsageCharge = NO_CHARGE;
  for (const leg of priced) {
    const left = held - total.cost;
    const paid = { ...leg, cost: leg.cost < left ? leg.cost : left };
    legs.push(paid);
    total = addCharge(total, paid);
  }
  return { ...total, legs };
}

/** Whoever counted something for us to estimate the rest has not counted the whole. */
function addCharge(total: UsageCharge, leg: SegmentCharge): UsageCharge {
  return {
    inputTokens: total.inputTokens + leg.inputTokens,
    cachedInputTokens: total.cachedInputTokens + leg.cachedInputTokens,
    cacheWriteTokens: total.cacheWriteTokens + leg.cacheWriteTokens,
    outputTokens: total.outputTokens + leg.outputTokens,
    images: total.images + leg.images,
    audioMs: total.audioMs + leg.audioMs,
    source: total.source === "none" || total.source === leg.source ? leg.source : "own",
    audioSource: leg.audioSource ?? total.audioSource,
    reasoningTokens: total.reasoningTokens + leg.reasoningTokens,
    cost: total.cost + leg.cost,
  };
}
