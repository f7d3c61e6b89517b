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
