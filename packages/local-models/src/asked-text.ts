import type { Conversation, Message } from "@trunkline/core/conversation.ts";

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
