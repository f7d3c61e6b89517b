/** Shorter texts repeat too little to matter. */
const TEXT_CHARACTERS_MIN = 48;
/** At this distance, a probe of some characters is taken from the text and searched for within the reach that follows it. */
const PROBE_DISTANCE = 32;
const PROBE_CHARACTERS = 12;
const REACH_CHARACTERS = 240;
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
  let blanked = "";
  let copied = 0;
  for (let at = 0; at + PROBE_DISTANCE < text.length; ) {
    const probe = text.slice(at, at + PROBE_CHARACTERS);
    // The last reach of a text need not be cut out of it.
    const period =
      at + REACH_CHARACTERS >= text.length
        ? text.indexOf(probe, at + 1) - at
        : text.slice(at + 1, at + REACH_CHARACTERS).indexOf(probe) + 1;
    if (period <= 0) {
      at += PROBE_DISTANCE;
      continue;
    }
    let end = at + period;
    while (end < text.length && text.charCodeAt(end) === text.charCodeAt(end - period)) end++;
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
