import type { Attachment, CacheBreakpoint, Content, ToolResultContent } from "@trunkline/core/conversation.ts";
import { type DataUrl, isTextType, readDataUrl } from "@trunkline/core/data-url.ts";
import type { JsonObject } from "@trunkline/core/json-object.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { parseArguments, toToolCallId } from "../anthropic/messages.ts";

const IMAGE_FORMATS: ReadonlySet<string> = new Set(["png", "jpeg", "gif", "webp"]);

const DOCUMENT_FORMATS: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "application/msword": "doc",
  "application/vnd.ms-excel": "xls",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "text/csv": "csv",
  "text/html": "html",
  "text/markdown": "md",
};

/** Turns content into blocks of the Converse API. */
export class ContentBlockWriter {
  readonly #reportUnsupported: (field: string) => void;
  /** Document names must be unique within a request. */
  readonly #names = new Set<string>();

  constructor(reportUnsupported: (field: string) => void) {
    this.#reportUnsupported = reportUnsupported;
  }

  write(content: readonly Content[]): JsonObject[] {
    return content.flatMap((piece) => this.#toBlocks(piece));
  }

  #toBlocks(piece: Content): JsonObject[] {
    switch (piece.type) {
      case "text":
        return [{ text: piece.text }, ...toCachePoint(piece.cache)];
      case "attachment":
        return [this.#toAttachmentBlock(piece), ...toCachePoint(piece.cache)];
      case "thinking":
        if (piece.sealed !== undefined) return [{ reasoningContent: { redactedContent: piece.sealed } }];
        if (piece.signature !== undefined) {
          const { text, signature } = piece;
          return [{ reasoningContent: { reasoningText: { text, signature } } }];
        }
        // Thinking without a signature comes from another model, and would be refused.
        this.#reportUnsupported("thinking");
        return [];
      case "tool-call": {
        const { id, name, arguments: json } = piece;
        const toolUse = { toolUseId: toToolCallId(id), name, input: parseArguments(json) };
        return [{ toolUse }, ...toCachePoint(piece.cache)];
      }
      case "tool-result":
        return [{ toolResult: this.#toResult(piece) }, ...toCachePoint(piece.cache)];
    }
  }

  #toResult({ id, text, isError, attachments = [] }: ToolResultContent): JsonObject {
    const shown = attachments.map((attachment) => this.#toAttachmentBlock(attachment));
    // Empty texts and empty results are refused.
    const said = text === "" && shown.length === 0 ? "(nothing)" : text;
    return {
      toolUseId: toToolCallId(id),
      content: [...(said === "" ? [] : [{ text: said }]), ...shown],
      ...(isError === true ? { status: "error" } : {}),
    };
  }

  #toAttachmentBlock({ kind, url, name, detail }: Attachment): JsonObject {
    const data = readDataUrl(url);
    if (kind === "audio") throw unsupportedInput("audio");
    if (data === undefined) throw unsupportedInput("attachments by their address, only as data URLs");
    const source = { bytes: data.base64 };
    if (kind === "image" || data.mediaType.startsWith("image/")) {
      if (detail === "low" || detail === "high") this.#reportUnsupported("image_detail");
      const format = data.mediaType.replace(/^image\//, "").replace(/^jpg$/, "jpeg");
      if (!IMAGE_FORMATS.has(format)) throw unsupportedInput(`images of the type ${data.mediaType}`);
      return { image: { format, source } };
    }
    return { document: { format: documentFormatOf(data), name: this.#nameFor(name), source } };
  }

  /** A name may contain only some characters, and no file extension. */
  #nameFor(given: string | undefined): string {
    const stem = (given ?? "").replace(/\.[a-z0-9]{1,5}$/i, "").replace(/[^a-zA-Z0-9()[\]-]+/g, " ");
    const base = stem.trim().slice(0, 180) || "document";
    let name = base;
    for (let number = 2; this.#names.has(name); number += 1) name = `${base} ${number}`;
    this.#names.add(name);
    return name;
  }
}

/** A marker after the content that may be cached up to it. */
export function toCachePoint(mark: CacheBreakpoint | undefined): JsonObject[] {
  if (mark === undefined) return [];
  return [{ cachePoint: { type: "default", ...(mark.ttl === undefined ? {} : { ttl: mark.ttl }) } }];
}

function documentFormatOf({ mediaType }: DataUrl): string {
  const format = Object.hasOwn(DOCUMENT_FORMATS, mediaType) ? DOCUMENT_FORMATS[mediaType] : undefined;
  if (format !== undefined) return format;
  if (isTextType(mediaType)) return "txt";
  throw unsupportedInput(`files of the type ${mediaType}`);
}

/** Another model may support it: an answer that ignores an attachment would answer another question. */
function unsupportedInput(what: string): ProviderFailure {
  return new ProviderFailure("rejected", `takes no ${what}`, { blamesEndpoint: false });
}
