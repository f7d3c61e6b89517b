import type { Channel, Verdict } from "@trunkline/core/verdict.ts";
import type { Guard, TextPassage } from "../policy/guard.ts";
import { VerdictTally } from "../policy/verdict-tally.ts";
import { RESUMABLE_MIN_CHARACTERS, TimeSlice } from "../resumable.ts";

/**
 * Judges texts that belong together, each by itself. Where they leave doubts and there is a judge outside, it is asked about
 * all of these at once; where one of them is refused already, there is nothing left to ask.
 */
export async function evaluatePassages(guard: Guard, passages: readonly TextPassage[]): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  const timeSlice = new TimeSlice();
  let judged = 0;
  for (const { text, channel } of passages) {
    verdicts.push(await evaluateLongText(guard, text, channel, timeSlice));
    judged += text.length;
    if (judged < PIECE_CHARACTERS) continue;
    judged = 0;
    await timeSlice.yieldToEventLoop();
  }
  const { resolveUncertainty: settleDoubts } = guard;
  if (settleDoubts === undefined || verdicts.some(({ action }) => action === "refuse")) return verdicts;
  return settleDoubts(passages, verdicts);
}

/** Judges one text of any length, with a second opinion where it leaves doubts. */
export async function evaluateText(guard: Guard, text: string, channel: Channel): Promise<Verdict> {
  const [verdict] = await evaluatePassages(guard, [{ text, channel }]);
  return verdict ?? guard.evaluate(text, channel);
}

/** What is judged as one text. */
export const PIECE_CHARACTERS = 4096;
/** How much of a piece the next one reads again, so that nothing hides in a cut. */
const OVERLAP_CHARACTERS = 512;
/** A piece begins and ends between words if a word ends within this. */
const WORD_REACH = 64;

/**
 * Judges a text of any length, piece by piece, and lets others have their turn in between. Where the cuts fall depends on
 * the text alone. A blob that is longer than a piece is decoded in pieces: decoders find out by themselves where a
 * piece of one begins to make sense.
 */
export async function evaluateLongText(
  guard: Guard,
  text: string,
  channel: Channel,
  timeSlice = new TimeSlice(),
): Promise<Verdict> {
  if (text.length < RESUMABLE_MIN_CHARACTERS) return guard.evaluate(text, channel);
  if (text.length <= PIECE_CHARACTERS) return timeSlice.run(guard.evaluateResumable(text, channel));
  const tally = new VerdictTally();
  for (let start = 0; start < text.length; ) {
    const end = pieceEnd(text, start + PIECE_CHARACTERS);
    tally.add(await timeSlice.run(guard.evaluateResumable(text.slice(start, end), channel)), start);
    if (end === text.length) break;
    start = pieceStart(text, end - OVERLAP_CHARACTERS);
    await timeSlice.yieldToEventLoop();
  }
  return tally.verdict();
}

function pieceEnd(text: string, wanted: number): number {
  if (wanted >= text.length) return text.length;
  for (let at = wanted; at > wanted - WORD_REACH; at -= 1) if (isSpace(text.charCodeAt(at))) return at;
  return isLowSurrogate(text.charCodeAt(wanted)) ? wanted - 1 : wanted;
}

function pieceStart(text: string, wanted: number): number {
  for (let at = wanted; at < wanted + WORD_REACH; at += 1) if (isSpace(text.charCodeAt(at))) return at + 1;
  return isLowSurrogate(text.charCodeAt(wanted)) ? wanted - 1 : wanted;
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0x3000;
}

/** Whether a cut before it would split a character in two. */
function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}
