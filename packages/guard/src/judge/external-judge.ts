import type { Clock } from "@trunkline/core/clock.ts";
import type { SafetyCategory } from "@trunkline/core/safety-policy.ts";
import type { JudgeFailureKind, JudgeResponse, ModerationJudge, Opinion, Verdict } from "@trunkline/core/verdict.ts";
import type { PolicyEvaluator, SecondOpinion, TextPassage } from "../policy/guard.ts";
import { createExcerpt } from "./excerpt.ts";
import { JudgeClient } from "./judge-client.ts";
import {
  applyJudgeFailure,
  applyJudgeResponse,
  findUncertainScores,
  type UncertainScores,
  type UncertaintyOptions,
} from "./resolve-uncertainty.ts";

/** Of one request so many texts are asked about, its last ones: whatever is beyond counts as not answered. */
const PASSAGES_PER_REQUEST_MAX = 8;

/** What a second opinion is made of. */
export interface ExternalJudgeOptions extends UncertaintyOptions {
  readonly moderationJudge: ModerationJudge;
  readonly clock: Clock;
  readonly timeBoxMs: number;
  /** How many texts may be with the judge in one moment. */
  readonly atOnce: number;
  /** open: without an answer our own verdict stands. closed: what is doubtful is refused. */
  readonly onFailure: "open" | "closed";
  /** Hears of each opinion, and of the answer where the judge was really asked for it. */
  readonly onOpinion: (opinion: Opinion, asked: JudgeResponse | undefined) => void;
  /** Hears why a judge could not be asked, for those who run the service. */
  readonly onError: (error: unknown) => void;
}

/** The second opinion of a judge outside, on those of its categories that it can tell of. */
export function createExternalJudge(parts: ExternalJudgeOptions): SecondOpinion {
  const told = parts.categories.filter((category) => parts.moderationJudge.categories.includes(category));
  const terms: UncertaintyOptions = { categories: told, band: parts.band };
  const line = new JudgeClient(parts);

  async function hearOne(
    policyEvaluator: PolicyEvaluator,
    { text, channel }: TextPassage,
    verdict: Verdict,
    doubts: UncertainScores,
  ): Promise<Verdict> {
    const excerpt = createExcerpt(text, verdict.spans);
    const startedMs = parts.clock.monotonicMs();
    const { answer, failure, remembered } = await line.ask({ text: excerpt.text, channel });
    const ms = parts.clock.monotonicMs() - startedMs;
    if (answer === undefined) return without(policyEvaluator, verdict, doubts, failure, ms);
    // A judge that was shown a disguise, or a part, has not seen all that we saw.
    const mayLower = excerpt.isWhole && verdict.normalised.length === 0;
    const settled = applyJudgeResponse(policyEvaluator, verdict, doubts, { scores: answer.scores, mayLower });
    const opinion: Opinion = {
      result: settled.result,
      doubts,
      said: pickUncertain(answer.scores, doubts),
      ms,
      remembered,
    };
    parts.onOpinion(opinion, remembered ? undefined : answer);
    return { ...settled.verdict, opinions: [opinion] };
  }

  function without(
    policyEvaluator: PolicyEvaluator,
    verdict: Verdict,
    doubts: UncertainScores,
    why: JudgeFailureKind,
    ms: number,
  ): Verdict {
    const opinion: Opinion = { result: "failed", why, doubts, said: {}, ms, remembered: false };
    parts.onOpinion(opinion, undefined);
    const settled = parts.onFailure === "open" ? verdict : applyJudgeFailure(policyEvaluator, verdict, doubts);
    return { ...settled, opinions: [opinion] };
  }

  return {
    resolverFor: (policyEvaluator) => async (passages, verdicts) => {
      let left = PASSAGES_PER_REQUEST_MAX;
      const settled = verdicts.map((verdict, index) => ({ verdict, passage: passages[index] })).reverse();
      const heard = settled.map(async ({ verdict, passage }): Promise<Verdict> => {
        // An answer that is judged while it comes can't wait for anybody.
        if (passage === undefined || passage.channel === "output") return verdict;
        const doubts = findUncertainScores(policyEvaluator.policy, verdict, terms);
        if (doubts === undefined) return verdict;
        left -= 1;
        return left < 0
          ? without(policyEvaluator, verdict, doubts, "busy", 0)
          : hearOne(policyEvaluator, passage, verdict, doubts);
      });
      return (await Promise.all(heard)).reverse();
    },
  };
}

function pickUncertain(
  scores: JudgeResponse["scores"],
  doubts: UncertainScores,
): Partial<Record<SafetyCategory, number>> {
  return Object.fromEntries(Object.entries(scores).filter(([category]) => Object.hasOwn(doubts, category)));
}
