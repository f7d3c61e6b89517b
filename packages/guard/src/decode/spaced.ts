import { letterIndex, measureFluency } from "./letter-model.ts";
import type { DecodedSpan } from "./piece.ts";
import type { EncodingScan, TextSpan } from "./survey.ts";
import { isKnownWord, segmentWords } from "./word-segmentation.ts";

const FLUENCY_MIN = 0.6;
const UNKNOWN_SHARE_MAX = 0.35;
const SPACED_LETTERS_PER_WORD_MIN = 2;
const SENTENCE_END = /[.,;:!?]/;
const UNKNOWN_LETTERS_MIN = 16;
const UNKNOWN_FLUENCY_MIN = 0.3;

/** Words whose letters stand apart: "i g n o r e", "i.g.n.o.r.e", or one below the other. */
export function findSpacedOutLetters(text: string, { spacedRuns }: EncodingScan): DecodedSpan[] {
  const found: DecodedSpan[] = [];
  for (const run of spacedRuns) {
    const usual = mostCommonGap(text, run.start, run.end);
    const read = decodeSpacedRun(text, run, usual);
    if (read === undefined) continue;
    // The mark at a sentence's end stands apart like the letters.
    const mark = text.startsWith(usual, run.end) ? text.charAt(run.end + usual.length) : "";
    const isEnd = SENTENCE_END.test(mark);
    found.push({
      start: run.start,
      end: isEnd ? run.end + usual.length + 1 : run.end,
      text: isEnd ? read + mark : read,
      undone: "spaced-letters",
    });
  }
  return found;
}

/** Wider gaps part words where there are any; otherwise the words are found by what they spell. */
function decodeSpacedRun(text: string, { start, end }: TextSpan, usual: string): string | undefined {
  let written = "";
  let words = "";
  let gap = "";
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (letterIndex(code) === 0) {
      gap += text.charAt(at);
      continue;
    }
    if (gap !== "" && gap !== usual) words += separatorForGap(gap, usual);
    gap = "";
    words += text.charAt(at);
    written += text.charAt(at);
  }
  const asParted = words.includes(" ") ? words : "";
  if (asParted !== "" && isMostlyKnownWords(asParted)) return asParted;
  const read = segmentWords(written);
  const unknown = read.filter((word) => !isKnownWord(word)).join("").length;
  const isRead =
    unknown <= written.length * UNKNOWN_SHARE_MAX &&
    written.length >= read.length * SPACED_LETTERS_PER_WORD_MIN;
  if (isRead) return read.join(" ");
  if (asParted !== "") return textIfFluent(asParted);
  // In other languages the words stay together; that they are words shows all the same.
  return written.length >= UNKNOWN_LETTERS_MIN && measureFluency(written).fluency >= UNKNOWN_FLUENCY_MIN
    ? written
    : undefined;
}

function isMostlyKnownWords(text: string): boolean {
  const words = text.toLowerCase().split(" ");
  const known = words.filter((word) => isKnownWord(word.replace(/[^a-z]+/g, ""))).length;
  return known >= words.length / 2 && words.some((word) => word.length > 2);
}

function textIfFluent(text: string): string | undefined {
  const { fluency, letters, words } = measureFluency(text);
  return fluency >= FLUENCY_MIN && letters >= words * SPACED_LETTERS_PER_WORD_MIN ? text : undefined;
}

/** What stands most often between two letters. */
function mostCommonGap(text: string, start: number, end: number): string {
  const counts = new Map<string, number>();
  let best = "";
  for (let at = start; at < end; at += 1) {
    if (letterIndex(text.charCodeAt(at)) > 0) continue;
    const from = at;
    while (at + 1 < end && letterIndex(text.charCodeAt(at + 1)) === 0) at += 1;
    const gap = text.slice(from, at + 1);
    const count = (counts.get(gap) ?? 0) + 1;
    counts.set(gap, count);
    if (count > (counts.get(best) ?? 0)) best = gap;
  }
  return best;
}

/** A gap that is not the usual one is a space, with the mark that it holds besides. */
function separatorForGap(gap: string, usual: string): string {
  const mark = /[.,;:!?]/.exec(gap)?.[0] ?? "";
  return usual.includes(mark) && usual.trim() !== "" ? " " : `${mark} `;
}
