import { createHash } from "node:crypto";
import { type Content, type Conversation, wordsOfContent } from "@trunkline/core/conversation.ts";

/** Of a long text its beginning, its end and its length tell it from others. */
const HEAD = 2_048;
/** Of a long conversation its last messages. */
const LAST_MESSAGES = 16;
const LAST_PIECES = 8;

/**
 * A short digest of who asks what, whatever the parameters: by it the same question is known again, and nothing of it
 * can be read. The work is bounded, however long the conversation.
 */
export function printOf(accountId: string, { messages }: Conversation): string {
  const hash = createHash("sha256").update(`${accountId} ${messages.length}`);
  for (const { role, content } of messages.slice(-LAST_MESSAGES)) {
    hash.update(`\n${role} ${content.length}`);
    for (const piece of content.slice(-LAST_PIECES)) hash.update(brief(piece));
  }
  return hash.digest("base64").slice(0, 22);
}

function brief(content: Content): string {
  const text = content.type === "attachment" ? content.url : wordsOfContent(content);
  const ends = text.length <= 2 * HEAD ? text : text.slice(0, HEAD) + text.slice(-HEAD);
  return `\n${content.type} ${text.length}\n${ends}`;
}
