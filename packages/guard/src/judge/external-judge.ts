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

/** The number of texts per request that are sent to the judge, the last ones first. The others count as unanswered. */
const PASSAGES_PER_REQUEST_MAX = 8;

/** The dependencies and settings of an external judge. */
export interface ExternalJudgeOptions extends UncertaintyOptions {
  readonly moderationJudge: ModerationJudge;
  readonly clock: Clock;
  readonly timeBoxMs: number;
  /** The maximum number of concurrent calls to the judge. */
  readonly atOnce: number;
  /** open: without a response our own verdict stands. closed: uncertain texts are refused. */
  readonly onFailure: "open" | "closed";
  /** Called with each opinion, and with the response unless it came from the cache. */
  readonly onOpinion: (opinion: Opinion, asked: JudgeResponse | undefined) => void;
  /** Called with the error when a judge cannot be reached, for the operator's log. */
  readonly onError: (error: unknown) => void;
}

/** Creates a SecondOpinion from an external judge, for the categories that the judge supports. */
export function createExternalJudge(options: ExternalJudgeOptions): SecondOpinion {
  const categories = options.categories.filter((category) => options.moderationJudge.categories.includes(category));
  const uncertaintyOptions: UncertaintyOptions = { categories, band: options.band };
  const client = new JudgeClient(options);

  async function askJudge(
    policyEvaluator: PolicyEvaluator,
    { text, channel }: TextPassage,
    verdict: Verdict,
    doubts: UncertainScores,
  ): Promise<Verdict> {
    const excerpt = createExcerpt(text, verdict.spans);
    const startedMs = options.clock.monotonicMs();
    const { answer, failure, remembered } = await client.ask({ text: excerpt.text, channel });
    const ms = options.clock.monotonicMs() - startedMs;
    if (answer === undefined) return withoutResponse(policyEvaluator, verdict, doubts, failure, ms);
    // A judge that saw only a part, or a disguised text, has not seen everything that was scored.
    const mayLower = excerpt.isWhole && verdict.normalised.length === 0;
    const settled = applyJudgeResponse(policyEvaluator, verdict, doubts, { scores: answer.scores, mayLower });
    const opinion: Opinion = {
      result: settled.result,
      doubts,
      said: pickUncertain(answer.scores, doubts),
      ms,
      remembered,
    };
    options.onOpinion(opinion, remembered ? undefined : answer);
    return { ...settled.verdict, opinions: [opinion] };
  }

  function withoutResponse(
    policyEvaluator: PolicyEvaluator,
    verdict: Verdict,
    doubts: UncertainScores,
    why: JudgeFailureKind,
    ms: number,
  ): Verdict {
    const opinion: Opinion = { result: "failed", why, doubts, said: {}, ms, remembered: false };
    options.onOpinion(opinion, undefined);
    const settled = options.onFailure === "open" ? verdict : applyJudgeFailure(policyEvaluator, verdict, doubts);
    return { ...settled, opinions: [opinion] };
  }

  return {
    resolverFor: (policyEvaluator) => async (passages, verdicts) => {
      let left = PASSAGES_PER_REQUEST_MAX;
      const settled = verdicts.map((verdict, index) => ({ verdict, passage: passages[index] })).reverse();
      const resolved = settled.map(async ({ verdict, passage }): Promise<Verdict> => {
        // An answer is screened while it streams and cannot wait for a judge.
        if (passage === undefined || passage.channel === "output") return verdict;
        const doubts = findUncertainScores(policyEvaluator.policy, verdict, uncertaintyOptions);
        if (doubts === undefined) return verdict;
        left -= 1;
        return left < 0
          ? withoutResponse(policyEvaluator, verdict, doubts, "busy", 0)
          : askJudge(policyEvaluator, passage, verdict, doubts);
      });
      return (await Promise.all(resolved)).reverse();
    },
  };
}

function pickUncertain(
  scores: JudgeResponse["scores"],
  doubts: UncertainScores,
): Partial<Record<SafetyCategory, number>> {
  return Object.fromEntries(Object.entries(scores).filter(([category]) => Object.hasOwn(doubts, category)));
}
