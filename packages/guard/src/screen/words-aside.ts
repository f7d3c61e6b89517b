import type { LogprobsPart, MediaPart, ToolCallPart } from "@trunkline/core/answer.ts";

const DEPTH_MAX = 32;
/** Bytes of a picture or a recording, and where they lie. */
const NON_TEXT_FIELDS = new Set(["url", "b64_json", "data", "image_url", "id", "expires_at"]);

/** What a tool is called with, as it reads once its escapes are undone. */
export function toolCallText({ arguments: text }: ToolCallPart): string {
  if (!text.includes("\\")) return text;
  try {
    const words: string[] = [];
    collectStrings(JSON.parse(text), words, 0);
    return words.join("\n");
  } catch {
    // No JSON: its words stand as they are.
    return text;
  }
}

/** What is said beside a picture or a recording: how the request was understood, or what is spoken. */
export function mediaText({ source }: MediaPart): string {
  const words: string[] = [];
  for (const [name, value] of Object.entries(source))
    if (!NON_TEXT_FIELDS.has(name)) collectStrings(value, words, 0);
  return words.join("\n");
}

/** The words of an answer as its likelihoods spell them, and those that were nearly said in their stead, rank by rank. */
export function logprobsTexts({ content }: LogprobsPart): string[] {
  const texts: string[] = [];
  for (const entry of content) {
    if (!isObject(entry)) continue;
    const alternatives = Array.isArray(entry.top_logprobs) ? entry.top_logprobs : [];
    for (const [rank, token] of [entry, ...alternatives].entries()) {
      const word = isObject(token) && typeof token.token === "string" ? token.token : "";
      texts[rank] = (texts[rank] ?? "") + word;
    }
  }
  return texts.map((text) => text ?? "");
}

function collectStrings(value: unknown, words: string[], depth: number): void {
  if (typeof value === "string") words.push(value);
  else if (typeof value === "object" && value !== null && depth < DEPTH_MAX)
    for (const [name, inner] of Object.entries(value)) {
      if (!Array.isArray(value)) words.push(name);
      collectStrings(inner, words, depth + 1);
    }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
