/** What a data URL holds. */
export interface InlineData {
  readonly mimeType: string;
  /** In base64. */
  readonly data: string;
}

/** The content of a data URL; undefined where it is another URL. */
export function readDataUrl(url: string): InlineData | undefined {
  const comma = url.indexOf(",");
  if (comma === -1 || !/^data:/i.test(url.slice(0, 5))) return undefined;
  const head = url.slice(5, comma);
  const mimeType = head.split(";")[0]?.trim() || "text/plain";
  const content = url.slice(comma + 1);
  // It may be megabytes long, so that nothing is done to what is in base64 already.
  if (/;\s*base64\s*$/i.test(head)) return { mimeType, data: content };
  return { mimeType, data: Buffer.from(decode(content)).toString("base64") };
}

function decode(content: string): string {
  try {
    return decodeURIComponent(content);
  } catch {
    return content;
  }
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
