import type { Content, Conversation } from "@trunkline/core/conversation.ts";
import { invalidField } from "../requests/fields.ts";

/** Refuses a conversation of empty messages. `param` is the field that holds them. */
export function checkSaysSomething({ messages }: Conversation, param: string): void {
  for (const { content } of messages) if (content.some(saysSomething)) return;
  throw invalidField(param, `\`${param}\` must say something.`);
}

function saysSomething(piece: Content): boolean {
  if (piece.type === "attachment") return true;
  if (piece.type === "tool-call") return piece.arguments !== "";
  return piece.text !== "" || (piece.type === "tool-result" && (piece.attachments?.length ?? 0) > 0);
}
