import { createHash } from "node:crypto";
import type { Conversation, Message } from "@trunkline/core/conversation.ts";
import { embedText } from "@trunkline/core/embed-text.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import type { Route } from "@trunkline/core/route.ts";
import type { Fingerprint, TextFingerprint } from "./cached-answer.ts";

/** Enough to distinguish texts, and few enough to compare a thousand of them in a millisecond. */
const DIMENSIONS = 256;

/**
 * The fingerprint of everything that shapes the answer. Delivery and cache options do not count, so streams and whole
 * answers share cached answers.
 */
export function fingerprintOf(inference: Inference, route: Route, withWords: boolean): Fingerprint {
  const { task, conversation, model, fallbacks, preferences, parameters, extras, cascade } = inference;
  const meaning = {
    task,
    conversation,
    model,
    fallbacks,
    preferences,
    parameters,
    extras,
    cascade,
    strategy: route.strategy,
    weights: route.strategy === "hybrid" ? route.weights : undefined,
  };
  return {
    exact: digestOf(meaning),
    words: withWords
      ? textFingerprintOf(conversation, (without) => ({ ...meaning, conversation: without }))
      : undefined,
  };
}

function textFingerprintOf(
  conversation: Conversation,
  meaningWith: (conversation: Conversation) => unknown,
): TextFingerprint | undefined {
  const last = conversation.messages.at(-1);
  if (last?.role !== "user") return undefined;
  const words = last.content.map((content) => (content.type === "text" ? content.text : "")).join("\n");
  if (words.trim() === "") return undefined;
  const withoutText: Message = { ...last, content: last.content.filter(({ type }) => type !== "text") };
  const surroundings = meaningWith({
    ...conversation,
    messages: [...conversation.messages.slice(0, -1), withoutText],
  });
  return {
    contextDigest: digestOf({ surroundings, fixed: significantWords(words) }),
    vector: embedText(words, DIMENSIONS),
  };
}

function digestOf(value: unknown): Buffer {
  return createHash("sha256").update(canonical(value)).digest();
}

/** JSON that does not depend on the order of keys. Undefined fields are left out. */
function canonical(value: unknown): string {
  if (typeof value === "bigint") return `${value}n`;
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`);
    return `{${fields.join(",")}}`;
  }
  return JSON.stringify(value) ?? "null";
}

/** Words that do not change a question. All other words must be in both questions. */
const FILLERS = new Set(
  `a an the this that these those i me my mine we us our you your it its there here
   am is are was were be been being do does did doing have has had can could will would shall should may might must
   what which how please kindly thanks thank hello hi hey ok okay well just really actually simply basically
   tell give show say let know want need like wish help explain describe wonder wondering usually generally exactly
   of for about so too also if as`.split(/\s+/),
);

/** Words that give a direction. The next word counts together with them. */
const RELATIONS = new Set(["than", "to", "into", "from", "versus", "vs", "by", "with", "over", "under"]);

const NUMBER_WORDS = new Map(
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
    .split(" ")
    .map((word, value) => [word, String(value)]),
);

/** Fenced blocks, spans in backticks, and quotations. */
const VERBATIM =
  /```[\s\S]*?(?:```|$)|`[^`]+`|"[^"]{1,500}"|“[^”]{1,500}”|«[^»]{1,500}»|(?<![\p{L}\p{N}])'[^'\n]{1,200}'(?![\p{L}\p{N}])/gu;
const BEGINS_WORD = /[\p{L}\p{N}$€£%+-]/u;
const ENDS_WORD = /[\p{L}\p{N}%]/u;
/** Text that is not plain prose: code, URLs, paths, formulas. */
const CODE_LIKE = /[_{}()[\]<>=;|&\\/@#$%^*+~]|\p{Ll}\p{Lu}|\p{L}\d|\d\p{L}|\p{L}\.\p{L}/u;

/**
 * The words that two similar questions must share, each equally often. Similarity alone would take a question for its
 * opposite, or one long text for another that differs in a single word. Numbers, negations, names and all other
 * meaningful words count by their stems; code and quotations count verbatim, in order. Only fillers, word forms and the
 * order of the other words may differ.
 */
export function significantWords(text: string): readonly string[] {
  const verbatim = text.match(VERBATIM) ?? [];
  const fixed: string[] = [];
  let relation: string | undefined;
  for (const run of text.replace(VERBATIM, " ").split(/\s+/)) {
    const word = normaliseWord(trimPunctuation(run));
    if (word === undefined) continue;
    if (RELATIONS.has(word)) {
      relation = word;
      continue;
    }
    fixed.push(relation === undefined ? word : `${relation} ${word}`);
    relation = undefined;
  }
  return [...verbatim, ...fixed.sort()];
}

/** Character by character: a regex anchored at the end takes quadratic time on a long run of punctuation. */
function trimPunctuation(run: string): string {
  const characters = [...run];
  const first = characters.findIndex((character) => BEGINS_WORD.test(character));
  const last = characters.findLastIndex((character) => ENDS_WORD.test(character));
  return first === -1 ? "" : characters.slice(first, last + 1).join("");
}

function normaliseWord(word: string): string | undefined {
  const lower = word.toLowerCase().replaceAll("’", "'");
  if (lower.endsWith("n't")) return "not";
  const plain = lower.replace(/'(s|re|ve|ll|d|m)$/, "");
  if (plain === "" || FILLERS.has(plain)) return undefined;
  const number = NUMBER_WORDS.get(plain);
  if (number !== undefined) return number;
  // 1,000 and 1000 are the same number.
  if (/\d/.test(plain)) return plain.replaceAll(/(?<=\d),(?=\d{3})/g, "");
  return CODE_LIKE.test(word) ? word : stemOf(plain);
}

/** `work`, `works`, `worked` and `working` have one stem. Short words stay as they are. */
function stemOf(word: string): string {
  const stem = word.replace(/(ing|ed|es|s|e)$/, "");
  return stem.length >= 3 ? stem : word;
}
