import { codesOf, pairsOf } from "../text-codes.ts";

/** Shorter texts repeat too little to matter. */
const TEXT_CHARACTERS_MIN = 48;
/** At this distance, a probe of some characters is taken from the text and searched for within the reach that follows it. */
const PROBE_DISTANCE = 32;
const PROBE_CHARACTERS = 12;
const REACH_CHARACTERS = 240;
const PERIOD_MAX = REACH_CHARACTERS - PROBE_CHARACTERS;
/** From this number of times on, and this many characters, what is said again is a repetition. The first two remain. */
const TIMES_MIN = 4;
const RUN_CHARACTERS_MIN = 40;
const TIMES_KEPT = 2;

/**
 * The text with what is said over and over blanked, of the same length: a word that hints at an attack hints no more
 * if it is repeated a hundred times.
 */
export function blankRepetitions(text: string): string {
  if (text.length < TEXT_CHARACTERS_MIN) return text;
  const codes = codesOf(text);
  const pairs = pairsOf(codes);
  let blanked = "";
  let copied = 0;
  for (let at = 0; at + PROBE_DISTANCE < text.length; ) {
    // What the rest of the text has too little room to repeat so often need not be found.
    const period = periodAt(codes, pairs, at, Math.min(PERIOD_MAX, Math.floor((text.length - at) / TIMES_MIN)));
    if (period === 0) {
      at += PROBE_DISTANCE;
      continue;
    }
    let end = at + period;
    while (end < text.length && codes[end] === codes[end - period]) end++;
    if (end - at < Math.max(RUN_CHARACTERS_MIN, TIMES_MIN * period)) {
      at += PROBE_DISTANCE;
      continue;
    }
    const from = at + TIMES_KEPT * period;
    blanked += text.slice(copied, from) + " ".repeat(end - from);
    copied = end;
    at = end;
  }
  return copied === 0 ? text : blanked + text.slice(copied);
}

/**
 * After how many characters the probe at an offset comes again; 0: after more than the longest period. `pairs`: the same
 * codes, two in each number, as comparing two at once takes half as long.
 */
function periodAt(codes: Uint16Array, pairs: Int32Array, at: number, longest: number): number {
  const first = codes[at] ?? 0;
  const second = codes[at + 1] ?? 0;
  const third = codes[at + 2] ?? 0;
  // A probe at an even offset begins a pair; one at an odd offset is in the middle of one, and the next pair tells it.
  const even = pairOf(first, second);
  const odd = pairOf(second, third);
  const last = at + longest;
  for (let pair = (at + 1) >> 1; 2 * pair - 1 <= last; pair++) {
    const here = pairs[pair];
    if (here === odd && isProbeAt(codes, at, 2 * pair - 1)) return 2 * pair - 1 - at;
    if (here === even && 2 * pair <= last && isProbeAt(codes, at, 2 * pair)) return 2 * pair - at;
  }
  return 0;
}

/** Whether the probe at an offset comes again at a later one. */
function isProbeAt(codes: Uint16Array, at: number, next: number): boolean {
  if (next <= at) return false;
  let same = 0;
  while (same < PROBE_CHARACTERS && codes[next + same] === codes[at + same]) same++;
  return same === PROBE_CHARACTERS;
}

const IS_LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

function pairOf(first: number, second: number): number {
  return IS_LITTLE_ENDIAN ? first | (second << 16) : (first << 16) | second;
}
