import type { ModerationJudge } from "@trunkline/core/verdict.ts";
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
  const guards = new CallerGuardCache(
    withRepeatedTexts(createTrainedDetector(readSafetyModel())),
    secondOpinionOf(options),
  );
  return ({ safety }) => guards.guardFor(options.settings.safety, safety);
}

/** Returns the judge of the current settings, as the same object until they change. */
function secondOpinionOf(options: SafetyOptions): () => SecondOpinion | undefined {
  const { clock, metrics, warnThrottled } = options;
  const createJudge = (judge: JudgeConfig): SecondOpinion =>
    createExternalJudge({
      ...judge,
      moderationJudge: judgeOf(options.providers, judge.by),
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

function judgeOf({ catalogue, adapterFor, health, dialer }: ProviderServices, by: JudgeConfig["by"]): ModerationJudge {
  if (typeof by === "string") return modelJudge({ name: by, catalogue, adapterFor, health });
  const { kind, url, key, model } = by;
  return endpointJudge({ dialer, url, key, model, format: JUDGE_FORMATS[kind] });
}
