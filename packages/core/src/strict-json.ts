import { truncateText } from "./code-points.ts";
import { Fault } from "./fault.ts";

/** A body that is nested deeper is refused. */
export const JSON_DEPTH_MAX = 64;
/** The most values that a body may have: each takes far more memory than its text. */
export const JSON_VALUES_MAX = 200_000;

/**
 * Parses JSON strictly, as a service that handles money must: duplicate keys and deep nesting are refused, since two
 * parsers may read such a document differently. So are more than `valuesMax` values, before they are made.
 */
export function parseStrictJson(text: string, valuesMax = Number.POSITIVE_INFINITY): unknown {
  checkStructure(text, valuesMax);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Fault(
      "invalid_request",
      `The body is not valid JSON: ${describeParseError(error)}.`,
      {},
      { cause: error },
    );
  }
}

/** Scans the text once for strings, braces and brackets. Malformed JSON is left for JSON.parse to refuse. */
function checkStructure(text: string, valuesMax: number): void {
  /** One entry per open container: the keys seen in an object, undefined for an array. */
  const open: (Set<string> | undefined)[] = [];
  let expectsKey = false;
  // Each value but the first comes after a comma or an opening.
  let values = 1;
  for (let index = 0; index < text.length; index++) {
    if (values > valuesMax) throw new Fault("invalid_request", `The body has more than ${valuesMax} values.`);
    switch (text.charCodeAt(index)) {
      case 0x22: {
        const end = endOfString(text, index);
        if (expectsKey) refuseDuplicateKey(open.at(-1), text.slice(index, end + 1));
        expectsKey = false;
        index = end;
        break;
      }
      case 0x7b:
      case 0x5b: {
        const isObject = text.charCodeAt(index) === 0x7b;
        values++;
        open.push(isObject ? new Set() : undefined);
        expectsKey = isObject;
        if (open.length > JSON_DEPTH_MAX) throw jsonTooDeepFault();
        break;
      }
      case 0x7d:
      case 0x5d:
        open.pop();
        expectsKey = false;
        break;
      case 0x2c:
        values++;
        expectsKey = open.at(-1) !== undefined;
        break;
    }
  }
}

function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length) {
    const quote = text.indexOf('"', index);
    if (quote === -1) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === 0x5c) backslashes++;
    if (backslashes % 2 === 0) return quote;
    index = quote + 1;
  }
  return text.length;
}

function refuseDuplicateKey(keys: Set<string> | undefined, literal: string): void {
  if (keys === undefined) return;
  const key = literal.includes("\\") ? unescapeKey(literal) : literal.slice(1, -1);
  if (keys.has(key)) throw repeatedKeyFault(key);
  keys.add(key);
}

export function jsonTooDeepFault(): Fault {
  return new Fault("invalid_request", `The body is nested deeper than ${JSON_DEPTH_MAX} levels.`);
}

export function repeatedKeyFault(key: string): Fault {
  const shown = truncateText(key, 64);
  return new Fault("invalid_request", `The key "${shown}" is given twice.`, { param: shown });
}

function unescapeKey(literal: string): string {
  try {
    return String(JSON.parse(literal));
  } catch {
    // JSON.parse refuses the broken escape afterwards.
    return literal;
  }
}

function describeParseError(error: unknown): string {
  return error instanceof Error
    ? error.message.replace(/ in JSON at.*$| is not valid JSON$/s, "").slice(0, 120)
    : "unreadable";
}
