import { brokenDataRule, type DataClaim, type DataRules, joinDataRules } from "@trunkline/core/data-rules.ts";
import { LruMap } from "@trunkline/core/lru-map.ts";
import { JudgeFailure, type ModerationJudge } from "@trunkline/core/verdict.ts";
import { readSafetyModel } from "@trunkline/guard/classifier/bundled-model.ts";
import { createTrainedDetector } from "@trunkline/guard/classifier/trained-detector.ts";
import { createExternalJudge } from "@trunkline/guard/judge/external-judge.ts";
import { CallerGuardCache } from "@trunkline/guard/policy/caller-guard.ts";
import type { SecondOpinion } from "@trunkline/guard/policy/guard.ts";
import { withRepeatedTexts } from "@trunkline/guard/policy/repeated-texts.ts";
import { endpointJudge } from "@trunkline/providers/moderation-judges/endpoint-judge.ts";
import { modelJudge } from "@trunkline/providers/moderation-judges/model-judge.ts";
import { JUDGE_FORMATS } from "@trunkline/providers/moderation-judges/moderation-formats.ts";
import type { JudgeConfig } from "./config/config-file.ts";
import type { ProviderServices, Services } from "./services.ts";

type SafetyOptions = Pick<Services, "clock" | "metrics" | "settings" | "warnThrottled" | "providers">;

/** Creates the safety check. It applies the service's current rules together with those of the caller. */
export function createSafety(options: SafetyOptions): Services["guardFor"] {
  const detector = withRepeatedTexts(createTrainedDetector(readSafetyModel()));
  const guards = new CallerGuardCache(detector, secondOpinionOf(options, undefined));
  // A judge is another provider: it gets a text only where the caller's data rules allow it.
  const guardsByRules = new LruMap<string, CallerGuardCache>(DATA_RULES_MAX);
  return ({ safety, dataRules: callerRules }, requestRules) => {
    const dataRules = joinDataRules(callerRules, requestRules);
    if (dataRules === undefined) return guards.guardFor(options.settings.safety, safety);
    const key = JSON.stringify(dataRules);
    let bound = guardsByRules.get(key);
    if (bound === undefined) {
      bound = new CallerGuardCache(detector, secondOpinionOf(options, dataRules));
      guardsByRules.set(key, bound);
    }
    return bound.guardFor(options.settings.safety, safety);
  };
}

/** How many different data rules have guards of their own at a time. */
const DATA_RULES_MAX = 200;

/** Returns the judge of the current settings, as the same object until they change. */
function secondOpinionOf(options: SafetyOptions, rules: DataRules | undefined): () => SecondOpinion | undefined {
  const { clock, metrics, warnThrottled } = options;
  const createJudge = (judge: JudgeConfig): SecondOpinion =>
    createExternalJudge({
      ...judge,
      moderationJudge: withDataRules(judgeOf(options.providers, judge.by), rules, () =>
        claimOf(options.providers, judge.by),
      ),
      clock,
      onOpinion: (opinion, asked) => metrics.observeOpinion(opinion, asked),
      onError: (error) => warnThrottled(error, "The moderation judge gave no opinion."),
    });
  let known: JudgeConfig | undefined;
  let opinion: SecondOpinion | undefined;
  return () => {
    const { judge } = options.settings;
    if (judge !== known) opinion = judge === undefined ? undefined : createJudge(judge);
    known = judge;
    return opinion;
  };
}

/** A judge that does not keep the rules is not asked: the setting for judges that give no opinion then decides. */
export function withDataRules(
  judge: ModerationJudge,
  rules: DataRules | undefined,
  readClaim: () => DataClaim | undefined,
): ModerationJudge {
  if (rules === undefined) return judge;
  return {
    categories: judge.categories,
    async ask(question, signal) {
      const broken = brokenDataRule(rules, readClaim());
      if (broken !== undefined) throw new JudgeFailure("unreachable", `the data rules leave it out: ${broken}`);
      return judge.ask(question, signal);
    },
  };
}

function claimOf({ catalogue }: ProviderServices, by: JudgeConfig["by"]): DataClaim | undefined {
  return typeof by === "string" ? catalogue.byName(by)[0]?.dataClaim : by.dataClaim;
}

function judgeOf({ catalogue, adapterFor, health, dialer }: ProviderServices, by: JudgeConfig["by"]): ModerationJudge {
  if (typeof by === "string") return modelJudge({ name: by, catalogue, adapterFor, health });
  const { kind, url, key, model } = by;
  return endpointJudge({ dialer, url, key, model, format: JUDGE_FORMATS[kind] });
}
