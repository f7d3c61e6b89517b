import type { WebAddress } from "./link.ts";
import type { CharacterNgramIndex } from "./said-text.ts";

const BASE64 = /^[A-Za-z0-9+/_-]{22,}={0,2}$/;
const HEX = /^(?:[0-9a-f]{2}){16,}$/i;
/** A picture is often called what was asked for. */
const PICTURE_NAME = /\.(?:png|jpe?g|gif|webp|svg|avif|ico)$/i;
const PICTURE_NAME_CHARACTERS_MAX = 40;
/** What nobody reads: so long, and with so many bits to the character. */
const OPAQUE_CHARACTERS_MIN = 40;
const OPAQUE_ENTROPY_MIN = 4;
const PIECES_MAX = 32;

/** What an address takes away with it. */
export interface CarriedData {
  /** How much of the conversation stands in it, in letters and digits; 0: nothing that could be told from chance. */
  readonly conversationCharacters: number;
  /** Whether that is no more than the plain name of a picture. */
  readonly isPictureName: boolean;
  /** Whether it was encoded. */
  readonly isEncoded: boolean;
  /** Whether it has something that nobody can read. */
  readonly isOpaque: boolean;
}

/** What of a conversation an address carries, in its host, its path, its query or its fragment, plain or encoded. */
export function findCarriedData(
  { host, path, query }: WebAddress,
  isWhole: boolean,
  conversation: CharacterNgramIndex,
): CarriedData {
  const inPath = conversation.longestMatch(percentDecoded(path));
  const elsewhere = Math.max(
    conversation.longestMatch(percentDecoded(query)),
    conversation.longestMatch(host.split(".").slice(0, -2).join("")),
  );
  const encoded = longestEncoded(piecesOf(host, path, query), conversation);
  // What goes on may still become a name; before its end is given out, it is known.
  const isName = (!isWhole || PICTURE_NAME.test(path)) && inPath < PICTURE_NAME_CHARACTERS_MAX;
  return {
    conversationCharacters: Math.max(inPath, elsewhere, encoded),
    isPictureName: isName && elsewhere === 0 && encoded === 0,
    isEncoded: encoded > 0,
    isOpaque: query.split(/[?&#=;]/).some(isOpaque),
  };
}

function piecesOf(host: string, path: string, query: string): string[] {
  return [...host.split("."), ...path.split("/"), ...query.split(/[?&#=;](?=[^=]|$)/)]
    .map(percentDecoded)
    .filter((piece) => piece.length >= 22)
    .slice(0, PIECES_MAX);
}

function longestEncoded(pieces: readonly string[], conversation: CharacterNgramIndex): number {
  let longest = 0;
  for (const piece of pieces) {
    if (HEX.test(piece)) longest = Math.max(longest, conversation.longestMatch(decoded(piece, "hex")));
    if (BASE64.test(piece)) longest = Math.max(longest, conversation.longestMatch(decoded(piece, "base64")));
  }
  return longest;
}

function decoded(piece: string, encoding: "hex" | "base64"): string {
  return Buffer.from(piece, encoding).toString("utf8");
}

function percentDecoded(text: string): string {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    // Cut within an escape, or none at all.
    return text.replace(/%[0-9a-f]{0,2}/gi, "");
  }
}

function isOpaque(value: string): boolean {
  if (value.length < OPAQUE_CHARACTERS_MIN || !/^[\w+/%-]+$/.test(value)) return false;
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits >= OPAQUE_ENTROPY_MIN;
}
