import {
  type Content,
  type Conversation,
  type Message,
  textOfContent,
} from "@trunkline/core/conversation.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import type { Channel, Verdict } from "@trunkline/core/verdict.ts";
import { attachmentText } from "../decode/words-attached.ts";
import type { Guard } from "../policy/guard.ts";
import { inputRefusal } from "../policy/refusal.ts";
import { moreSevere, VerdictTally } from "../policy/verdict-tally.ts";
import { redactRequest } from "../private-data/redact.ts";
import { Redactions } from "../private-data/vault.ts";
import { evaluatePassages } from "./judge-passages.ts";

/**
 * The safety check before a provider is called. Judges the user's words, what tools brought back, and files of words,
 * message by message, and reports the worst of it, with spans as offsets into the conversation's text. What the application itself says,
 * as system, developer or assistant, is nobody's attack on it; but private values are taken out of all that is sent.
 * Gives back what may be sent, and what was taken out of it. `onVerdict` hears of both even where the input is then refused.
 */
export async function screenInput(
  guard: Guard,
  inference: Inference,
  onVerdict: (verdict: Verdict, sent: Inference) => void,
): Promise<ScreenedInput> {
  const judged = await evaluateConversation(guard, inference.conversation);
  const screened = guard.redacts
    ? await redactRequest(inference, guard.findValuesToRedact)
    : { inference, redactions: new Redactions() };
  const verdict = withRedactionCounts(judged, screened.redactions);
  onVerdict(verdict, screened.inference);
  if (verdict.action === "refuse") throw inputRefusal(guard.policy, verdict);
  return screened;
}

export interface ScreenedInput {
  /** What may be sent. */
  readonly inference: Inference;
  /** What was taken out of it. */
  readonly redactions: Redactions;
}

async function evaluateConversation(guard: Guard, conversation: Conversation): Promise<Verdict> {
  const tally = new VerdictTally();
  const passages = passagesOf(conversation);
  const verdicts = await evaluatePassages(guard, passages);
  for (const [index, judged] of verdicts.entries()) {
    const offset = passages[index]?.offset;
    tally.add(offset === undefined ? { ...judged, spans: [] } : judged, offset ?? 0);
  }
  return tally.verdict();
}

/** Values are taken out of more than is judged, and that is told as well. */
function withRedactionCounts(verdict: Verdict, redactions: Redactions): Verdict {
  if (redactions.isEmpty) return verdict;
  return {
    ...verdict,
    flagged: true,
    action: moreSevere(verdict.action, "redact"),
    redacted: redactions.counts,
  };
}

interface Passage {
  text: string;
  readonly channel: Channel;
  /** Where it begins in `textOf` the conversation; undefined: it is attached, and in no text. */
  readonly offset: number | undefined;
}

/** Neighbouring texts of one message are one passage: an attack cut into two content parts is still one attack. */
function passagesOf(conversation: Conversation): Passage[] {
  const passages: Passage[] = [];
  let offset = 0;
  for (const message of conversation.messages) {
    let open: Passage | undefined;
    for (const content of message.content) {
      passages.push(...attachmentPassages(message, content));
      const text = textOfContent(content);
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

/** A file of words is read by the model like any others. What the application attaches itself is nobody's attack. */
function attachmentPassages({ role }: Message, content: Content): Passage[] {
  if (role !== "user" && role !== "tool") return [];
  const attached =
    content.type === "attachment" ? [content] : content.type === "tool-result" ? content.attachments : [];
  return (attached ?? []).flatMap((attachment) => {
    const text = attachmentText(attachment) ?? "";
    return text === "" ? [] : [{ text, channel: "document" as const, offset: undefined }];
  });
}

function channelOf(message: Message, content: Content): Channel | undefined {
  if (content.type === "tool-result") return "document";
  if (content.type !== "text") return undefined;
  if (message.role === "tool") return "document";
  return message.role === "user" ? "user" : undefined;
}
