/** The ending of a file's name that fits a media type, such as `mp3`. */
export function fileExtensionOf(mediaType: string): string {
  const subtype = (mediaType.split("/")[1] ?? "").replace(/^x-/, "");
  return FILE_EXTENSIONS[subtype] ?? (subtype === "" ? "bin" : subtype);
}

const FILE_EXTENSIONS: Readonly<Record<string, string>> = {
  mpeg: "mp3",
  mpga: "mp3",
  wave: "wav",
  "vnd.wave": "wav",
  plain: "txt",
  "octet-stream": "bin",
};
