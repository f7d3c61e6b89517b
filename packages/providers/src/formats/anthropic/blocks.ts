import { ProviderFailure } from "@trunkline/core/attempt.ts";
import type {
  Attachment,
  CacheBreakpoint,
  Content,
  ToolResultContent,
} from "@trunkline/core/conversation.ts";
import { dataUrlText, isTextType, readDataUrl } from "../../http/data-url.ts";
import type { JsonObject } from "../../http/json-frames.ts";
import { parseArguments, toToolCallId } from "./tool-names.ts";

type ReportUnsupported = (field: string) => void;

/** Content as blocks of the Messages API. */
export function toBlocks(content: readonly Content[], reportUnsupported: ReportUnsupported): JsonObject[] {
  return content.map((piece) => toBlock(piece, reportUnsupported)).filter((block) => block !== undefined);
}

function toBlock(piece: Content, reportUnsupported: ReportUnsupported): JsonObject | undefined {
  switch (piece.type) {
    case "text":
      return { type: "text", text: piece.text, ...toCacheControl(piece.cache) };
    case "attachment":
      return toAttachmentBlock(piece, reportUnsupported);
    case "thinking":
      if (piece.sealed !== undefined) return { type: "redacted_thinking", data: piece.sealed };
      if (piece.signature !== undefined)
        return { type: "thinking", thinking: piece.text, signature: piece.signature };
      // Thoughts without a signature are another model's, and refused.
      reportUnsupported("thinking");
      return undefined;
    case "tool-call":
      return {
        type: "tool_use",
        id: toToolCallId(piece.id),
        name: piece.name,
        input: parseArguments(piece.arguments),
        ...toCacheControl(piece.cache),
      };
    case "tool-result":
      return toResultBlock(piece, reportUnsupported);
  }
}

/** The mark of a cache as this format writes it. */
export function toCacheControl(mark: CacheBreakpoint | undefined): JsonObject {
  if (mark === undefined) return {};
  return {
    cache_control: { type: "ephemeral", ...(mark.ttl === undefined ? {} : { ttl: mark.ttl }) },
  };
}

function toResultBlock(result: ToolResultContent, reportUnsupported: ReportUnsupported): JsonObject {
  const shown = (result.attachments ?? []).map((attachment) =>
    toAttachmentBlock(attachment, reportUnsupported),
  );
  const said = result.text === "" ? [] : [{ type: "text", text: result.text }];
  return {
    type: "tool_result",
    tool_use_id: toToolCallId(result.id),
    content: shown.length === 0 ? result.text : [...said, ...shown],
    ...(result.isError === true ? { is_error: true } : {}),
    ...toCacheControl(result.cache),
  };
}

function toAttachmentBlock(attachment: Attachment, reportUnsupported: ReportUnsupported): JsonObject {
  const { kind, url, detail } = attachment;
  if (kind === "audio") throw unsupportedInput("audio");
  const cache = toCacheControl(attachment.cache);
  const data = readDataUrl(url);
  if (kind === "image" || data?.mediaType.startsWith("image/")) {
    if (detail === "low" || detail === "high") reportUnsupported("image_detail");
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
  if (!isTextType(data.mediaType)) throw unsupportedInput(`files of the type ${data.mediaType}`);
  const source = { type: "text", media_type: "text/plain", data: dataUrlText(data) };
  return { type: "document", source, ...title, ...cache };
}

/** Another model may take it: an answer without what was attached would be an answer to something else. */
function unsupportedInput(what: string): ProviderFailure {
  return new ProviderFailure("rejected", `takes no ${what}`, { blamesEndpoint: false });
}
