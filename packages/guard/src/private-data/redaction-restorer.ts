import type { Part, TextPart, ThinkingPart } from "@trunkline/core/parts.ts";
import { escapeJson } from "./redactions.ts";

interface Held {
  readonly choice: number | undefined;
  words: string;
  thoughts: string;
}

/**
 * Restores the redacted values of a request in its answer, in whatever chunks it arrives. Holds back only what may be
 * the beginning of a placeholder.
 */
export class RedactionRestorer {
  readonly #values: ReadonlyMap<string, string>;
  readonly #restoredValues = new Map<string, string>();
  readonly #placeholders: readonly string[];
  readonly #longest: number;
  /** A JSON answer must stay valid JSON. */
  readonly #isJson: boolean;
  readonly #held = new Map<number, Held>();

  /** `values`: the values by placeholder. */
  constructor(values: ReadonlyMap<string, string>, isJson: boolean) {
    this.#values = values;
    this.#placeholders = [...values.keys()];
    this.#longest = this.#placeholders.reduce((longest, { length }) => Math.max(longest, length), 0);
    this.#isJson = isJson;
  }

  /** The values restored so far, by placeholder. */
  get restoredValues(): ReadonlyMap<string, string> {
    return this.#restoredValues;
  }

  /** Reads the next part and yields what can be sent. */
  *read(part: Part): Generator<Part> {
    if (this.#longest === 0) return yield part;
    switch (part.type) {
      case "text": {
        const held = this.#heldOf(part.choice);
        yield* this.#flushThinking(held);
        const { ready, rest } = this.#split(held.words + part.text);
        held.words = rest;
        if (ready !== "") yield { ...part, text: this.#restored(ready, this.#isJson) };
        return;
      }
      case "thinking":
        yield* this.#readThinking(part);
        return;
      case "tool-call":
        yield* this.#flushChoice(this.#heldOf(part.choice));
        yield { ...part, arguments: this.#restored(part.arguments, true) };
        return;
      case "logprobs":
      case "finish":
        yield* this.#flushChoice(this.#heldOf(part.choice));
        yield part;
        return;
      case "usage":
        // Usage may arrive at any time and does not mark the end of the text.
        yield part;
        return;
      default:
        yield* this.flush();
        yield part;
    }
  }

  /** Yields what is held back, as no placeholder followed. */
  *flush(): Generator<Part> {
    for (const held of this.#held.values()) yield* this.#flushChoice(held);
  }

  /** Restores a complete answer. */
  restoreAll(parts: readonly Part[]): Part[] {
    return [...parts.flatMap((part) => [...this.read(part)]), ...this.flush()];
  }

  *#readThinking(part: ThinkingPart): Generator<Part> {
    const held = this.#heldOf(part.choice);
    const isLastPiece = part.signature !== undefined || part.sealed !== undefined;
    if (part.text === "" && !isLastPiece) return;
    // Held text came before the thinking part, so it is sent first.
    yield* this.#flushText(held);
    const text = held.thoughts + part.text;
    const { ready, rest } = isLastPiece ? { ready: text, rest: "" } : this.#split(text);
    held.thoughts = rest;
    if (ready !== "" || isLastPiece) yield { ...part, text: this.#restored(ready, false) };
  }

  #heldOf(choice: number | undefined): Held {
    const known = this.#held.get(choice ?? 0);
    if (known !== undefined) return known;
    const held = { choice, words: "", thoughts: "" };
    this.#held.set(choice ?? 0, held);
    return held;
  }

  *#flushChoice(held: Held): Generator<TextPart | ThinkingPart> {
    yield* this.#flushThinking(held);
    yield* this.#flushText(held);
  }

  *#flushText(held: Held): Generator<TextPart> {
    if (held.words !== "") yield { type: "text", text: held.words, ...ofChoice(held) };
    held.words = "";
  }

  *#flushThinking(held: Held): Generator<ThinkingPart> {
    if (held.thoughts !== "") yield { type: "thinking", text: held.thoughts, ...ofChoice(held) };
    held.thoughts = "";
  }

  /** Splits a text into what can be sent and an end that may become a placeholder. */
  #split(text: string): { readonly ready: string; readonly rest: string } {
    const from = Math.max(0, text.length - this.#longest + 1);
    const bracket = text.lastIndexOf("[");
    if (bracket < from) return { ready: text, rest: "" };
    const end = text.slice(bracket);
    const isBeginning = !end.includes("]") && this.#placeholders.some((placeholder) => placeholder.startsWith(end));
    return isBeginning ? { ready: text.slice(0, bracket), rest: end } : { ready: text, rest: "" };
  }

  #restored(text: string, isJson: boolean): string {
    if (!text.includes("[")) return text;
    return text.replace(/\[[A-Z_]{3,50}\d{1,7}\]/g, (placeholder) => {
      const value = this.#values.get(placeholder);
      if (value === undefined) return placeholder;
      this.#restoredValues.set(placeholder, value);
      return isJson ? escapeJson(value) : value;
    });
  }
}

function ofChoice({ choice }: Held): { readonly choice?: number } {
  return choice === undefined ? {} : { choice };
}
