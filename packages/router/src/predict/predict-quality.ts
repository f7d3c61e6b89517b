import type { Model } from "@trunkline/core/model.ts";
import type { Fit } from "./fit-task.ts";

/** What a model without any claim is taken for. */
const UNKNOWN_QUALITY = 0.5;

/** How much of the way to perfect a model that lists the work is moved. */
const LISTED_GAIN = 0.2;
const RELATED_GAIN = 0.1;

/** What is left of a model's claim for work that it does not list while it lists other work. */
const OTHER_WORK_FACTOR = 0.95;

/**
 * How good this model's answer to this request will be, 0 to 1.
 * Until there are outcomes to learn from, this is the provider's claim, moved by how well the work fits.
 */
export function claimedQualityOfModel(model: Model, fit: Fit): number {
  return claimedQuality(model.accuracyScore, fit);
}

/** A claim, 0 to 1, moved by how well the work fits; undefined: nobody claims anything. */
export function claimedQuality(claim: number | undefined, fit: Fit): number {
  const claimed = claim ?? UNKNOWN_QUALITY;
  switch (fit) {
    case "listed":
      return claimed + LISTED_GAIN * (1 - claimed);
    case "related":
      return claimed + RELATED_GAIN * (1 - claimed);
    case "other":
      return claimed * OTHER_WORK_FACTOR;
    case "unsaid":
      return claimed;
  }
}
