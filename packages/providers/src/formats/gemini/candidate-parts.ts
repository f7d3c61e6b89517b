import type { Part } from "@trunkline/core/answer.ts";
import { newToolCallId } from "../../http/call-id.ts";
import type { JsonObject } from "../../http/json-frames.ts";
import { isObject, objectItems } from "../../http/json-object.ts";

type ChoiceField = { readonly choice?: number };

/** What one piece of one candidate's answer holds. */
export function toParts(candidate: JsonObject, choice: number): Part[] {
  const of = choice === 0 ? {} : { choice };
  const content = isObject(candidate.content) ? candidate.content : {};
  return objectItems(content.parts).flatMap((part) => toPart(part, of));
}

function toPart(part: JsonObject, of: ChoiceField): Part[] {
  const signature = typeof part.thoughtSignature === "string" ? { signature: part.thoughtSignature } : {};
  if (isObject(part.functionCall)) return [{ ...toCall(part.functionCall), ...signature, ...of }];
  if (isObject(part.inlineData)) return toMedia(part.inlineData);
  const text = typeof part.text === "string" ? part.text : "";
  if (part.thought === true) return [{ type: "thinking", text, ...signature, ...of }];
  return [
    ...(text === "" ? [] : [{ type: "text" as const, text, ...of }]),
    // Words have no place for a signature: it follows them as a thought without any.
    ...("signature" in signature ? [{ type: "thinking" as const, text: "", ...signature, ...of }] : []),
  ];
}

function toCall({ id, name, args }: JsonObject) {
  return {
    type: "tool-call" as const,
    id: typeof id === "string" && id !== "" ? id : newToolCallId(),
    name: typeof name === "string" ? name : "",
    arguments: JSON.stringify(args ?? {}),
  };
}

function toMedia({ mimeType, data }: JsonObject): Part[] {
  if (typeof mimeType !== "string" || typeof data !== "string") return [];
  const kind = mimeType.startsWith("image/") ? "image" : mimeType.startsWith("audio/") ? "audio" : undefined;
  if (kind === undefined) return [];
  const url = `data:${mimeType};base64,${data}`;
  return [{ type: "media", kind, url, source: { [`${kind}_url`]: url } }];
}

/** How likely the words of this piece were, in OpenAI's form. */
export function toLogprobs({ logprobsResult }: JsonObject): readonly unknown[] {
  if (!isObject(logprobsResult)) return [];
  const top = objectItems(logprobsResult.topCandidates);
  return objectItems(logprobsResult.chosenCandidates).map((chosen, index) => ({
    ...toLogprob(chosen),
    top_logprobs: objectItems(top[index]?.candidates).map(toLogprob),
  }));
}

function toLogprob({ token, logProbability }: JsonObject) {
  const text = typeof token === "string" ? token : "";
  return { token: text, logprob: logProbability ?? 0, bytes: [...Buffer.from(text)] };
}
