import { ProviderFailure } from "@trunkline/core/attempt.ts";
import type { Attachment, CacheMark, Content, ToolResultContent } from "@trunkline/core/conversation.ts";
import { isTextType, readDataUrl, textIn } from "../../http/data-url.ts";
import type { JsonObject } from "../../http/json-frames.ts";
import { argumentsOf, toolIdOf } from "./tool-names.ts";

type Drop = (field: string) => void;

/** Content as blocks of the Messages API. */
export function toBlocks(content: readonly Content[], drop: Drop): JsonObject[] {
  return content.map((piece) => toBlock(piece, drop)).filter((block) => block !== undefined);
}

function toBlock(piece: Content, drop: Drop): JsonObject | undefined {
  switch (piece.type) {
    case "text":
      return { type: "text", text: piece.text, ...toCacheControl(piece.cache) };
    case "attachment":
      return toAttachmentBlock(piece, drop);
    case "thinking":
      if (piece.sealed !== undefined) return { type: "redacted_thinking", data: piece.sealed };
      if (piece.signature !== undefined)
        return { type: "thinking", thinking: piece.text, signature: piece.signature };
      // Thoughts without a signature are another model's, and refused.
      drop("thinking");
      return undefined;
    case "tool-call":
      return {
        type: "tool_use",
        id: toolIdOf(piece.id),
        name: piece.name,
        input: argumentsOf(piece.arguments),
        ...toCacheControl(piece.cache),
      };
    case "tool-result":
      return toResultBlock(piece, drop);
  }
}

/** The mark of a cache as this format writes it. */
export function toCacheControl(mark: CacheMark | undefined): JsonObject {
  if (mark === undefined) return {};
  return {
    cache_control: { type: "ephemeral", ...(mark.ttl === undefined ? {} : { ttl: mark.ttl }) },
  };
}

function toResultBlock(result: ToolResultContent, drop: Drop): JsonObject {
  const shown = (result.attachments ?? []).map((attachment) => toAttachmentBlock(attachment, drop));
  const said = result.text === "" ? [] : [{ type: "text", text: result.text }];
  return {
    type: "tool_result",
    tool_use_id: toolIdOf(result.id),
    content: shown.length === 0 ? result.text : [...said, ...shown],
    ...(result.isError === true ? { is_error: true } : {}),
    ...toCacheControl(result.cache),
  };
}

function toAttachmentBlock(attachment: Attachment, drop: Drop): JsonObject {
  const { kind, url, detail } = attachment;
  if (kind === "audio") throw takesNo("audio");
  const cache = toCacheControl(attachment.cache);
  const data = readDataUrl(url);
  if (kind === "image" || data?.mediaType.startsWith("image/")) {
    if (detail === "low" || detail === "high") drop("image_detail");
    const source =
      data === undefined
        ? { type: "url", url }
        : { type: "base64", media_type: data.mediaType, data: data.base64 };
    return { type: "image", source, ...cache };
  }
  const title = attachment.name === undefined ? {} : { title: attachment.name };
  if (data === undefined) return { type: "document", source: { type: "url", url }, ...title, ...cache };
  if (data.mediaType === "application/pdf") {
    const source = { type: "base64", media_type: "application/pdf", data: data.base64 };
    return { type: "document", source, ...title, ...cache };
  }
  if (!isTextType(data.mediaType)) throw takesNo(`files of the type ${data.mediaType}`);
  const source = { type: "text", media_type: "text/plain", data: textIn(data) };
  return { type: "document", source, ...title, ...cache };
}

/** Another model may take it: an answer without what was attached would be an answer to something else. */
function takesNo(what: string): ProviderFailure {
  return new ProviderFailure("rejected", `takes no ${what}`, { blamesEndpoint: false });
}
