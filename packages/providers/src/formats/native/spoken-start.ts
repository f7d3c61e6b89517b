/** More white space than this in one place, and nobody waits any longer for what comes after it. */
export const WHITESPACE_LENGTH_MAX = 64;

const FENCE = "```";
const FENCE_LINE_LENGTH_MAX = 20;
const FENCE_LANGUAGES: ReadonlySet<string> = new Set(["", "json", "tool_call", "tool_calls"]);
const TOOL_CALLS_START = ["{", '"tool_calls"', ":", "["];
const JSON_START = /[{["\-\dtfn]/;

/** What an answer that is awaited in JSON begins with; undefined: too little has come to tell. */
export interface AnswerStart {
  /** calls: an object with tool calls. json: something else in a code fence. plain: neither. */
  readonly kind: "calls" | "json" | "plain";
  /** Where its JSON begins. */
  readonly at: number;
}

const PLAIN_START: AnswerStart = { kind: "plain", at: 0 };

/** Looks at the beginning of an answer. It depends on nothing but the text so far, wherever that was cut. */
export function detectAnswerStart(text: string, mayCall: boolean): AnswerStart | undefined {
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

/** What stands in a code fence that is around all of a text; undefined where there is no such fence. */
export function stripCodeFence(text: string): string | undefined {
  const start = skipWhitespace(text, 0);
  const body = start === undefined || text[start] !== "`" ? "no" : skipFence(text, start);
  if (typeof body === "string") return undefined;
  const inner = text.slice(body).trimEnd();
  return inner.endsWith(FENCE) ? inner.slice(0, -FENCE.length).trim() : undefined;
}

/** Where at the end of a text the closing fence may begin, with the white space around it. */
export function closingFenceStart(text: string): number {
  const afterFence = skipBackwards(text, text.length, /\s/, WHITESPACE_LENGTH_MAX);
  const fence = skipBackwards(text, afterFence, /`/, FENCE.length);
  return fence === afterFence ? afterFence : skipBackwards(text, fence, /\s/, WHITESPACE_LENGTH_MAX);
}

/** Where the line after an opening fence begins. */
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

/** Where the white space ends; undefined where there is too much of it. */
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
