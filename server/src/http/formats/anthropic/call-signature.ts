import type { Content } from "@trunkline/core/conversation.ts";
import type { ToolCallPart } from "@trunkline/core/parts.ts";

/**
 * Gemini signs its calls and wants the signatures back. This format has no place for one at a call; but its clients hand
 * back a sealed thought before a call unchanged, so that the signature travels in one.
 */
const PREFIX = "trunkline-call-signature:";

/** The block before a call that has its signature; undefined: the call has none. */
export function callSignatureBlock({ signature }: ToolCallPart) {
  return signature === undefined ? undefined : { type: "redacted_thinking" as const, data: PREFIX + signature };
}

/** Gives the calls of a message their signatures back. */
export function restoreCallSignatures(content: Content[]): Content[] {
  if (!content.some(isCallSignature)) return content;
  let signature: string | undefined;
  return content.flatMap((piece) => {
    if (isCallSignature(piece)) {
      signature = piece.sealed.slice(PREFIX.length);
      return [];
    }
    if (piece.type !== "tool-call" || signature === undefined) return [piece];
    const signed = { ...piece, signature };
    signature = undefined;
    return [signed];
  });
}

function isCallSignature(
  piece: Content,
): piece is Extract<Content, { type: "thinking" }> & { readonly sealed: string } {
  return piece.type === "thinking" && piece.sealed?.startsWith(PREFIX) === true;
}
