import type { Judge } from "@trunkline/core/judge.ts";
import { readSafetyModel } from "@trunkline/guard/classifier/bundled-model.ts";
import { trainedDetector } from "@trunkline/guard/classifier/trained-detector.ts";
import { outsideJudge } from "@trunkline/guard/judge/external-judge.ts";
import { CallerGuards } from "@trunkline/guard/policy/caller-guard.ts";
import type { SecondOpinion } from "@trunkline/guard/policy/second-opinion.ts";
import { JUDGE_FORMATS } from "@trunkline/providers/moderation-judges/all-judge-formats.ts";
import { endpointJudge } from "@trunkline/providers/moderation-judges/endpoint-judge.ts";
import { modelJudge } from "@trunkline/providers/moderation-judges/model-judge.ts";
import type { JudgeConfig } from "./config/config-judge.ts";
import type { House } from "./services.ts";

type SafetySite = Pick<
  House,
  "clock" | "dialer" | "catalogue" | "adapterFor" | "health" | "metrics" | "settings" | "warnCalmly"
>;

/** The safety check: what is seen in a text, judged by the rules that hold for a caller at that moment. */
export function buildSafety(site: SafetySite): Pick<House, "guardFor"> {
  const guards = new CallerGuards(trainedDetector(readSafetyModel()), secondOpinionOf(site));
  return { guardFor: ({ safety }) => guards.guardFor(site.settings.safety, safety) };
}

/** Whoever is named as the judge at this moment: the same for as long as that does not change. */
function secondOpinionOf(site: SafetySite): () => SecondOpinion | undefined {
  const { clock, metrics, warnCalmly } = site;
  const made = (terms: JudgeConfig): SecondOpinion =>
    outsideJudge({
      ...terms,
      judge: judgeOf(site, terms.by),
      clock,
      onOpinion: (opinion, asked) => metrics.observeOpinion(opinion, asked),
      onFault: (error) => warnCalmly(error, "The judge of doubtful texts gave no opinion."),
    });
  let known: JudgeConfig | undefined;
  let opinion: SecondOpinion | undefined;
  return () => {
    const { judge } = site.settings;
    if (judge !== known) opinion = judge === undefined ? undefined : made(judge);
    known = judge;
    return opinion;
  };
}

function judgeOf({ catalogue, adapterFor, health, clock, dialer }: SafetySite, by: JudgeConfig["by"]): Judge {
  if (typeof by === "string") return modelJudge({ name: by, catalogue, adapterFor, health, clock });
  const { kind, url, key, model } = by;
  return endpointJudge({ dialer, url, key, model, format: JUDGE_FORMATS[kind] });
}
