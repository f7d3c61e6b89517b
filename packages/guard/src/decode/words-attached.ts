import type { Attachment } from "@trunkline/core/conversation.ts";
import { decodeText } from "./read-bytes.ts";

/**
 * The words of a file that came within the request; undefined where it holds none. What it is called does not count, as
 * whoever sends it chooses that: whatever can be read as text is read by a model, too.
 */
export function attachmentText({ kind, url }: Pick<Attachment, "kind" | "url">): string | undefined {
  if (kind !== "file" || !/^data:/i.test(url)) return undefined;
  const comma = url.indexOf(",");
  if (comma === -1) return undefined;
  const isBase64 = /;\s*base64\s*(;|$)/i.test(url.slice(0, comma));
  const data = url.slice(comma + 1);
  return decodeText(isBase64 ? Buffer.from(data, "base64") : percentDecoded(data));
}

/** Byte by byte, as what is escaped need not be whole characters. */
function percentDecoded(data: string): Buffer {
  const escaped = Buffer.from(data, "utf8").toString("latin1");
  const bytes = escaped.replace(/%([0-9a-f]{2})/gi, (_match, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, "latin1");
}
