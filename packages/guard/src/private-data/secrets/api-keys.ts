import type { TextRange } from "../../text-range.ts";
import type { ReportValue } from "../candidates/private-value.ts";
import { matchesIn, textBefore } from "../candidates/scan-text.ts";
import { KEY_FORMATS, type KeyFormat } from "./key-formats.ts";
import { entropyOf, isExampleValue, isKeyLike } from "./key-heuristics.ts";

interface KeyPattern extends KeyFormat {
  readonly matcher: RegExp;
}

/** How far before a long word its key may begin, as in "SG.", "dp.pt." and "v1.0-". */
const LEAD_CHARACTERS = 8;
/** A key does not end in the middle of a word. */
const KEY_END = "(?![A-Za-z0-9])";

const PATTERNS = patternsByPrefix();
const PREFIXES = prefixesByStart();
/** A bit for the first two characters of each prefix: most places of a text begin with others. */
const STARTS = prefixStarts();
/** No key has only lower-case letters, but most long words do. */
const CAPITAL_OR_DIGIT = /[A-Z0-9]/;

/** A wrong checksum means a mistyped key or another format. */
const WRONG_CHECKSUM_WEIGHT = 0.6;

/** The length of the longest key prefix. */
export const LONGEST_KEY_PREFIX = Math.max(...[...PATTERNS.keys()].map(({ length }) => length));

/** Whether a key prefix occurs from an offset on. */
export function hasKeyPrefix(text: string, from: number): boolean {
  for (let at = from; at < text.length; at += 1) {
    if (!isLetterOrDigit(text.charCodeAt(at - 1)) && (prefixAt(text, at) ?? jwtAt(text, at)) !== undefined) return true;
  }
  return false;
}

function jwtAt(text: string, at: number): string | undefined {
  return text.startsWith("eyJ", at) ? "eyJ" : undefined;
}

/** Finds keys by their prefix, then those that only their format identifies. */
export function findApiKeys(text: string, words: readonly TextRange[], reportValue: ReportValue): void {
  let done = 0;
  const noteKey: ReportValue = (kind, weight, start, end) => {
    reportValue(kind, weight, start, end);
    if (AWS_ID.test(text.slice(start, end))) findAwsSecrets(text, end, reportValue);
  };
  for (const { start, end } of words) {
    if (!CAPITAL_OR_DIGIT.test(text.slice(start, end))) continue;
    for (let at = Math.max(done, start - LEAD_CHARACTERS); at < end; at += 1) {
      if (at < done || isLetterOrDigit(text.charCodeAt(at - 1))) continue;
      const prefix = prefixAt(text, at);
      if (prefix !== undefined) done = keyAt(text, at, prefix, noteKey) ?? done;
    }
    if (done <= start) done = findUnprefixedKeys(text, start, end, reportValue) ?? start;
  }
}

const AWS_ID = /^A(?:KIA|SIA)[A-Z2-7]{16}$/;
const AWS_SECRET = /(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/g;
/** The maximum distance of an AWS secret from its key id. */
const AWS_REACH = 200;

/** An AWS secret has no prefix, but stands near the key id that does. */
function findAwsSecrets(text: string, from: number, reportValue: ReportValue): void {
  for (const { 0: value, index } of matchesIn(text.slice(from, from + AWS_REACH), AWS_SECRET)) {
    if (entropyOf(value) >= 4 && !isExampleValue(value))
      reportValue("api_key", 0.9, from + index, from + index + value.length);
  }
}

/** Reports the key that begins here and returns its end. */
function keyAt(text: string, start: number, prefix: string, reportValue: ReportValue): number | undefined {
  for (const { matcher, entropy, weight, hasValidChecksum } of PATTERNS.get(prefix) ?? []) {
    matcher.lastIndex = start;
    const value = matcher.exec(text)?.[0];
    if (value === undefined) continue;
    const body = value.slice(prefix.length);
    if (entropyOf(body) < entropy || isExampleValue(value)) continue;
    const isWrong = hasValidChecksum !== undefined && !hasValidChecksum(body);
    reportValue("api_key", isWrong ? WRONG_CHECKSUM_WEIGHT : weight, start, start + value.length);
    return start + value.length;
  }
  return undefined;
}

function patternsByPrefix(): ReadonlyMap<string, readonly KeyPattern[]> {
  const keyPatterns = new Map<string, KeyPattern[]>();
  for (const format of KEY_FORMATS) {
    for (const prefix of format.prefixes) {
      const matcher = new RegExp(`${escapeRegExp(prefix)}(?:${format.body})${KEY_END}`, "y");
      keyPatterns.set(prefix, [...(keyPatterns.get(prefix) ?? []), { ...format, matcher }]);
    }
  }
  return keyPatterns;
}

/** By their first two characters; longer ones first, as some prefixes begin others. */
function prefixesByStart(): ReadonlyMap<string, readonly string[]> {
  const prefixes = new Map<string, string[]>();
  for (const prefix of [...PATTERNS.keys()].sort((a, b) => b.length - a.length)) {
    const start = prefix.slice(0, 2);
    prefixes.set(start, [...(prefixes.get(start) ?? []), prefix]);
  }
  return prefixes;
}

/** All prefixes are of ASCII characters. */
function prefixStarts(): Uint8Array {
  const starts = new Uint8Array(1 << 14);
  for (const start of PREFIXES.keys()) starts[startOf(start.charCodeAt(0), start.charCodeAt(1))] = 1;
  return starts;
}

function startOf(first: number, second: number): number {
  return ((first & 127) << 7) | (second & 127);
}

function prefixAt(text: string, at: number): string | undefined {
  if (STARTS[startOf(text.charCodeAt(at), text.charCodeAt(at + 1))] === 0) return undefined;
  return PREFIXES.get(text.slice(at, at + 2))?.find((prefix) => text.startsWith(prefix, at));
}

function isLetterOrDigit(code: number): boolean {
  return (code >= 48 && code <= 57) || ((code | 32) >= 97 && (code | 32) <= 122);
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

const JWT = /eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{10,2000}/y;
/** The end is missing. */
const UNTERMINATED_JWT = /eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{64,8000}$/y;
/** Only the first part is there. A shorter one would not show that it is a signed token. */
const PARTIAL_JWT = /eyJ[A-Za-z0-9_-]{200,4000}$/y;
const JWT_HEADER_FIELD = /"(?:alg|typ|enc)"\s?:/;
const LONG_JWT_HEADER_FIELD = /"(?:alg|typ|enc|kid|x5[cu]|x5t(?:#S256)?|jwk|jku|cty|crit)"\s?:/;
const DISCORD_BOT = /[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9_-])/y;
const TERRAFORM = /[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}(?![A-Za-z0-9])/y;
const TELEGRAM_BOT = /(?:^|[^\d])(\d{8,10}:)$/;
const AZURE_CLIENT = /(?:^|[^\w~.])([A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{0,10})$/;
const WEB_HOOK =
  /(?:https?:\/\/)?(?:hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Z0-9]{8,14}\/[A-Z0-9]{8,14}\/|(?:\w{1,8}\.)?discord(?:app)?\.com\/api\/webhooks\/\d{17,20}\/)$/;
const KEY_LABEL =
  /(?:api|auth|access|secret|private|account|signing|client|master|license)[ _-]?(?:keys?|tokens?|secrets?)\W{0,4}(?:(?:is|was|of|for \w{1,16})\W{1,4}){0,2}$|(?:^|[^a-z])(?:secret|token|password|bearer|credential|passphrase)\W{0,4}(?:(?:is|was|of|for \w{1,16})\W{1,4}){0,2}$/i;
const HASH_LABEL = /(?:hash|digest|sha-?\d{0,3}|md5|etag|checksum|commit|uuid|nonce)[^a-z]{0,12}$/i;

/** Finds keys without a prefix by their format, context or label. Returns the end of the key that begins here. */
function findUnprefixedKeys(text: string, start: number, end: number, reportValue: ReportValue): number | undefined {
  const jwtEnd = text.startsWith("eyJ", start) ? endOfJwt(text, start) : undefined;
  if (jwtEnd !== undefined) {
    reportValue("jwt", 0.9, start, jwtEnd);
    return jwtEnd;
  }
  for (const format of [DISCORD_BOT, TERRAFORM]) {
    format.lastIndex = start;
    if (format.test(text) && entropyOf(text.slice(start, format.lastIndex)) >= 3.5) {
      reportValue("api_key", 0.9, start, format.lastIndex);
      return format.lastIndex;
    }
  }
  const word = text.slice(start, Math.min(end, start + 512));
  if (!isKeyLike(word) || isExampleValue(word)) return undefined;
  const before = textBefore(text, start, 80);
  const led = leadLength(before, word);
  if (led !== undefined) reportValue("api_key", 0.95, start - led, end);
  else if (word.length >= 20 && isLabelledAsKey(before)) reportValue("api_key", 0.6, start, end);
  else return undefined;
  return end;
}

/** How much of the key stands before the long word at its end. */
function leadLength(before: string, word: string): number | undefined {
  if (word.startsWith("AA") && word.length === 35) return TELEGRAM_BOT.exec(before)?.[1]?.length;
  const azure = AZURE_CLIENT.exec(before.slice(-24))?.[1]?.length;
  return azure ?? WEB_HOOK.exec(before)?.[0].length;
}

function isLabelledAsKey(before: string): boolean {
  const line = before.slice(-40).split("\n").at(-1) ?? "";
  return KEY_LABEL.test(line) && !HASH_LABEL.test(line);
}

function endOfJwt(text: string, start: number): number | undefined {
  const end = endOf(JWT, text, start) ?? endOf(UNTERMINATED_JWT, text, start);
  if (end !== undefined) return JWT_HEADER_FIELD.test(decoded(text, start, text.indexOf(".", start))) ? end : undefined;
  const begun = endOf(PARTIAL_JWT, text, start);
  return begun !== undefined && LONG_JWT_HEADER_FIELD.test(decoded(text, start, begun)) ? begun : undefined;
}

function decoded(text: string, start: number, end: number): string {
  return Buffer.from(text.slice(start, end), "base64url").toString("latin1");
}

function endOf(format: RegExp, text: string, start: number): number | undefined {
  format.lastIndex = start;
  return format.test(text) ? format.lastIndex : undefined;
}
