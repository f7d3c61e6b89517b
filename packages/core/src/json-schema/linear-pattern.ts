import { RE2JS, RE2Set } from "re2js";

/** In characters. */
export const PATTERN_LENGTH_MAX = 512;
/** The maximum size of a pattern with its repetitions expanded. */
const EXPANDED_SIZE_MAX = 1_000;
/** The size of a Unicode class such as \p{L}, which is long when expanded. */
const CLASS_SIZE = 20;
/** The size of the end of a non-ASCII range in a case-insensitive pattern: each of its characters is looked up. */
const FOLDED_SIZE = 100;
/**
 * The memory for a pattern's cached states. They make most patterns fast; but with some patterns each character of a
 * text adds one, at ten times the cost of matching without them.
 */
const MEMORY_BYTES = 32 * 1024;

/** What is wrong with a pattern, as a message for the client that sent it. */
export class InvalidPattern extends Error {
  override readonly name = "InvalidPattern";
}

/** A client's regular expression, matched in time linear in the text, whatever the pattern. */
export interface LinearPattern {
  /** The upper bound of work per character of text. */
  readonly size: number;
  /** Whether the pattern matches somewhere in the text. */
  matches(text: string): boolean;
}

/**
 * Compiles a pattern in JavaScript's syntax, except for lookaround and backreferences, which need more than linear
 * time.
 */
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

/** The approximate size of a pattern with its repetitions expanded. Known before compiling, which takes time too. */
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
      // The braces hold a name, not a count.
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

/** The end of a bracketed class, or of the pattern. */
function endOfClass(pattern: string, start: number): number {
  for (let at = start + 1; at < pattern.length; at++) {
    if (pattern[at] === "\\") at++;
    else if (pattern[at] === "]" && at > start + 1) return at;
  }
  return pattern.length;
}
