import type { Resumable } from "../../resumable.ts";
import type { ReportValue } from "../private-value.ts";
import type { TextRange } from "../scan.ts";
import { entropyOf } from "./entropy.ts";
import { KEY_FORMATS, type KeyFormat } from "./key-forms.ts";
import { isExampleValue } from "./nobodys.ts";
import { findUnprefixedKeys } from "./unanchored-keys.ts";

interface KeyPattern extends KeyFormat {
  readonly matcher: RegExp;
}

/** How far before a long word the beginning of its key may stand, as in "SG.", "dp.pt." and "v1.0-". */
const LEAD_CHARACTERS = 8;
/** A key does not end in the middle of a word. */
const KEY_END = "(?![A-Za-z0-9])";

const PATTERNS = patternsByPrefix();
const PREFIXES = prefixesByStart();
/** No key is of small letters alone, and most long words are. */
const CAPITAL_OR_DIGIT = /[A-Z0-9]/;

/** So many words are gone through without a stop. */
const WORDS_PER_STEP = 64;

/** A checksum that is wrong is a sign of a mistyped key, or of one by other rules. */
const WRONG_CHECKSUM_WEIGHT = 0.6;

/** The longest of the beginnings by which keys are known. */
export const LONGEST_KEY_PREFIX = Math.max(...[...PATTERNS.keys()].map(({ length }) => length));

/** Whether something in a text, from a place on, begins as keys do. */
export function hasKeyPrefix(text: string, from: number): boolean {
  for (let at = from; at < text.length; at += 1) {
    if (!isLetterOrDigit(text.charCodeAt(at - 1)) && (prefixAt(text, at) ?? jwtAt(text, at)) !== undefined)
      return true;
  }
  return false;
}

function jwtAt(text: string, at: number): string | undefined {
  return text.startsWith("eyJ", at) ? "eyJ" : undefined;
}

/** Keys that are known by how they begin, then those that are known by their form alone. */
export function* findApiKeys(
  text: string,
  words: readonly TextRange[],
  reportValue: ReportValue,
): Resumable<void> {
  let done = 0;
  const noteKey: ReportValue = (kind, weight, start, end) => {
    reportValue(kind, weight, start, end);
    if (AWS_ID.test(text.slice(start, end))) findAwsSecrets(text, end, reportValue);
  };
  for (const [index, { start, end }] of words.entries()) {
    if (index % WORDS_PER_STEP === WORDS_PER_STEP - 1) yield;
    if (!CAPITAL_OR_DIGIT.test(text.slice(start, end))) continue;
    for (let at = Math.max(done, start - LEAD_CHARACTERS); at < end; at += 1) {
      if (at < done || isLetterOrDigit(text.charCodeAt(at - 1))) continue;
      const anchor = prefixAt(text, at);
      if (anchor !== undefined) done = keyAt(text, at, anchor, noteKey) ?? done;
    }
    if (done <= start) done = findUnprefixedKeys(text, start, end, reportValue) ?? start;
  }
}

const AWS_ID = /^A(?:KIA|SIA)[A-Z2-7]{16}$/;
const AWS_SECRET = /(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/g;
/** How far behind its name a secret of Amazon's stands. */
const AWS_REACH = 200;

/** The other half of a key of Amazon's has no beginning to be known by, but stands near the one that has. */
function findAwsSecrets(text: string, from: number, reportValue: ReportValue): void {
  for (const { 0: value, index } of text.slice(from, from + AWS_REACH).matchAll(AWS_SECRET)) {
    if (entropyOf(value) >= 4 && !isExampleValue(value))
      reportValue("api_key", 0.9, from + index, from + index + value.length);
  }
}

/** Where the key ends that begins here, if one does. */
function keyAt(text: string, start: number, anchor: string, reportValue: ReportValue): number | undefined {
  for (const { matcher, entropy, weight, hasValidChecksum: hasRightChecksum } of PATTERNS.get(anchor) ?? []) {
    matcher.lastIndex = start;
    const value = matcher.exec(text)?.[0];
    if (value === undefined) continue;
    const body = value.slice(anchor.length);
    if (entropyOf(body) < entropy || isExampleValue(value)) continue;
    const isWrong = hasRightChecksum !== undefined && !hasRightChecksum(body);
    reportValue("api_key", isWrong ? WRONG_CHECKSUM_WEIGHT : weight, start, start + value.length);
    return start + value.length;
  }
  return undefined;
}

function patternsByPrefix(): ReadonlyMap<string, readonly KeyPattern[]> {
  const keyPatterns = new Map<string, KeyPattern[]>();
  for (const form of KEY_FORMATS) {
    for (const anchor of form.prefixes) {
      const matcher = new RegExp(`${escapeRegExp(anchor)}(?:${form.body})${KEY_END}`, "y");
      keyPatterns.set(anchor, [...(keyPatterns.get(anchor) ?? []), { ...form, matcher }]);
    }
  }
  return keyPatterns;
}

/** By their first two characters; longer ones first, as some are the beginning of others. */
function prefixesByStart(): ReadonlyMap<string, readonly string[]> {
  const anchors = new Map<string, string[]>();
  for (const anchor of [...PATTERNS.keys()].sort((a, b) => b.length - a.length)) {
    const start = anchor.slice(0, 2);
    anchors.set(start, [...(anchors.get(start) ?? []), anchor]);
  }
  return anchors;
}

function prefixAt(text: string, at: number): string | undefined {
  return PREFIXES.get(text.slice(at, at + 2))?.find((anchor) => text.startsWith(anchor, at));
}

function isLetterOrDigit(code: number): boolean {
  return (code >= 48 && code <= 57) || ((code | 32) >= 97 && (code | 32) <= 122);
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
