import type { ThinkingContent } from "@trunkline/core/conversation.ts";
import { invalidField, readObject, readOptional, readString } from "../../../requests/fields.ts";

type ReasoningState = Pick<ThinkingContent, "signature" | "sealed">;

const ENCODED_LENGTH_MAX = 4 * 1024 * 1024;

/**
 * What a provider needs to know its own thoughts again, as the one string that this format has for it. Nothing is kept
 * here, so it travels to the client and back.
 */
export function encodeReasoningState({ signature, sealed }: ReasoningState): string | null {
  if (signature === undefined && sealed === undefined) return null;
  return Buffer.from(JSON.stringify({ signature, sealed })).toString("base64url");
}

/** The way back. A string that is none of ours is what a provider of this format sealed itself. */
export function decodeReasoningState(value: unknown, param: string): ReasoningState {
  const text = readOptional(value, (given) => readString(given, param, 1, ENCODED_LENGTH_MAX));
  if (text === undefined) return {};
  try {
    const { signature, sealed } = readObject(JSON.parse(Buffer.from(text, "base64url").toString("utf8")), "");
    if (typeof signature === "string") return { signature };
    if (typeof sealed === "string") return { sealed };
  } catch {
    return { sealed: text };
  }
  throw invalidField(param, `\`${param}\` must be handed back as it was given out.`);
}
