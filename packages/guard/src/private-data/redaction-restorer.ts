import type { Part, TextPart, ThinkingPart } from "@trunkline/core/parts.ts";
import { escapeJson } from "./redactions.ts";

interface Held {
  readonly choice: number | undefined;
  words: string;
  thoughts: string;
}

/**
 * Puts the values of a request back into its answer, in whatever pieces it comes. Holds back only what may be the beginning of a
 * placeholder.
 */
export class RedactionRestorer {
  readonly #values: ReadonlyMap<string, string>;
  readonly #restoredValues = new Map<string, string>();
  readonly #placeholders: readonly string[];
  readonly #longest: number;
  /** An answer that is JSON must stay so. */
  readonly #isJson: boolean;
  readonly #held = new Map<number, Held>();

  /** `values`: what is put back, by the placeholders that stand for it. */
  constructor(values: ReadonlyMap<string, string>, isJson: boolean) {
    this.#values = values;
    this.#placeholders = [...values.keys()];
    this.#longest = this.#placeholders.reduce((longest, { length }) => Math.max(longest, length), 0);
    this.#isJson = isJson;
  }

  /** What was put back so far, by the placeholders that stood for it. */
  get restoredValues(): ReadonlyMap<string, string> {
    return this.#restoredValues;
  }

  /** Takes the next part and gives back what can be passed on. */
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
        // Figures may come at any time, and say nothing about where the words end.
        yield part;
        return;
      default:
        yield* this.flush();
        yield part;
    }
  }

  /** Gives back what is held: no placeholder came of it. */
  *flush(): Generator<Part> {
    for (const held of this.#held.values()) yield* this.#flushChoice(held);
  }

  /** All of an answer at once. */
  restoreAll(parts: readonly Part[]): Part[] {
    return [...parts.flatMap((part) => [...this.read(part)]), ...this.flush()];
  }

  *#readThinking(part: ThinkingPart): Generator<Part> {
    const held = this.#heldOf(part.choice);
    const isLastPiece = part.signature !== undefined || part.sealed !== undefined;
    if (part.text === "" && !isLastPiece) return;
    // The words came before it. So whatever is held of both, the thoughts are later.
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

  /** What is ready, and an end that may become a placeholder. */
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
