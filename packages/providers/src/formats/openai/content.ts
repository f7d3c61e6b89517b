import { ProviderFailure } from "@trunkline/core/attempt.ts";
import type { Attachment, CacheMark, TextContent } from "@trunkline/core/conversation.ts";
import { readDataUrl } from "../../http/data-url.ts";
import { endingOf } from "./file-ending.ts";
import type { Quirks } from "./quirks.ts";

/** What the conversion of a request needs to know of its provider, and whom it tells what got lost. */
export interface Telling {
  readonly quirks: Quirks;
  readonly onDropped: (field: string) => void;
}

/** Something attached, as a part of a message. */
export function toAttachedPart(attachment: Attachment, telling: Telling): object {
  const cache = toCacheControl(attachment.cache, telling);
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
      return { type: "file", file: toFile(attachment, telling), ...cache };
  }
}

export function toTextPart({ text, cache }: TextContent, telling: Telling): object {
  return { type: "text", text, ...toCacheControl(cache, telling) };
}

/** A mark of the client's for the provider's cache, for those who know such marks. */
function toCacheControl(cache: CacheMark | undefined, { quirks, onDropped }: Telling): object {
  if (cache === undefined) return {};
  if (quirks.cacheControl === true) return { cache_control: { type: "ephemeral", ttl: cache.ttl } };
  onDropped("cache_control");
  return {};
}

function toAudio({ url }: Attachment): object {
  const data = readDataUrl(url);
  if (data === undefined) throw takesOnlyData("audio");
  return { data: data.base64, format: endingOf(data.mediaType) };
}

function toFile({ url, name }: Attachment, { quirks }: Telling): object {
  const data = readDataUrl(url);
  if (data === undefined && quirks.fileUrls !== true) throw takesOnlyData("files");
  const filename = name ?? (data === undefined ? undefined : `file.${endingOf(data.mediaType)}`);
  return { filename, file_data: url };
}

/** The request is left to another model that can take it, as without what was attached it would be another one. */
export function takesOnlyData(what: string): ProviderFailure {
  return new ProviderFailure("rejected", `takes ${what} only as data URLs`, { blamesEndpoint: false });
}
