import { setImmediate } from "node:timers/promises";
import type { Channel, Verdict } from "../domain/verdict.ts";
import type { Guard } from "./guard.ts";
import { VerdictTally } from "./verdict-tally.ts";

/** What is judged in one go: a few milliseconds of work at the most. */
const PIECE_CHARACTERS = 8192;
/** How much of a piece the next one reads again, so that nothing hides in a cut. */
const OVERLAP_CHARACTERS = 512;
/** A cut falls between words if one ends within this. */
const WORD_REACH = 64;

/** Judges a text of any length, piece by piece, and lets others have their turn in between. */
export async function judgeLong(guard: Guard, text: string, channel: Channel): Promise<Verdict> {
  if (text.length <= PIECE_CHARACTERS) return guard.judge(text, channel);
  const tally = new VerdictTally();
  for (let start = 0; start < text.length; ) {
    const end = cutAt(text, start + PIECE_CHARACTERS);
    tally.add(guard.judge(text.slice(start, end), channel), start);
    if (end === text.length) break;
    start = end - OVERLAP_CHARACTERS;
    await setImmediate();
  }
  return tally.verdict();
}

function cutAt(text: string, wanted: number): number {
  if (wanted >= text.length) return text.length;
  for (let at = wanted; at > wanted - WORD_REACH; at -= 1) {
    if (/\s/.test(text.charAt(at))) return at;
  }
  return wanted;
}
