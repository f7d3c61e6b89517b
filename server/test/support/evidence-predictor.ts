import { fullNameOf } from "@trunkline/core/model.ts";
import { metadataPredictor, type Predictor } from "@trunkline/router/predict/predictor.ts";
import { tallyOf } from "@trunkline/testing/tally-of.ts";
import type { RoutingServices } from "../../src/app/services.ts";

/** The weight of the claim, in outcomes: the first outcomes move the prediction little. */
const PRIOR_WEIGHT = 10;

/** Predicts by what providers claim, and by nothing else but the outcomes in a request's own task. */
export function evidencePredictor({ evidence }: Pick<RoutingServices, "evidence">): Predictor {
  return {
    ...metadataPredictor,
    predict(model, promptFeatures, fit, accountId) {
      const claimed = metadataPredictor.predict(model, promptFeatures, fit, accountId);
      const { own, shared } = tallyOf(evidence, accountId, fullNameOf(model), promptFeatures.domain);
      const weight = own.weight + shared.weight;
      const quality = claimed.quality + (own.surplus + shared.surplus) / (weight + PRIOR_WEIGHT);
      const unlearnt = claimed.quality;
      return { ...claimed, quality: Math.max(0, Math.min(quality, 1)), unlearnt, evidence: weight };
    },
  };
}
