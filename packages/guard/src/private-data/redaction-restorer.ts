import type { Part, ThinkingPart } from "@trunkline/core/parts.ts";
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

  /** Reads the next parts and returns what can be sent. */
  readAll(parts: readonly Part[]): readonly Part[] {
    if (this.#longest === 0) return parts;
    const ready: Part[] = [];
    for (const part of parts) this.#read(part, ready);
    return ready;
  }

  /** What is held back, as no placeholder followed. */
  flush(): readonly Part[] {
    const ready: Part[] = [];
    for (const held of this.#held.values()) flushChoice(held, ready);
    return ready;
  }

  /** Restores a complete answer. */
  restoreAll(parts: readonly Part[]): readonly Part[] {
    return [...this.readAll(parts), ...this.flush()];
  }

  #read(part: Part, ready: Part[]): void {
    switch (part.type) {
      case "text": {
        const held = this.#heldOf(part.choice);
        flushThinking(held, ready);
        const { ready: words, rest } = this.#split(held.words + part.text);
        held.words = rest;
        if (words !== "") ready.push({ ...part, text: this.#restored(words, this.#isJson) });
        return;
      }
      case "thinking":
        this.#readThinking(part, ready);
        return;
      case "tool-call":
        flushChoice(this.#heldOf(part.choice), ready);
        ready.push({ ...part, arguments: this.#restored(part.arguments, true) });
        return;
      case "logprobs":
      case "timings":
      case "finish":
        flushChoice(this.#heldOf("choice" in part ? part.choice : undefined), ready);
        break;
      case "usage":
        // Usage may arrive at any time and does not mark the end of the text.
        break;
      default:
        ready.push(...this.flush());
    }
    ready.push(part);
  }

  #readThinking(part: ThinkingPart, ready: Part[]): void {
    const held = this.#heldOf(part.choice);
    const isLastPiece = part.signature !== undefined || part.sealed !== undefined;
    if (part.text === "" && !isLastPiece) return;
    // Held text came before the thinking part, so it is sent first.
    flushText(held, ready);
    const text = held.thoughts + part.text;
    const { ready: thoughts, rest } = isLastPiece ? { ready: text, rest: "" } : this.#split(text);
    held.thoughts = rest;
    if (thoughts !== "" || isLastPiece) ready.push({ ...part, text: this.#restored(thoughts, false) });
  }

  #heldOf(choice: number | undefined): Held {
    const known = this.#held.get(choice ?? 0);
    if (known !== undefined) return known;
    const held = { choice, words: "", thoughts: "" };
    this.#held.set(choice ?? 0, held);
    return held;
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

function flushChoice(held: Held, ready: Part[]): void {
  flushThinking(held, ready);
  flushText(held, ready);
}

function flushText(held: Held, ready: Part[]): void {
  if (held.words !== "") ready.push({ type: "text", text: held.words, ...ofChoice(held) });
  held.words = "";
}

function flushThinking(held: Held, ready: Part[]): void {
  if (held.thoughts !== "") ready.push({ type: "thinking", text: held.thoughts, ...ofChoice(held) });
  held.thoughts = "";
}

function ofChoice({ choice }: Held): { readonly choice?: number } {
  return choice === undefined ? {} : { choice };
}
