import type { Clock } from "@trunkline/core/clock.ts";
import type { Judge, JudgeAnswer } from "@trunkline/core/judge.ts";
import type { JudgeFailureKind, Opinion } from "@trunkline/core/opinion.ts";
import type { SafetyCategory } from "@trunkline/core/safety-category.ts";
import type { Verdict } from "@trunkline/core/verdict.ts";
import type { JudgedPassage, SecondOpinion, Weigher } from "../policy/second-opinion.ts";
import { type Doubts, type DoubtTerms, doubtsOf } from "./doubts.ts";
import { excerptOf } from "./excerpt.ts";
import { JudgeLine } from "./judge-line.ts";
import { applyAnswer, applyFailure } from "./settle-doubts.ts";

/** Of one request so many texts are asked about, its last ones: whatever is beyond counts as not answered. */
const PASSAGES_MAX = 8;

/** What a second opinion is made of. */
export interface OutsideJudgeParts extends DoubtTerms {
  readonly judge: Judge;
  readonly clock: Clock;
  readonly timeBoxMs: number;
  /** How many texts may be with the judge in one moment. */
  readonly atOnce: number;
  /** open: without an answer our own verdict stands. closed: what is doubtful is refused. */
  readonly onFailure: "open" | "closed";
  /** Hears of each opinion, and of the answer where the judge was really asked for it. */
  readonly onOpinion: (opinion: Opinion, asked: JudgeAnswer | undefined) => void;
  /** Hears why a judge could not be asked, for those who run the service. */
  readonly onFault: (error: unknown) => void;
}

/** The second opinion of a judge outside, on those of its categories that it can tell of. */
export function outsideJudge(parts: OutsideJudgeParts): SecondOpinion {
  const told = parts.categories.filter((category) => parts.judge.tells.includes(category));
  const terms: DoubtTerms = { categories: told, band: parts.band };
  const line = new JudgeLine(parts);

  async function hearOne(
    weigher: Weigher,
    { text, channel }: JudgedPassage,
    verdict: Verdict,
    doubts: Doubts,
  ): Promise<Verdict> {
    const excerpt = excerptOf(text, verdict.spans);
    const startedMs = parts.clock.monotonicMs();
    const { answer, failure, remembered } = await line.ask({ text: excerpt.text, channel });
    const ms = parts.clock.monotonicMs() - startedMs;
    if (answer === undefined) return without(weigher, verdict, doubts, failure, ms);
    // A judge that was shown a disguise, or a part, has not seen all that we saw.
    const mayLower = excerpt.isWhole && verdict.normalised.length === 0;
    const settled = applyAnswer(weigher, verdict, doubts, { scores: answer.scores, mayLower });
    const opinion: Opinion = {
      result: settled.result,
      doubts,
      said: pick(answer.scores, doubts),
      ms,
      remembered,
    };
    parts.onOpinion(opinion, remembered ? undefined : answer);
    return { ...settled.verdict, opinions: [opinion] };
  }

  function without(
    weigher: Weigher,
    verdict: Verdict,
    doubts: Doubts,
    why: JudgeFailureKind,
    ms: number,
  ): Verdict {
    const opinion: Opinion = { result: "failed", why, doubts, said: {}, ms, remembered: false };
    parts.onOpinion(opinion, undefined);
    const settled = parts.onFailure === "open" ? verdict : applyFailure(weigher, verdict, doubts);
    return { ...settled, opinions: [opinion] };
  }

  return {
    under: (weigher) => async (passages, verdicts) => {
      let left = PASSAGES_MAX;
      const settled = verdicts.map((verdict, index) => ({ verdict, passage: passages[index] })).reverse();
      const heard = settled.map(async ({ verdict, passage }): Promise<Verdict> => {
        // An answer that is judged while it comes can't wait for anybody.
        if (passage === undefined || passage.channel === "output") return verdict;
        const doubts = doubtsOf(weigher.policy, verdict, terms);
        if (doubts === undefined) return verdict;
        left -= 1;
        return left < 0
          ? without(weigher, verdict, doubts, "busy", 0)
          : hearOne(weigher, passage, verdict, doubts);
      });
      return (await Promise.all(heard)).reverse();
    },
  };
}

function pick(scores: JudgeAnswer["scores"], doubts: Doubts): Partial<Record<SafetyCategory, number>> {
  return Object.fromEntries(Object.entries(scores).filter(([category]) => Object.hasOwn(doubts, category)));
}
