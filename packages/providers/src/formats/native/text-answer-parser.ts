import type { Conversation } from "@trunkline/core/conversation.ts";
import { isObject } from "@trunkline/core/json-object.ts";
import type { Part, ToolCallPart } from "@trunkline/core/parts.ts";
import { newToolCallId } from "../../http/wire-format.ts";

/** The requested kind of answer, as far as parsing its text needs it. */
export type ExpectedAnswer = Pick<Conversation, "tools" | "toolChoice" | "answerForm">;

/** A longer list of calls is treated as text, and no longer held back. */
const TOOL_CALLS_LENGTH_MAX = 256 * 1024;

/**
 * Parses the text of a model that was instructed in the prompt to call tools or to answer in JSON. An answer that
 * consists of a list of calls becomes tool calls; where JSON was requested, a code fence around it is removed; anything
 * else stays text. Text is held back only as long as it may still become one of these.
 */
export class TextAnswerParser {
  readonly #toolNames: ReadonlySet<string>;
  readonly #wantsJson: boolean;
  #state: "start" | "calls" | "fenced" | "plain";
  #buffer = "";
  readonly #scanner = new JsonObjectScanner();
  /** What followed the object with the calls; undefined while that object is incomplete. */
  #trailer: string | undefined;

  constructor({ tools, toolChoice, answerForm }: ExpectedAnswer) {
    this.#toolNames = new Set(toolChoice === "none" ? [] : tools.map(({ name }) => name));
    this.#wantsJson = answerForm !== undefined;
    this.#state = this.#toolNames.size > 0 || this.#wantsJson ? "start" : "plain";
  }

  /** The parts that can be passed on after this text. */
  push(text: string): readonly Part[] {
    this.#buffer += text;
    if (this.#state === "start") return this.#detectStart();
    if (this.#state === "calls") return this.#continueToolCalls(text);
    return this.#state === "fenced" ? this.#flushUpTo(closingFenceStart(this.#buffer)) : this.#flushAll();
  }

  /** The remaining parts at the end of the answer. */
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

  /** Passes on held-back text: it is no list of calls. */
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

/** Whether what follows an object may be the end of the answer: nothing, or the end of its code fence. */
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

/** More white space than this in one place is not held back. */
const WHITESPACE_LENGTH_MAX = 64;

const FENCE = "```";
const FENCE_LINE_LENGTH_MAX = 20;
const FENCE_LANGUAGES: ReadonlySet<string> = new Set(["", "json", "tool_call", "tool_calls"]);
const TOOL_CALLS_START = ["{", '"tool_calls"', ":", "["];
const JSON_START = /[{["\-\dtfn]/;

/** How an answer begins where JSON is expected; undefined: too little has arrived to tell. */
interface AnswerStart {
  /** calls: an object with tool calls. json: something else in a code fence. plain: neither. */
  readonly kind: "calls" | "json" | "plain";
  /** The offset of its JSON. */
  readonly at: number;
}

const PLAIN_START: AnswerStart = { kind: "plain", at: 0 };

/** Examines the start of an answer. The result depends only on the text so far, not on how it was cut. */
function detectAnswerStart(text: string, mayCall: boolean): AnswerStart | undefined {
  const start = skipWhitespace(text, 0);
  if (start === undefined) return PLAIN_START;
  if (start === text.length) return undefined;
  const isFenced = text[start] === "`";
  const body = isFenced ? skipFence(text, start) : start;
  if (body === "maybe") return undefined;
  if (body === "no") return PLAIN_START;
  const at = skipWhitespace(text, body);
  if (at === undefined) return PLAIN_START;
  if (at === text.length) return undefined;
  const calls = mayCall ? startsToolCalls(text, at) : "no";
  if (calls === "maybe") return undefined;
  if (calls === "yes") return { kind: "calls", at };
  return isFenced && JSON_START.test(text[at] ?? "") ? { kind: "json", at } : PLAIN_START;
}

/** The content of a code fence around a whole text; undefined where there is no such fence. */
function stripCodeFence(text: string): string | undefined {
  const start = skipWhitespace(text, 0);
  const body = start === undefined || text[start] !== "`" ? "no" : skipFence(text, start);
  if (typeof body === "string") return undefined;
  const inner = text.slice(body).trimEnd();
  return inner.endsWith(FENCE) ? inner.slice(0, -FENCE.length).trim() : undefined;
}

/** The offset at which a closing fence may begin at the end of a text, including white space. */
function closingFenceStart(text: string): number {
  const afterFence = skipBackwards(text, text.length, /\s/, WHITESPACE_LENGTH_MAX);
  const fence = skipBackwards(text, afterFence, /`/, FENCE.length);
  return fence === afterFence ? afterFence : skipBackwards(text, fence, /\s/, WHITESPACE_LENGTH_MAX);
}

/** The offset of the line after an opening fence. */
function skipFence(text: string, from: number): number | "maybe" | "no" {
  const given = text.slice(from, from + FENCE.length);
  if (given.length < FENCE.length) return FENCE.startsWith(given) ? "maybe" : "no";
  if (given !== FENCE) return "no";
  const line = text.slice(from + FENCE.length, from + FENCE.length + FENCE_LINE_LENGTH_MAX);
  const end = line.indexOf("\n");
  if (end === -1) return line.length < FENCE_LINE_LENGTH_MAX && /^[\w \t\r]*$/.test(line) ? "maybe" : "no";
  return FENCE_LANGUAGES.has(line.slice(0, end).trim().toLowerCase()) ? from + FENCE.length + end + 1 : "no";
}

function startsToolCalls(text: string, from: number): "yes" | "maybe" | "no" {
  let at = from;
  for (const token of TOOL_CALLS_START) {
    const next = skipWhitespace(text, at);
    if (next === undefined) return "no";
    const given = text.slice(next, next + token.length);
    if (given !== token) return given.length < token.length && token.startsWith(given) ? "maybe" : "no";
    at = next + token.length;
  }
  return "yes";
}

/** The end of the white space; undefined where there is too much of it. */
function skipWhitespace(text: string, from: number): number | undefined {
  let at = from;
  while (at < text.length && /\s/.test(text[at] ?? "")) at += 1;
  return at - from > WHITESPACE_LENGTH_MAX ? undefined : at;
}

function skipBackwards(text: string, from: number, what: RegExp, most: number): number {
  let at = from;
  while (at > 0 && from - at < most && what.test(text[at - 1] ?? "")) at -= 1;
  return at;
}

/** Follows one JSON object through text that arrives in pieces cut anywhere. */
class JsonObjectScanner {
  #depth = 0;
  #inString = false;
  #escaped = false;

  /** The offset in this piece at which the object ends; undefined where it continues. */
  findEnd(piece: string): number | undefined {
    for (let at = 0; at < piece.length; at += 1) {
      if (this.#closes(piece[at] ?? "")) return at + 1;
    }
    return undefined;
  }

  #closes(character: string): boolean {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (character === "\\") this.#escaped = true;
      else if (character === '"') this.#inString = false;
      return false;
    }
    if (character === '"') this.#inString = true;
    else if (character === "{" || character === "[") this.#depth += 1;
    else if (character === "}" || character === "]") {
      this.#depth -= 1;
      return this.#depth <= 0;
    }
    return false;
  }
}

/** Whether a model may call a tool of this name. */
type IsKnownTool = (name: string) => boolean;

/** The calls in a list of `{name, arguments}`; undefined where it is anything else, or names an unknown tool. */
export function readToolCalls(list: unknown, isKnownTool: IsKnownTool): readonly ToolCallPart[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const calls = list.flatMap((item) => readToolCall(item, isKnownTool) ?? []);
  return calls.length === list.length ? calls : undefined;
}

function readToolCall(item: unknown, isKnownTool: IsKnownTool): ToolCallPart | undefined {
  if (!isObject(item) || typeof item.name !== "string" || !isKnownTool(item.name)) return undefined;
  const input = readArguments(item.arguments ?? {});
  if (input === undefined) return undefined;
  const id = typeof item.id === "string" && item.id !== "" ? item.id : newToolCallId();
  return { type: "tool-call", id, name: item.name, arguments: JSON.stringify(input) };
}

/** An object, or a text that contains one as JSON. */
function readArguments(given: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof given !== "string") return isObject(given) ? given : undefined;
  try {
    const read: unknown = JSON.parse(given);
    return isObject(read) ? read : undefined;
  } catch {
    return undefined;
  }
}
