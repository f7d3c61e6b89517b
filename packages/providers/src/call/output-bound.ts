import { TokenCounter } from "@trunkline/core/count-tokens.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import type { FinishPart, Part } from "@trunkline/core/parts.ts";
import type { Candidate } from "@trunkline/core/route.ts";

/** How far our count may be above that of a provider which stops where it should: tokenizers differ. */
const COUNT_FACTOR = 2;
const SLACK_TOKENS = 256;
/** A text is counted, and cut, in pieces of this length. */
const PIECE_CHARACTERS = 512;

/**
 * Ends an answer that goes on past the output that was asked for, or that the hold covers: nothing beyond it is paid for,
 * and a provider that does not stop would keep its client, and this service, busy for as long as it likes.
 */
export class OutputBound {
  readonly #tokensMax: number;
  readonly #choices: number;
  readonly #counter = new TokenCounter();
  #finished: Set<number> | undefined;

  private constructor(tokensMax: number, choices: number) {
    this.#tokensMax = tokensMax;
    this.#choices = choices;
  }

  /** The bound of one call; undefined: its answer has no length that was asked for. */
  static of({ model, quote }: Candidate, { task, parameters }: Inference): OutputBound | undefined {
    const makesText = model.type === "text" || model.type === "multimodal";
    // How long a transcript becomes depends on the recording.
    if (!makesText || task.kind === "transcription" || quote.maxOutputTokens <= 0) return undefined;
    const { maxTokens = model.maxOutputTokens, choices = 1 } = parameters;
    // An account that pays the provider itself may have as much as it gets.
    if (maxTokens === undefined && model.ownKey === true) return undefined;
    return new OutputBound(quote.maxOutputTokens * choices * COUNT_FACTOR + SLACK_TOKENS, choices);
  }

  /** What of a part is within the bound: all of it, its beginning, or nothing. */
  within(part: Part): Part | undefined {
    if (part.type === "tool-call") {
      this.#counter.add(part.arguments);
      // A part of a call is none.
      return this.isExceeded ? undefined : part;
    }
    if (part.type === "finish" && this.#choices > 1) {
      this.#finished ??= new Set();
      this.#finished.add(part.choice ?? 0);
    }
    if (part.type !== "text" && part.type !== "thinking") return part;
    const { text } = part;
    if (text.length <= PIECE_CHARACTERS) {
      this.#counter.add(text);
      return part;
    }
    for (let at = 0; at < text.length; at += PIECE_CHARACTERS) {
      this.#counter.add(text.slice(at, at + PIECE_CHARACTERS));
      if (this.isExceeded) return { ...part, text: text.slice(0, characterBoundary(text, at + PIECE_CHARACTERS)) };
    }
    return part;
  }

  get isExceeded(): boolean {
    return this.#counter.tokens > this.#tokensMax;
  }

  /** The end of every choice that the provider did not end itself. */
  finishParts(): readonly FinishPart[] {
    if (this.#choices === 1) return [{ type: "finish", reason: "length" }];
    const parts: FinishPart[] = [];
    for (let choice = 0; choice < this.#choices; choice++)
      if (this.#finished?.has(choice) !== true) parts.push({ type: "finish", reason: "length", choice });
    return parts;
  }
}

/** One offset earlier if `place` would split a surrogate pair. */
function characterBoundary(text: string, place: number): number {
  const before = text.charCodeAt(place - 1);
  return place < text.length && before >= 0xd800 && before < 0xdc00 ? place - 1 : place;
}
