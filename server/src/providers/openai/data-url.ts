/** What a data URL holds. */
export interface DataUrl {
  /** In lower case, without parameters. */
  readonly mediaType: string;
  readonly base64: string;
}

/** Reads a data URL; undefined where a URL is none. Text that is not in base64 is brought into it. */
export function readDataUrl(url: string): DataUrl | undefined {
  if (!/^data:/i.test(url)) return undefined;
  const comma = url.indexOf(",");
  if (comma === -1) return undefined;
  const [mediaType = "", ...parameters] = url.slice("data:".length, comma).toLowerCase().split(";");
  const data = url.slice(comma + 1);
  const isBase64 = parameters.some((parameter) => parameter.trim() === "base64");
  return { mediaType: mediaType.trim() || "text/plain", base64: isBase64 ? data : encode(data) };
}

function encode(data: string): string {
  try {
    return Buffer.from(decodeURIComponent(data)).toString("base64");
  } catch {
    // A per cent sign that is nothing else.
    return Buffer.from(data).toString("base64");
  }
}

/** The ending of a file's name that fits a media type, such as `mp3`. */
export function endingOf(mediaType: string): string {
  const subtype = (mediaType.split("/")[1] ?? "").replace(/^x-/, "");
  return ENDINGS[subtype] ?? (subtype === "" ? "bin" : subtype);
}

const ENDINGS: Readonly<Record<string, string>> = {
  mpeg: "mp3",
  mpga: "mp3",
  wave: "wav",
  "vnd.wave": "wav",
  plain: "txt",
  "octet-stream": "bin",
};
