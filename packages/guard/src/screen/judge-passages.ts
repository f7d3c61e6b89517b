import type { Channel, Verdict } from "@trunkline/core/verdict.ts";
import type { Guard } from "../policy/guard.ts";
import type { JudgedPassage } from "../policy/second-opinion.ts";
import { Turn } from "../resumable.ts";
import { judgeLong, PIECE_CHARACTERS } from "./judge-long.ts";

/**
 * Judges texts that belong together, each by itself. Where they leave doubts and there is a judge outside, it is asked about
 * all of these at once; where one of them is refused already, there is nothing left to ask.
 */
export async function judgePassages(guard: Guard, passages: readonly JudgedPassage[]): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  const turn = new Turn();
  let judged = 0;
  for (const { text, channel } of passages) {
    verdicts.push(await judgeLong(guard, text, channel, turn));
    judged += text.length;
    if (judged < PIECE_CHARACTERS) continue;
    judged = 0;
    await turn.pass();
  }
  const { settleDoubts } = guard;
  if (settleDoubts === undefined || verdicts.some(({ action }) => action === "refuse")) return verdicts;
  return settleDoubts(passages, verdicts);
}

/** Judges one text of any length, with a second opinion where it leaves doubts. */
export async function judgeText(guard: Guard, text: string, channel: Channel): Promise<Verdict> {
  const [verdict] = await judgePassages(guard, [{ text, channel }]);
  return verdict ?? guard.judge(text, channel);
}
