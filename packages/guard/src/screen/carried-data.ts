import type { Address } from "./link.ts";
import type { SaidText } from "./said-text.ts";

const BASE64 = /^[A-Za-z0-9+/_-]{22,}={0,2}$/;
const HEX = /^(?:[0-9a-f]{2}){16,}$/i;
/** A picture is often called what was asked for. */
const NAME_OF_A_PICTURE = /\.(?:png|jpe?g|gif|webp|svg|avif|ico)$/i;
const PICTURE_NAME_MAX = 40;
/** What nobody reads: so long, and with so many bits to the character. */
const OPAQUE_MIN = 40;
const OPAQUE_BITS = 4;
const PIECES_MAX = 32;

/** What an address takes away with it. */
export interface Carried {
  /** How much of the conversation stands in it, in letters and digits; 0: nothing that could be told from chance. */
  readonly said: number;
  /** Whether that is no more than the plain name of a picture. */
  readonly isName: boolean;
  /** Whether it was encoded. */
  readonly isEncoded: boolean;
  /** Whether it has something that nobody can read. */
  readonly isOpaque: boolean;
}

/** What of a conversation an address carries, in its host, its path, its query or its fragment, plain or encoded. */
export function carriedBy({ host, path, query }: Address, isWhole: boolean, conversation: SaidText): Carried {
  const inPath = conversation.longestIn(unescaped(path));
  const elsewhere = Math.max(
    conversation.longestIn(unescaped(query)),
    conversation.longestIn(host.split(".").slice(0, -2).join("")),
  );
  const encoded = longestEncoded(piecesOf(host, path, query), conversation);
  // What goes on may still become a name; before its end is given out, it is known.
  const isName = (!isWhole || NAME_OF_A_PICTURE.test(path)) && inPath < PICTURE_NAME_MAX;
  return {
    said: Math.max(inPath, elsewhere, encoded),
    isName: isName && elsewhere === 0 && encoded === 0,
    isEncoded: encoded > 0,
    isOpaque: query.split(/[?&#=;]/).some(isOpaque),
  };
}

function piecesOf(host: string, path: string, query: string): string[] {
  return [...host.split("."), ...path.split("/"), ...query.split(/[?&#=;](?=[^=]|$)/)]
    .map(unescaped)
    .filter((piece) => piece.length >= 22)
    .slice(0, PIECES_MAX);
}

function longestEncoded(pieces: readonly string[], conversation: SaidText): number {
  let longest = 0;
  for (const piece of pieces) {
    if (HEX.test(piece)) longest = Math.max(longest, conversation.longestIn(decoded(piece, "hex")));
    if (BASE64.test(piece)) longest = Math.max(longest, conversation.longestIn(decoded(piece, "base64")));
  }
  return longest;
}

function decoded(piece: string, encoding: "hex" | "base64"): string {
  return Buffer.from(piece, encoding).toString("utf8");
}

function unescaped(text: string): string {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    // Cut within an escape, or none at all.
    return text.replace(/%[0-9a-f]{0,2}/gi, "");
  }
}

function isOpaque(value: string): boolean {
  if (value.length < OPAQUE_MIN || !/^[\w+/%-]+$/.test(value)) return false;
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits >= OPAQUE_BITS;
}
