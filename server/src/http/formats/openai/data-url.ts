/** What a data URL holds. */
export interface DataUrl {
  readonly mediaType: string;
  /** The bytes in base64, as they stand in the URL. */
  readonly base64: string;
}

/** Takes a data URL apart; undefined where an address is none. */
export function parseDataUrl(url: string): DataUrl | undefined {
  const head = /^data:([^,;]*)((?:;[^,;]*)*),/i.exec(url.slice(0, 1_024));
  if (head === null) return undefined;
  const rest = url.slice(head[0].length);
  const isBase64 = /;base64$/i.test(head[2] ?? "");
  return {
    mediaType: (head[1] ?? "").toLowerCase() || "application/octet-stream",
    base64: isBase64 ? rest : Buffer.from(decodeText(rest)).toString("base64"),
  };
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A provider that escapes wrongly has meant what it wrote.
    return text;
  }
}
