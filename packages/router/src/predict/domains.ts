import type { Message } from "@trunkline/core/conversation.ts";
import type { Inference } from "@trunkline/core/inference.ts";

/** The domains of requests with their families. Outcomes count only for domains of the same family. */
export const DOMAIN_FAMILIES = {
  law: "knowledge",
  history: "knowledge",
  philosophy: "knowledge",
  "moral judgement": "knowledge",
  society: "knowledge",
  psychology: "knowledge",
  economics: "knowledge",
  business: "knowledge",
  health: "knowledge",
  biology: "knowledge",
  chemistry: "knowledge",
  physics: "knowledge",
  engineering: "knowledge",
  "computer science": "knowledge",
  "general knowledge": "knowledge",
  "graduate science": "knowledge",
  maths: "maths",
  "grade-school maths": "maths",
  "competition maths": "maths",
  "reading comprehension": "reading",
  facts: "facts",
  trivia: "facts",
  commonsense: "commonsense",
  "elementary science": "commonsense",
  "school science": "commonsense",
  "short programs": "code",
  "code completion": "code",
  "sentence building": "sentences",
  "tool use": "tools",
  "code reading": "code reading",
  "software work": "software",
  "database queries": "software",
  translation: "languages",
  summarising: "documents",
  extraction: "documents",
  writing: "prose",
  "other languages": "other languages",
  "small talk": "conversation",
  advice: "conversation",
} as const satisfies Record<string, string>;

/** The domain of a request whose domain is unknown. */
export const UNKNOWN_DOMAIN = "unknown";

/** The last text of the last user message that has one. */
export function lastUserText({ conversation: { messages } }: Inference): string {
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    const text = message?.role === "user" ? lastTextOf(message) : "";
    if (text !== "") return text;
  }
  return "";
}

/** The last text of a message. No strings are joined. */
export function lastTextOf({ content }: Message): string {
  for (let piece = content.length - 1; piece >= 0; piece--) {
    const part = content[piece];
    if (part?.type === "text" && part.text !== "") return part.text;
  }
  return "";
}

/** The domain of a request that follows from its form alone. */
export function domainFromRequest({ task, conversation }: Inference): string | undefined {
  if (task.kind !== "chat" && task.kind !== "text" && task.kind !== "code" && task.kind !== "analysis")
    return task.kind;
  for (let at = conversation.messages.length - 1; at >= 0; at--) {
    const message = conversation.messages[at];
    if (message?.role !== "user") continue;
    for (const { type } of message.content) if (type === "attachment") return "multimodal";
    break;
  }
  const isToolWork = conversation.tools.length > 0 && conversation.toolChoice !== "none";
  return isToolWork || TOOL_TASK_WORDS.has(task.word) ? "tool use" : undefined;
}

const TOOL_TASK_WORDS = new Set(["tool-use", "tool-calling", "tools", "function-calling", "agent", "agents"]);

/** Domains that the client's task word makes more likely. */
export const DOMAINS_BY_TASK_WORD: ReadonlyMap<string, readonly string[]> = new Map([
  ["translation", ["translation"]],
  ["summarization", ["summarising"]],
  ["extraction", ["extraction"]],
  ["code", ["short programs", "code completion", "code reading", "software work", "database queries"]],
  ["coding", ["short programs", "code completion", "code reading", "software work", "database queries"]],
  ["code-generation", ["short programs", "code completion", "software work", "database queries"]],
]);
