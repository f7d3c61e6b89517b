import { type Attachment, attachmentsOf, type Conversation } from "./conversation.ts";
import { base64ByteLength } from "./measure-wav.ts";

/** What the dearest of today's models take for one image that is looked at closely. */
const IMAGE_TOKENS = 2_000;
/** A document's text is at most about an eighth of its bytes, and a page is looked at as an image besides. */
const BYTES_PER_FILE_TOKEN = 8;
const FILE_TOKENS_MIN = 3_000;
/** Of a file that only the provider sees. */
const REMOTE_FILE_TOKENS = 20_000;

/**
 * How many tokens a provider may count for what is attached. Nobody but the provider knows the number: this much is
 * set aside for it, and a count within a few times of it is believed. Audio is paid by the second and has its own gauge.
 */
export function estimateAttachmentTokens(conversation: Conversation): number {
  return attachmentsOf(conversation).reduce((total, attachment) => total + attachmentTokens(attachment), 0);
}

function attachmentTokens({ kind, url }: Attachment): number {
  if (kind === "image") return IMAGE_TOKENS;
  if (kind === "audio") return 0;
  if (!/^data:/i.test(url)) return REMOTE_FILE_TOKENS;
  return Math.max(FILE_TOKENS_MIN, Math.ceil(base64ByteLength(url) / BYTES_PER_FILE_TOKEN));
}
