import { type Content, type Conversation, type Message, wordsOfContent } from "../domain/conversation.ts";
import type { Channel, Verdict } from "../domain/verdict.ts";
import type { Detector } from "./detector.ts";
import { refuseInput } from "./refusal.ts";
import { VerdictTally } from "./verdict-tally.ts";

/**
 * The safety check before a provider is called. Judges the user's words and what tools brought back, message by message,
 * and reports the worst of it, with spans as offsets into the conversation's text. What the application itself says,
 * as system, developer or assistant, is nobody's attack on it.
 */
export function screenInput(
  detector: Detector,
  conversation: Conversation,
  onVerdict: (verdict: Verdict) => void,
): void {
  const tally = new VerdictTally();
  for (const { text, channel, offset } of passagesOf(conversation)) {
    tally.add(detector.judge(text, channel), offset);
  }
  const verdict = tally.verdict();
  onVerdict(verdict);
  if (verdict.action === "refuse") throw refuseInput(detector.policy, verdict);
}

interface Passage {
  text: string;
  readonly channel: Channel;
  /** Where it begins in `textOf` the conversation. */
  readonly offset: number;
}

/** Neighbouring texts of one message are one passage: an attack cut into two content parts is still one attack. */
function passagesOf(conversation: Conversation): Passage[] {
  const passages: Passage[] = [];
  let offset = 0;
  for (const message of conversation.messages) {
    let open: Passage | undefined;
    for (const content of message.content) {
      const text = wordsOfContent(content);
      if (text === "") continue;
      const channel = channelOf(message, content);
      if (open !== undefined && open.channel === channel) {
        open.text += `\n${text}`;
      } else {
        open = channel === undefined ? undefined : { text, channel, offset };
        if (open !== undefined) passages.push(open);
      }
      offset += text.length + 1;
    }
  }
  return passages;
}

function channelOf(message: Message, content: Content): Channel | undefined {
  if (content.type === "tool-result") return "document";
  if (content.type !== "text") return undefined;
  if (message.role === "tool") return "document";
  return message.role === "user" ? "user" : undefined;
}
