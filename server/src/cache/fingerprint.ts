import { createHash } from "node:crypto";
import type { Conversation, Message } from "@trunkline/core/conversation.ts";
import { embedText } from "@trunkline/core/embed-text.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import type { Route } from "@trunkline/core/route.ts";
import { significantWords } from "./fixed-words.ts";
import type { Fingerprint, TextFingerprint } from "./kept-answer.ts";

/** Enough that unlike texts stay apart; little enough that a thousand of them are compared in a millisecond. */
const DIMENSIONS = 256;

/**
 * What makes two requests one and the same: all that shapes the answer. How it is delivered does not, nor do the wishes
 * for the cache itself, so that streams and whole answers serve each other.
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
  const wordless: Message = { ...last, content: last.content.filter(({ type }) => type !== "text") };
  const surroundings = meaningWith({
    ...conversation,
    messages: [...conversation.messages.slice(0, -1), wordless],
  });
  return {
    contextDigest: digestOf({ surroundings, fixed: significantWords(words) }),
    vector: embedText(words, DIMENSIONS),
  };
}

function digestOf(value: unknown): Buffer {
  return createHash("sha256").update(canonical(value)).digest();
}

/** JSON whose text depends on what is said alone, not on the order in which it was said; what is undefined is left out. */
function canonical(value: unknown): string {
  if (typeof value === "bigint") return `${value}n`;
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`);
    return `{${fields.join(",")}}`;
  }
  return JSON.stringify(value) ?? "null";
}
