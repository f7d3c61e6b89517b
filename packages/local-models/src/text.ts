import { setImmediate } from "node:timers/promises";
import { truncateText } from "@trunkline/core/code-points.ts";
import type { Conversation, Message } from "@trunkline/core/conversation.ts";
import type { Part } from "@trunkline/core/parts.ts";

/** The words of each user message, oldest first, without the empty ones. */
export function userTextsOf(conversation: Conversation): readonly string[] {
  return conversation.messages
    .filter((message) => message.role === "user")
    .map(textOfMessage)
    .filter((text) => text !== "");
}

/** What the user says last: what a built-in model answers, draws or speaks. */
export function lastUserTextOf(conversation: Conversation): string {
  return userTextsOf(conversation).at(-1) ?? "";
}

function textOfMessage(message: Message): string {
  return message.content
    .map((content) => (content.type === "text" ? content.text : ""))
    .filter((text) => text !== "")
    .join("\n")
    .trim();
}

const CHARACTERS_PER_TOKEN = 4;

/** A rough count of tokens. The built-in models have no tokenizer, and cost nothing. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/** A finished text as a stream: sentence by sentence, no longer than asked for, then what it used. */
export async function* streamText(
  asked: string,
  answer: string,
  maxTokens: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<Part> {
  const text = cutToTokens(answer, maxTokens);
  for (const piece of piecesOf(text)) {
    signal.throwIfAborted();
    yield { type: "text", text: piece };
    await setImmediate();
  }
  yield { type: "usage", inputTokens: estimateTokens(asked), outputTokens: estimateTokens(text) };
  yield { type: "finish", reason: text.length < answer.length ? "length" : "stop" };
}

function cutToTokens(text: string, maxTokens: number | undefined): string {
  return truncateText(text, (maxTokens ?? Number.POSITIVE_INFINITY) * CHARACTERS_PER_TOKEN);
}

function piecesOf(text: string): readonly string[] {
  return text.match(/[^\n]+?(?:[.!?…。！？]["')\]]*\s+|\n+|$)|\n+/g) ?? [];
}

/** Words that end in a full stop without ending a sentence. */
const ABBREVIATIONS = new Set(
  "mr mrs ms dr prof sr jr st vs etc eg ie e.g i.e al cf no nr vol fig approx dept est inc ltd co corp bzw z.b usw".split(
    " ",
  ),
);

/**
 * Where a sentence may end: a final mark with what closes it, the end of a paragraph, the start of a list item.
 * Runs are bounded, so that a text of nothing but full stops takes no longer than any other.
 */
const BOUNDARY =
  /[.!?…]{1,4}["'”’»)\]]{0,3}(?=\s)|[。！？｡]+[」』”’）]*|[।۔؟](?=\s|$)|\n[^\S\n]*\n\s*|\n(?=[^\S\n]{0,8}(?:[-*•+]|\d{1,3}[.)]|#{1,6})\s)/gu;

/** A text cut into its sentences, trimmed, in order. Paragraphs always end one; single line breaks become spaces. */
export function splitSentences(text: string): string[] {
  const sentences: string[] = [];
  let start = 0;
  for (const match of text.matchAll(BOUNDARY)) {
    const end = match.index + match[0].length;
    if (match[0].startsWith(".") && !endsSentence(text, start, match.index, end)) continue;
    pushTrimmed(sentences, text.slice(start, end));
    start = end;
  }
  pushTrimmed(sentences, text.slice(start));
  return sentences;
}

function endsSentence(text: string, start: number, stopAt: number, end: number): boolean {
  const lastWord = text.slice(Math.max(start, stopAt - 12), stopAt).match(/[\p{L}.]+$/u)?.[0] ?? "";
  if (ABBREVIATIONS.has(lastWord.toLowerCase())) return false;
  // One capital letter before the stop is an initial: "J. Smith".
  if (/^\p{Lu}$/u.test(lastWord) && lastWord !== "I") return false;
  // A small letter goes on with the sentence, as in "approx. forty".
  return !/^\s+\p{Ll}/u.test(text.slice(end, end + 8));
}

function pushTrimmed(sentences: string[], raw: string): void {
  const sentence = raw.replace(/\s+/g, " ").trim();
  if (sentence !== "") sentences.push(sentence);
}
