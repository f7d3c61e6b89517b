import type { Conversation } from "@trunkline/core/conversation.ts";

/** How much a conversation holds. */
interface ConversationSize {
  /** The length that `textOf` has, without making that text. */
  readonly textLength: number;
  readonly attachments: number;
}

export function sizeOf({ messages }: Conversation): ConversationSize {
  let textLength = 0;
  let texts = 0;
  let attachments = 0;
  for (const { content } of messages) {
    for (const piece of content) {
      if (piece.type === "attachment") {
        attachments++;
        continue;
      }
      if (piece.type === "tool-result") attachments += piece.attachments?.length ?? 0;
      const { length } = piece.type === "tool-call" ? piece.arguments : piece.text;
      if (length === 0) continue;
      textLength += length;
      texts++;
    }
  }
  // A line break stands between two texts.
  return { textLength: textLength + Math.max(0, texts - 1), attachments };
}
