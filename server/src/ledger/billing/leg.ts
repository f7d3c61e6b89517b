import type { Part, UsagePart } from "@trunkline/core/answer.ts";
import { countTokens } from "@trunkline/core/count-tokens.ts";
import type { Parameters } from "@trunkline/core/inference.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import { priceOf, type Usage } from "@trunkline/core/price.ts";
import type { Candidate } from "@trunkline/core/route.ts";
import { type AudioSource, acceptAudio, addAudio, NO_GENERATED_AUDIO } from "./accept-audio.ts";
import { acceptUsage } from "./accept-usage.ts";

/** What is charged for work of one model. */
export interface UsageCharge extends Usage {
  readonly source: "provider" | "own" | "none";
  readonly audioSource: AudioSource | undefined;
  /** How many of the output tokens were thoughts, as the provider says. */
  readonly reasoningTokens: number;
  readonly cost: NanoCredits;
}

/** The limits that a client set to an answer. */
export type OutputLimits = Partial<Pick<Parameters, "maxTokens" | "choices">>;

/** What one model made of an answer, before moderation. Most answers have one leg; each is priced by its own model. */
export class AnswerSegment {
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
