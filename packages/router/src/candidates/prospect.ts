import type { Model } from "@trunkline/core/model.ts";
import type { Prediction } from "@trunkline/core/prediction.ts";
import type { ExpectedTime, Health, Quote } from "@trunkline/core/route.ts";
import type { Fit } from "../predict/fit-task.ts";
import type { TierKind } from "./list-tiers.ts";

/** A model that can serve the request if there is money for it, with what it is ranked by. */
export interface EligibleModel {
  readonly model: Model;
  readonly quote: Quote;
  readonly health: Health;
  readonly fit: Fit;
  /** How good its answer to this request will be. */
  readonly prediction: Prediction;
  /** How long the whole answer will take. */
  readonly time: ExpectedTime;
  readonly tier: TierKind;
}
