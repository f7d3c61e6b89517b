import { createHash } from "node:crypto";
import { type Content, type Conversation, textOfContent } from "@trunkline/core/conversation.ts";

/** Of a long text its beginning, its end and its length tell it from others. */
const EDGE_CHARS = 2_048;
/** Of a long conversation its last messages. */
const LAST_MESSAGES = 16;
const LAST_CONTENTS = 8;

/**
 * A short digest of who asks what, whatever the parameters: by it the same question is known again, and nothing of it
 * can be read. The work is bounded, however long the conversation.
 */
export function conversationFingerprint(accountId: string, { messages }: Conversation): string {
  const hash = createHash("sha256").update(`${accountId} ${messages.length}`);
  for (const { role, content } of messages.slice(-LAST_MESSAGES)) {
    hash.update(`\n${role} ${content.length}`);
    for (const piece of content.slice(-LAST_CONTENTS)) hash.update(digestInput(piece));
  }
  return hash.digest("base64").slice(0, 22);
}

function digestInput(content: Content): string {
  const text = content.type === "attachment" ? content.url : textOfContent(content);
  const ends = text.length <= 2 * EDGE_CHARS ? text : text.slice(0, EDGE_CHARS) + text.slice(-EDGE_CHARS);
  return `\n${content.type} ${text.length}\n${ends}`;
}
