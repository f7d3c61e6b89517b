import type { ModerationJudge } from "@trunkline/core/verdict.ts";
import { readSafetyModel } from "@trunkline/guard/classifier/bundled-model.ts";
import { createTrainedDetector } from "@trunkline/guard/classifier/trained-detector.ts";
import { createExternalJudge } from "@trunkline/guard/judge/external-judge.ts";
import { CallerGuardCache } from "@trunkline/guard/policy/caller-guard.ts";
import type { SecondOpinion } from "@trunkline/guard/policy/guard.ts";
import { endpointJudge } from "@trunkline/providers/moderation-judges/endpoint-judge.ts";
import { modelJudge } from "@trunkline/providers/moderation-judges/model-judge.ts";
import { JUDGE_FORMATS } from "@trunkline/providers/moderation-judges/moderation-formats.ts";
import type { JudgeConfig } from "./config/config-file.ts";
import type { Services } from "./services.ts";

type SafetyOptions = Pick<
  Services,
  "clock" | "dialer" | "catalogue" | "adapterFor" | "health" | "metrics" | "settings" | "warnThrottled"
>;

/** The safety check: what is seen in a text, judged by the rules that hold for a caller at that moment. */
export function createSafety(options: SafetyOptions): Pick<Services, "guardFor"> {
  const guards = new CallerGuardCache(createTrainedDetector(readSafetyModel()), secondOpinionOf(options));
  return { guardFor: ({ safety }) => guards.guardFor(options.settings.safety, safety) };
}

/** The judge of the current settings: the same object for as long as they do not change. */
function secondOpinionOf(options: SafetyOptions): () => SecondOpinion | undefined {
  const { clock, metrics, warnThrottled } = options;
  const made = (terms: JudgeConfig): SecondOpinion =>
    createExternalJudge({
      ...terms,
      moderationJudge: judgeOf(options, terms.by),
      clock,
      onOpinion: (opinion, asked) => metrics.observeOpinion(opinion, asked),
      onError: (error) => warnThrottled(error, "The moderation judge gave no opinion."),
    });
  let known: JudgeConfig | undefined;
  let opinion: SecondOpinion | undefined;
  return () => {
    const { judge } = options.settings;
    if (judge !== known) opinion = judge === undefined ? undefined : made(judge);
    known = judge;
    return opinion;
  };
}

function judgeOf({ catalogue, adapterFor, health, dialer }: SafetyOptions, by: JudgeConfig["by"]): ModerationJudge {
  if (typeof by === "string") return modelJudge({ name: by, catalogue, adapterFor, health });
  const { kind, url, key, model } = by;
  return endpointJudge({ dialer, url, key, model, format: JUDGE_FORMATS[kind] });
}
