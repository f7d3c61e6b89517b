import { domainToUnicode } from "node:url";
import type { Finding } from "../detector.ts";
import { type AnswerContext, CERTAIN, HINT, LIKELY } from "./answer-context.ts";
import type { CharacterNgramIndex } from "./ngram-index.ts";

/** A link as far as it has been read. */
interface Link {
  readonly url: string;
  /** Whether the client loads it without a click, like an image. */
  readonly isAutoLoaded: boolean;
  /** Whether it is the target of a link or a tag rather than a mention. */
  readonly isTarget: boolean;
}

interface WebAddress {
  /** The part before an @. */
  readonly user: string;
  readonly host: string;
  readonly path: string;
  /** Query and fragment. */
  readonly query: string;
}

const WEB = /^(?:(?:https?|ftp|wss?):)?[/\\]{2}([^/\\?#]*)([^?#]*)(.*)$/is;

/** undefined: not a web address, or its host may still continue. */
function parseWebAddress(url: string): WebAddress | undefined {
  const [, authority, path = "", query = ""] = WEB.exec(url) ?? [];
  if (authority === undefined || authority === "") return undefined;
  const at = authority.lastIndexOf("@");
  const host = authority.slice(at + 1).replace(/:\d{0,5}$/, "");
  return { user: authority.slice(0, Math.max(0, at)), host: host.toLowerCase(), path, query };
}

const EXECUTABLE_URL = /^\s*(?:javascript|vbscript):|^\s*data:text\/html/i;
/** Links to a search, or to a page named after the question, contain this much of it. */
const LINK_CARRIED_CHARACTERS_MIN = 32;

/** Assesses a link: whether it carries data away, runs code or hides its host. */
export function assessLink(link: Link, isWhole: boolean, context: AnswerContext): Omit<Finding, "start" | "end">[] {
  if (EXECUTABLE_URL.test(link.url)) return link.isTarget ? [{ category: "injection", score: LIKELY }] : [];
  const webAddress = parseWebAddress(link.url);
  if (webAddress === undefined || !(isWhole || hasPath(webAddress))) return [];
  if (link.isAutoLoaded && context.containsPlaceholder(link.url)) return [{ category: "injection", score: CERTAIN }];
  const deceives = isDeceptiveAddress(webAddress);
  const mayCarry =
    (link.isAutoLoaded || link.isTarget) &&
    webAddress.path.length + webAddress.query.length + webAddress.host.length >= 20;
  // A URL that occurs in the conversation as it is carries nothing new.
  if ((!deceives && !mayCarry) || context.conversationIndex.contains(link.url)) return [];
  return [
    ...(deceives ? [{ category: "illicit" as const, score: HINT }] : []),
    ...(mayCarry ? assessCarriedData(findCarriedData(webAddress, isWhole, context.conversationIndex), link) : []),
  ];
}

function hasPath({ path, query }: WebAddress): boolean {
  return path !== "" || query !== "";
}

function assessCarriedData(carriedData: CarriedData, { isAutoLoaded }: Link): Omit<Finding, "start" | "end">[] {
  const { conversationCharacters, isPictureName, isEncoded, isOpaque } = carriedData;
  if (!isAutoLoaded)
    return isEncoded || conversationCharacters >= LINK_CARRIED_CHARACTERS_MIN
      ? [{ category: "injection", score: HINT }]
      : [];
  if (conversationCharacters > 0) return [{ category: "injection", score: isPictureName ? HINT : CERTAIN }];
  return isOpaque ? [{ category: "injection", score: HINT }] : [];
}

const BASE64 = /^[A-Za-z0-9+/_-]{22,}={0,2}$/;
const HEX = /^(?:[0-9a-f]{2}){16,}$/i;
/** An image is often named after what was asked for. */
const PICTURE_NAME = /\.(?:png|jpe?g|gif|webp|svg|avif|ico)$/i;
const PICTURE_NAME_CHARACTERS_MAX = 40;
/** Unreadable values: the minimum length and the minimum entropy per character. */
const OPAQUE_CHARACTERS_MIN = 40;
const OPAQUE_ENTROPY_MIN = 4;
const PIECES_MAX = 32;

/** The data that a URL carries away. */
interface CarriedData {
  /** The length of the longest match with the conversation, in letters and digits; 0: none that could not be chance. */
  readonly conversationCharacters: number;
  /** Whether that is no more than the name of an image. */
  readonly isPictureName: boolean;
  readonly isEncoded: boolean;
  /** Whether it has an unreadable value. */
  readonly isOpaque: boolean;
}

/** Finds data of the conversation in the host, path, query or fragment of a URL, plain or encoded. */
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
  // An incomplete path may still become the name of an image; it is complete before its end is sent.
  const isPictureName = (!isWhole || PICTURE_NAME.test(path)) && inPath < PICTURE_NAME_CHARACTERS_MAX;
  return {
    conversationCharacters: Math.max(inPath, elsewhere, encoded),
    isPictureName: isPictureName && elsewhere === 0 && encoded === 0,
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
    // Cut within an escape, or not an escape.
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
/** Local and private networks: common in examples and manuals, and no lure. */
const PRIVATE_IP = /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|0\.0\.0\.0$|\[::1?\]$)/;
/** Reserved for documentation. */
const DOCUMENTATION_IP = /^(?:192\.0\.2\.|198\.51\.100\.|203\.0\.113\.)/;
const LOOKS_LIKE_A_HOST = /^(?:www\.|[^:]*\.(?:com|org|net|gov|edu|io|co|[a-z]{2})\b)/i;
const LATIN = /[a-z]/;
const LOOK_ALIKES = /[\u0370-\u03ff\u0400-\u052f\u0530-\u058f]/;
/** Letters that pass for Latin ones if a whole label consists of them. */
const ALL_LOOK_ALIKES = /^[асԁеһіјӏорԛѕԝхуүαορτυνικβ0-9-]+$/;

/** Whether a URL imitates another or hides its host. */
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
