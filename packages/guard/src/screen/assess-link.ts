import { domainToUnicode } from "node:url";
import type { Finding } from "../detector.ts";
import { type AnswerContext, CERTAIN, HINT, LIKELY } from "./answer-context.ts";
import type { CharacterNgramIndex } from "./ngram-index.ts";

/** A link as far as it has been read. */
interface Link {
  readonly url: string;
  /** Whether the client loads it by itself, as it does a picture. */
  readonly isAutoLoaded: boolean;
  /** Whether it is what a link or a tag leads to, and no mere mention. */
  readonly isTarget: boolean;
}

/** The parts of a web address. */
interface WebAddress {
  /** What stands before an @. */
  readonly user: string;
  readonly host: string;
  readonly path: string;
  /** Query and fragment. */
  readonly query: string;
}

const WEB = /^(?:(?:https?|ftp|wss?):)?[/\\]{2}([^/\\?#]*)([^?#]*)(.*)$/is;

/** undefined: it is no web address, or its host may still go on. */
function parseWebAddress(url: string): WebAddress | undefined {
  const [, authority, path = "", query = ""] = WEB.exec(url) ?? [];
  if (authority === undefined || authority === "") return undefined;
  const at = authority.lastIndexOf("@");
  const host = authority.slice(at + 1).replace(/:\d{0,5}$/, "");
  return { user: authority.slice(0, Math.max(0, at)), host: host.toLowerCase(), path, query };
}

const EXECUTABLE_URL = /^\s*(?:javascript|vbscript):|^\s*data:text\/html/i;
/** Links to a search or a page that is called by the question carry as much of it. */
const LINK_CARRIED_CHARACTERS_MIN = 32;

/** What a link is a sign of: data that leave by it, something that it runs, or a host that is not what it seems. */
export function assessLink(link: Link, isWhole: boolean, context: AnswerContext): Omit<Finding, "start" | "end">[] {
  if (EXECUTABLE_URL.test(link.url)) return link.isTarget ? [{ category: "injection", score: LIKELY }] : [];
  const webAddress = parseWebAddress(link.url);
  if (webAddress === undefined || !(isWhole || hasPath(webAddress))) return [];
  if (link.isAutoLoaded && context.containsPlaceholder(link.url)) return [{ category: "injection", score: CERTAIN }];
  const deceives = isDeceptiveAddress(webAddress);
  const mayCarry =
    (link.isAutoLoaded || link.isTarget) &&
    webAddress.path.length + webAddress.query.length + webAddress.host.length >= 20;
  // What was given in just this form is passed on, and nothing with it.
  if ((!deceives && !mayCarry) || context.conversationIndex.contains(link.url)) return [];
  return [
    ...(deceives ? [{ category: "illicit" as const, score: HINT }] : []),
    ...(mayCarry ? assessCarriedData(findCarriedData(webAddress, isWhole, context.conversationIndex), link) : []),
  ];
}

function hasPath({ path, query }: WebAddress): boolean {
  return path !== "" || query !== "";
}

function assessCarriedData(carriedData: CarriedData, { isAutoLoaded: loads }: Link): Omit<Finding, "start" | "end">[] {
  const { conversationCharacters: said, isPictureName: isName, isEncoded, isOpaque } = carriedData;
  if (!loads) return isEncoded || said >= LINK_CARRIED_CHARACTERS_MIN ? [{ category: "injection", score: HINT }] : [];
  if (said > 0) return [{ category: "injection", score: isName ? HINT : CERTAIN }];
  return isOpaque ? [{ category: "injection", score: HINT }] : [];
}

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
interface CarriedData {
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
function findCarriedData(
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

const IP = /^(?:\d{1,3}(?:\.\d{1,3}){3}|0x[0-9a-f]{6,8}|\d{8,10}|\[[0-9a-f:.]{2,45}\])$/;
/** Of one's own machine or house: in examples and manuals, and nothing that lures anybody. */
const PRIVATE_IP = /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|0\.0\.0\.0$|\[::1?\]$)/;
/** Kept for documentation. */
const DOCUMENTATION_IP = /^(?:192\.0\.2\.|198\.51\.100\.|203\.0\.113\.)/;
const LOOKS_LIKE_A_HOST = /^(?:www\.|[^:]*\.(?:com|org|net|gov|edu|io|co|[a-z]{2})\b)/i;
const LATIN = /[a-z]/;
const LOOK_ALIKES = /[\u0370-\u03ff\u0400-\u052f\u0530-\u058f]/;
/** Letters that read as Latin ones where a whole name is spelt with them. */
const ALL_LOOK_ALIKES = /^[асԁеһіјӏорԛѕԝхуүαορτυνικβ0-9-]+$/;

/** Whether an address pretends to be another, or hides whose it is. */
function isDeceptiveAddress({ user, host }: WebAddress): boolean {
  if (user.includes(":") || LOOKS_LIKE_A_HOST.test(user)) return true;
  if (IP.test(host)) return !PRIVATE_IP.test(host) && !DOCUMENTATION_IP.test(host);
  return hasLookAlikes(host);
}

function hasLookAlikes(host: string): boolean {
  const isPlain = !/[^ -~]/.test(host);
  if (isPlain && !host.includes("xn--")) return false;
  const shown = isPlain ? domainToUnicode(host) : host;
  return shown
    .split(".")
    .some((label) => LOOK_ALIKES.test(label) && (LATIN.test(label) || ALL_LOOK_ALIKES.test(label)));
}
