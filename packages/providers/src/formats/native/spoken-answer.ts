import type { Part } from "@trunkline/core/answer.ts";
import type { Conversation } from "@trunkline/core/conversation.ts";
import { isObject } from "../../http/json-object.ts";
import { JsonSpan } from "./json-span.ts";
import { closingStart, readStart, SPACE_LENGTH_MAX, unfence } from "./spoken-start.ts";
import { readToolCalls } from "./tool-calls.ts";

/** What an answer was asked to be, as far as its text shows it. */
export type Asked = Pick<Conversation, "tools" | "toolChoice" | "answerForm">;

/** A longer list of calls is taken for text: nobody waits for its end any more. */
const CALLS_LENGTH_MAX = 256 * 1024;

/**
 * The words of a model that was told in words how to call tools, or to answer in JSON. An answer that is a list of
 * calls as a whole becomes calls; where JSON was asked for, a code fence around it is taken off; anything else stays
 * text. It is held back only as long as it may still become one of these.
 */
export class SpokenAnswer {
  readonly #toolNames: ReadonlySet<string>;
  readonly #wantsJson: boolean;
  #place: "start" | "calls" | "fenced" | "plain";
  #held = "";
  readonly #span = new JsonSpan();
  /** What came after the object with the calls; undefined while that is not over. */
  #trailer: string | undefined;

  constructor({ tools, toolChoice, answerForm }: Asked) {
    this.#toolNames = new Set(toolChoice === "none" ? [] : tools.map(({ name }) => name));
    this.#wantsJson = answerForm !== undefined;
    this.#place = this.#toolNames.size > 0 || this.#wantsJson ? "start" : "plain";
  }

  /** The parts that can be passed on after these words. */
  push(text: string): readonly Part[] {
    this.#held += text;
    if (this.#place === "start") return this.#begin();
    if (this.#place === "calls") return this.#goOn(text);
    return this.#place === "fenced" ? this.#giveUpTo(closingStart(this.#held)) : this.#giveAll();
  }

  /** The parts that are left when the answer is over. */
  end(): readonly Part[] {
    const place = this.#place;
    this.#place = "plain";
    if (place === "calls") {
      const calls = this.#readCalls();
      if (calls !== undefined) {
        this.#held = "";
        return calls;
      }
    }
    if (place === "fenced" && this.#held.trim() === "```") this.#held = "";
    if (place === "calls" || place === "start") this.#takeFenceOff();
    return this.#giveAll();
  }

  #begin(): readonly Part[] {
    const start = readStart(this.#held, this.#toolNames.size > 0);
    if (start === undefined) return [];
    if (start.kind === "calls") {
      this.#place = "calls";
      return this.#goOn(this.#held.slice(start.at));
    }
    if (start.kind === "json" && this.#wantsJson) {
      this.#place = "fenced";
      this.#held = this.#held.slice(start.at);
      return this.#giveUpTo(closingStart(this.#held));
    }
    return this.#giveUp();
  }

  #goOn(text: string): readonly Part[] {
    if (this.#trailer === undefined) {
      const end = this.#span.endIn(text);
      if (end !== undefined) this.#trailer = text.slice(end);
    } else this.#trailer += text;
    const isTooLong = this.#held.length > CALLS_LENGTH_MAX;
    return isTooLong || !mayEndCalls(this.#trailer) ? this.#giveUp() : [];
  }

  #readCalls(): readonly Part[] | undefined {
    const read = parseOrNothing(unfence(this.#held) ?? this.#held);
    if (!isObject(read) || Object.keys(read).length !== 1) return undefined;
    const calls = readToolCalls(read.tool_calls, (name) => this.#toolNames.has(name));
    return calls?.length === 0 ? undefined : calls;
  }

  /** It is no list of calls. */
  #giveUp(): readonly Part[] {
    this.#place = "plain";
    return this.#giveAll();
  }

  #takeFenceOff(): void {
    if (this.#wantsJson) this.#held = unfence(this.#held) ?? this.#held;
  }

  #giveAll(): readonly Part[] {
    return this.#giveUpTo(this.#held.length);
  }

  #giveUpTo(end: number): readonly Part[] {
    const text = this.#held.slice(0, end);
    this.#held = this.#held.slice(end);
    return text === "" ? [] : [{ type: "text", text }];
  }
}

/** Whether what stands behind an object may be the end of the answer: nothing, or the end of its code fence. */
function mayEndCalls(trailer: string | undefined): boolean {
  if (trailer === undefined) return true;
  return trailer.length <= 2 * SPACE_LENGTH_MAX && /^`{0,3}$/.test(trailer.trim());
}

function parseOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
