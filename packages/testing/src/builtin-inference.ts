import { type Conversation, conversationOf } from "@trunkline/core/conversation.ts";
import type { Inference, Parameters } from "@trunkline/core/inference.ts";
import type { Part } from "@trunkline/core/parts.ts";
import type { Builtin } from "@trunkline/local-models/builtin/builtin.ts";
import { collect } from "./collect.ts";
import { sampleInference } from "./samples.ts";

/** A request for a built-in model, as tests send it. */
export function inferenceOf(
  asked: string | Conversation,
  parameters: Partial<Parameters> = {},
  word = "chat",
): Inference {
  return sampleInference({
    task: { kind: "chat", word, known: true },
    conversation: typeof asked === "string" ? conversationOf(asked) : asked,
    parameters: { ...sampleInference().parameters, ...parameters },
    streaming: true,
  });
}

/** A conversation in which the user says these things, each answered by a word of the assistant. */
export function talkOf(...said: readonly string[]): Conversation {
  const messages = said.flatMap((text, index) => [
    ...(index > 0 ? [{ role: "assistant", content: [{ type: "text", text: "Well." }] } as const] : []),
    { role: "user", content: [{ type: "text", text }] } as const,
  ]);
  return { messages, tools: [] };
}

/** Everything a built-in model answers. */
export async function partsOf(
  builtin: Builtin,
  inference: Inference,
  signal: AbortSignal = new AbortController().signal,
): Promise<Part[]> {
  return collect(builtin.answer(inference, signal));
}

/** The words among parts. */
export function wordsIn(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** The bytes behind the first data URL among parts. */
export function bytesIn(parts: readonly Part[], mediaType: string): Buffer {
  const prefix = `data:${mediaType};base64,`;
  const media = parts.find((part) => part.type === "media");
  if (media?.url.startsWith(prefix) !== true) throw new Error(`There is no ${mediaType} in this answer.`);
  return Buffer.from(media.url.slice(prefix.length), "base64");
}
