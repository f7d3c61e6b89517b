import { RE2JS, RE2Set } from "re2js";

/** In characters. */
export const PATTERN_LENGTH_MAX = 512;
/** How large a pattern may become once its repetitions are written out. */
const EXPANDED_SIZE_MAX = 1_000;
/** What a class of Unicode's, such as \p{L}, counts for: it is long to write out. */
const CLASS_SIZE = 20;
/** What the end of a range beyond ASCII counts for where case is ignored: each of its characters is looked up. */
const FOLDED_SIZE = 100;
/**
 * What may be kept of a pattern's states. They make most patterns fast; but of some, each character of a text makes one
 * more, at ten times the work of doing without.
 */
const MEMORY_BYTES = 32 * 1024;

/** What of a pattern is wrong, in words for whoever sent it. */
export class InvalidPattern extends Error {
  override readonly name = "BadPattern";
}

/** A regular expression of a stranger's, matched in time that is linear in the text, whatever it says. */
export interface LinearPattern {
  /** How much work each character of a text may be. */
  readonly size: number;
  /** Whether the text holds a match. */
  matches(text: string): boolean;
}

/** Reads a pattern in JavaScript's own syntax, but for looking around and back, which no linear time can do. */
export function compilePattern(pattern: string): LinearPattern {
  if (pattern.length > PATTERN_LENGTH_MAX)
    throw new InvalidPattern(`may have at most ${PATTERN_LENGTH_MAX} characters`);
  if (expandedSize(pattern) > EXPANDED_SIZE_MAX) throw new InvalidPattern("repeats too much");
  try {
    const compiled = new RE2Set(RE2Set.UNANCHORED, 0, MEMORY_BYTES);
    compiled.add(RE2JS.translateRegExp(pattern));
    compiled.compile();
    return { size: compiled.prog.numInst(), matches: (text) => compiled.match(text).length > 0 };
  } catch (error) {
    const said = error instanceof Error ? error.message.replace("error parsing regexp: ", "") : "";
    throw new InvalidPattern(`can't be read: ${said}`, { cause: error });
  }
}

/** About how large a pattern is with its repetitions written out. Known before it is compiled, as that takes time, too. */
export function expandedSize(pattern: string): number {
  const wide = /\(\?[a-z]*i/.test(pattern) ? FOLDED_SIZE : 0;
  const open: number[] = [];
  let size = 0;
  let atom = 0;
  const add = (more: number) => {
    atom = more;
    size += more;
  };
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at];
    if (char === "\\") {
      const hasName = isClass(pattern[++at]);
      add(hasName ? CLASS_SIZE : 1);
      // What stands in braces there is a name, and no count.
      if (hasName && pattern[at + 1] === "{") at = endOf(pattern, at, "}");
    } else if (char === "[") {
      const end = endOfClass(pattern, at);
      add(sizeOfClass(pattern.slice(at, end), wide));
      at = end;
    } else if (char === "(") {
      open.push(size);
      size = 0;
    } else if (char === ")") {
      const inside = size + 1;
      size = open.pop() ?? 0;
      add(inside);
    } else if (char === "{") {
      const count = /^\{(\d{1,6})(?:,(\d{0,6}))?\}/.exec(pattern.slice(at, at + 16));
      if (count === null) add(1);
      else {
        const times = Math.max(Number(count[1]), Number(count[2] || 0), 1);
        size += atom * (times - 1);
        atom *= times;
        at += count[0].length - 1;
      }
    } else add(1);
  }
  return open.reduce((sum, outside) => sum + outside, size);
}

function sizeOfClass(members: string, wide: number): number {
  const classes = members.match(/\\p/gi)?.length ?? 0;
  const ends = wide === 0 ? 0 : (members.match(/\\[ux]|[\u0080-\uffff]/g)?.length ?? 0);
  return Math.max(1, classes * Math.max(CLASS_SIZE, wide) + ends * wide);
}

function isClass(escaped: string | undefined): boolean {
  return escaped === "p" || escaped === "P";
}

function endOf(pattern: string, start: number, sign: string): number {
  const end = pattern.indexOf(sign, start);
  return end === -1 ? pattern.length : end;
}

/** Where a class in brackets ends, or the pattern. */
function endOfClass(pattern: string, start: number): number {
  for (let at = start + 1; at < pattern.length; at++) {
    if (pattern[at] === "\\") at++;
    else if (pattern[at] === "]" && at > start + 1) return at;
  }
  return pattern.length;
}
