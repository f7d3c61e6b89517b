import type { Channel, Verdict } from "@trunkline/core/verdict.ts";
import type { Guard } from "../policy/guard.ts";
import type { TextPassage } from "../policy/second-opinion.ts";
import { TimeSlice } from "../resumable.ts";
import { evaluateLongText, PIECE_CHARACTERS } from "./judge-long.ts";

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
