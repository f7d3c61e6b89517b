import { ProviderFailure } from "@trunkline/core/attempt.ts";
import type { Attachment, CacheBreakpoint, TextContent } from "@trunkline/core/conversation.ts";
import { readDataUrl } from "../../http/data-url.ts";
import { fileExtensionOf } from "./file-ending.ts";
import type { Quirks } from "./quirks.ts";

/** What the conversion of a request needs to know of its provider, and whom it tells what got lost. */
export interface ConversionContext {
  readonly quirks: Quirks;
  readonly onUnsupported: (field: string) => void;
}

/** Something attached, as a part of a message. */
export function toAttachmentPart(attachment: Attachment, conversionContext: ConversionContext): object {
  const cache = toCacheControl(attachment.cache, conversionContext);
  switch (attachment.kind) {
    case "image":
      return {
        type: "image_url",
        image_url: { url: attachment.url, detail: attachment.detail },
        ...cache,
      };
    case "audio":
      return { type: "input_audio", input_audio: toAudio(attachment), ...cache };
    case "file":
      return { type: "file", file: toFile(attachment, conversionContext), ...cache };
  }
}

export function toTextPart({ text, cache }: TextContent, conversionContext: ConversionContext): object {
  return { type: "text", text, ...toCacheControl(cache, conversionContext) };
}

/** A mark of the client's for the provider's cache, for those who know such marks. */
function toCacheControl(
  cache: CacheBreakpoint | undefined,
  { quirks, onUnsupported: onDropped }: ConversionContext,
): object {
  if (cache === undefined) return {};
  if (quirks.cacheControl === true) return { cache_control: { type: "ephemeral", ttl: cache.ttl } };
  onDropped("cache_control");
  return {};
}

function toAudio({ url }: Attachment): object {
  const data = readDataUrl(url);
  if (data === undefined) throw onlyDataUrlsSupported("audio");
  return { data: data.base64, format: fileExtensionOf(data.mediaType) };
}

function toFile({ url, name }: Attachment, { quirks }: ConversionContext): object {
  const data = readDataUrl(url);
  if (data === undefined && quirks.fileUrls !== true) throw onlyDataUrlsSupported("files");
  const filename = name ?? (data === undefined ? undefined : `file.${fileExtensionOf(data.mediaType)}`);
  return { filename, file_data: url };
}

/** The request is left to another model that can take it, as without what was attached it would be another one. */
export function onlyDataUrlsSupported(what: string): ProviderFailure {
  return new ProviderFailure("rejected", `takes ${what} only as data URLs`, { blamesEndpoint: false });
}
