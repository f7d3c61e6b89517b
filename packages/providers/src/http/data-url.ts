/** What a data URL holds. */
export interface DataUrl {
  /** In lower case, without parameters. */
  readonly mediaType: string;
  /** As base64, whatever it was written as. */
  readonly base64: string;
}

/** The parts of a data URL; undefined where it is none. */
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
      : Buffer.from(unescapePercent(data), "latin1").toString("base64"),
  };
}

/** The words of a data URL that holds text. */
export function dataUrlText({ base64 }: DataUrl): string {
  return Buffer.from(base64, "base64").toString("utf8");
}

/** Whether a media type is text that a model can read as it is. */
export function isTextType(mediaType: string): boolean {
  return (
    mediaType.startsWith("text/") ||
    /^application\/(json|xml|yaml|x-yaml|javascript|x-ndjson|toml|sql)$/.test(mediaType) ||
    /\+(json|xml|yaml)$/.test(mediaType)
  );
}

/** Byte by byte, as the result need not be text. */
function unescapePercent(text: string): string {
  return Buffer.from(text, "utf8")
    .toString("latin1")
    .replace(/%([0-9a-f]{2})/gi, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
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

/** What a file on the web probably is, by the end of its path; undefined where that tells nothing. */
export function mimeTypeOfPath(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const ending = /\.([a-z0-9]+)$/i.exec(new URL(url).pathname)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(MIME_TYPES, ending) ? MIME_TYPES[ending] : undefined;
}
