import { setImmediate } from "node:timers/promises";
import type { CancelSignal } from "@trunkline/core/cancellation.ts";
import { truncateText } from "@trunkline/core/code-points.ts";
import type { Conversation, Message } from "@trunkline/core/conversation.ts";
import type { Part } from "@trunkline/core/parts.ts";

/** The text of each user message, oldest first, without empty ones. */
export function userTextsOf(conversation: Conversation): readonly string[] {
  return conversation.messages
    .filter((message) => message.role === "user")
    .map(textOfMessage)
    .filter((text) => text !== "");
}

/** The text of the last user message. */
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

/** A rough count. The built-in models have no tokenizer and are free. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/** Streams a finished text sentence by sentence up to the requested length, then its usage. */
export async function* streamText(
  asked: string,
  answer: string,
  maxTokens: number | undefined,
  signal: CancelSignal,
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
 * Where a sentence may end: a final mark with closing quotes, the end of a paragraph, the start of a list item. The
 * repetitions are bounded, so that a text of only full stops takes no longer than others.
 */
const BOUNDARY =
  /[.!?…]{1,4}["'”’»)\]]{0,3}(?=\s)|[。！？｡]+[」』”’）]*|[।۔؟](?=\s|$)|\n[^\S\n]*\n\s*|\n(?=[^\S\n]{0,8}(?:[-*•+]|\d{1,3}[.)]|#{1,6})\s)/gu;

/** The sentences of a text, trimmed, in order. A paragraph always ends a sentence; single line breaks become spaces. */
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
  // A lower-case letter continues the sentence, as in "approx. forty".
  return !/^\s+\p{Ll}/u.test(text.slice(end, end + 8));
}

function pushTrimmed(sentences: string[], raw: string): void {
  const sentence = raw.replace(/\s+/g, " ").trim();
  if (sentence !== "") sentences.push(sentence);
}
