import { codesOf } from "../text-codes.ts";

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
  let blanked = "";
  let copied = 0;
  for (let at = 0; at + PROBE_DISTANCE < text.length; ) {
    // What the rest of the text has too little room to repeat so often need not be found.
    const longest = Math.floor((text.length - at) / TIMES_MIN);
    const period =
      longest <= PERIOD_MAX
        ? periodAt(codes, at, longest)
        : text.slice(at + 1, at + REACH_CHARACTERS).indexOf(text.slice(at, at + PROBE_CHARACTERS)) + 1;
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

/** After how many characters the probe at an offset comes again; 0: after more than the longest period. */
function periodAt(codes: Uint16Array, at: number, longest: number): number {
  const first = codes[at];
  for (let next = at + 1; next <= at + longest; next++) {
    if (codes[next] !== first) continue;
    let same = 1;
    while (same < PROBE_CHARACTERS && codes[next + same] === codes[at + same]) same++;
    if (same === PROBE_CHARACTERS) return next - at;
  }
  return 0;
}
