/** The ids of responses and conversations as clients see them: those of the store after a prefix. */
const RESPONSE_PREFIX = "resp-";
const CONVERSATION_PREFIX = "conv_";

export const parseResponseId = (publicId: string): string => stripPrefix(RESPONSE_PREFIX, publicId);
export const parseConversationId = (publicId: string): string => stripPrefix(CONVERSATION_PREFIX, publicId);

export function toConversationId(id: string): string {
  return CONVERSATION_PREFIX + id;
}

function stripPrefix(prefix: string, publicId: string): string {
  return publicId.startsWith(prefix) ? publicId.slice(prefix.length) : "";
}
