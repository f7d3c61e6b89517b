import type { Part } from "@trunkline/core/answer.ts";
import type { Conversation } from "@trunkline/core/conversation.ts";
import { isObject } from "../../http/json-object.ts";
import { JsonObjectScanner } from "./json-span.ts";
import {
  closingFenceStart,
  detectAnswerStart,
  stripCodeFence,
  WHITESPACE_LENGTH_MAX,
} from "./spoken-start.ts";
import { readToolCalls } from "./tool-calls.ts";

/** What an answer was asked to be, as far as its text shows it. */
export type ExpectedAnswer = Pick<Conversation, "tools" | "toolChoice" | "answerForm">;

/** A longer list of calls is taken for text: nobody waits for its end any more. */
const TOOL_CALLS_LENGTH_MAX = 256 * 1024;

/**
 * The words of a model that was told in words how to call tools, or to answer in JSON. An answer that is a list of
 * calls as a whole becomes calls; where JSON was asked for, a code fence around it is taken off; anything else stays
 * text. It is held back only as long as it may still become one of these.
 */
export class TextAnswerParser {
  readonly #toolNames: ReadonlySet<string>;
  readonly #wantsJson: boolean;
  #state: "start" | "calls" | "fenced" | "plain";
  #buffer = "";
  readonly #scanner = new JsonObjectScanner();
  /** What came after the object with the calls; undefined while that is not over. */
  #trailer: string | undefined;

  constructor({ tools, toolChoice, answerForm }: ExpectedAnswer) {
    this.#toolNames = new Set(toolChoice === "none" ? [] : tools.map(({ name }) => name));
    this.#wantsJson = answerForm !== undefined;
    this.#state = this.#toolNames.size > 0 || this.#wantsJson ? "start" : "plain";
  }

  /** The parts that can be passed on after these words. */
  push(text: string): readonly Part[] {
    this.#buffer += text;
    if (this.#state === "start") return this.#detectStart();
    if (this.#state === "calls") return this.#continueToolCalls(text);
    return this.#state === "fenced" ? this.#flushUpTo(closingFenceStart(this.#buffer)) : this.#flushAll();
  }

  /** The parts that are left when the answer is over. */
  end(): readonly Part[] {
    const place = this.#state;
    this.#state = "plain";
    if (place === "calls") {
      const calls = this.#readCalls();
      if (calls !== undefined) {
        this.#buffer = "";
        return calls;
      }
    }
    if (place === "fenced" && this.#buffer.trim() === "```") this.#buffer = "";
    if (place === "calls" || place === "start") this.#stripFence();
    return this.#flushAll();
  }

  #detectStart(): readonly Part[] {
    const start = detectAnswerStart(this.#buffer, this.#toolNames.size > 0);
    if (start === undefined) return [];
    if (start.kind === "calls") {
      this.#state = "calls";
      return this.#continueToolCalls(this.#buffer.slice(start.at));
    }
    if (start.kind === "json" && this.#wantsJson) {
      this.#state = "fenced";
      this.#buffer = this.#buffer.slice(start.at);
      return this.#flushUpTo(closingFenceStart(this.#buffer));
    }
    return this.#treatAsText();
  }

  #continueToolCalls(text: string): readonly Part[] {
    if (this.#trailer === undefined) {
      const end = this.#scanner.findEnd(text);
      if (end !== undefined) this.#trailer = text.slice(end);
    } else this.#trailer += text;
    const isTooLong = this.#buffer.length > TOOL_CALLS_LENGTH_MAX;
    return isTooLong || !canFollowToolCalls(this.#trailer) ? this.#treatAsText() : [];
  }

  #readCalls(): readonly Part[] | undefined {
    const read = tryParseJson(stripCodeFence(this.#buffer) ?? this.#buffer);
    if (!isObject(read) || Object.keys(read).length !== 1) return undefined;
    const calls = readToolCalls(read.tool_calls, (name) => this.#toolNames.has(name));
    return calls?.length === 0 ? undefined : calls;
  }

  /** It is no list of calls. */
  #treatAsText(): readonly Part[] {
    this.#state = "plain";
    return this.#flushAll();
  }

  #stripFence(): void {
    if (this.#wantsJson) this.#buffer = stripCodeFence(this.#buffer) ?? this.#buffer;
  }

  #flushAll(): readonly Part[] {
    return this.#flushUpTo(this.#buffer.length);
  }

  #flushUpTo(end: number): readonly Part[] {
    const text = this.#buffer.slice(0, end);
    this.#buffer = this.#buffer.slice(end);
    return text === "" ? [] : [{ type: "text", text }];
  }
}

/** Whether what stands behind an object may be the end of the answer: nothing, or the end of its code fence. */
function canFollowToolCalls(trailer: string | undefined): boolean {
  if (trailer === undefined) return true;
  return trailer.length <= 2 * WHITESPACE_LENGTH_MAX && /^`{0,3}$/.test(trailer.trim());
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
