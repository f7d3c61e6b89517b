/** The content of a data URL. */
export interface DataUrl {
  /** In lower case, without parameters; `text/plain` where the URL names none (RFC 2397). */
  readonly mediaType: string;
  /** The bytes in base64, also where the URL holds them percent-encoded. */
  readonly base64: string;
}

/** Reads a data URL; undefined for any other URL. Percent-encoded content is bytes: it need not be valid UTF-8. */
export function readDataUrl(url: string): DataUrl | undefined {
  if (!/^data:/i.test(url)) return undefined;
  const comma = url.indexOf(",");
  if (comma === -1) return undefined;
  const [mediaType = "", ...parameters] = url.slice("data:".length, comma).toLowerCase().split(";");
  const data = url.slice(comma + 1);
  return {
    mediaType: mediaType.trim() || "text/plain",
    base64: parameters.some((parameter) => parameter.trim() === "base64")
      ? data
      : Buffer.from(percentDecode(data), "latin1").toString("base64"),
  };
}

/** The content of a data URL as UTF-8 text. */
export function dataUrlText({ base64 }: DataUrl): string {
  return Buffer.from(base64, "base64").toString("utf8");
}

/** Whether a model can read content of this media type as plain text. */
export function isTextType(mediaType: string): boolean {
  return (
    mediaType.startsWith("text/") ||
    /^application\/(json|xml|yaml|x-yaml|javascript|x-ndjson|toml|sql)$/.test(mediaType) ||
    /\+(json|xml|yaml)$/.test(mediaType)
  );
}

/** One character per byte of the result. */
function percentDecode(text: string): string {
  return Buffer.from(text, "utf8")
    .toString("latin1")
    .replace(/%([0-9a-f]{2})/gi, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** How many bytes a base64 data URL holds, without decoding them. */
export function base64ByteLength(url: string, start = url.indexOf(",") + 1): number {
  const padding = url.endsWith("==") ? 2 : url.endsWith("=") ? 1 : 0;
  return Math.floor(((url.length - start - padding) * 3) / 4);
}

const MIME_TYPES: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  mp3: "audio/mpeg",
  wav: "audio/wav",
  ogg: "audio/ogg",
  flac: "audio/flac",
  mp4: "video/mp4",
  pdf: "application/pdf",
  txt: "text/plain",
};

/** Guesses a file's media type from the extension in its URL; undefined for an unknown extension. */
export function mimeTypeOfPath(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const extension = /\.([a-z0-9]+)$/i.exec(new URL(url).pathname)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(MIME_TYPES, extension) ? MIME_TYPES[extension] : undefined;
}
