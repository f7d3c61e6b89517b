import type { Inference } from "../domain/inference.ts";
import type { Model } from "../domain/model.ts";
import type { Health, Quote } from "../domain/route.ts";
import { expectedLatencyMs } from "./expected-latency.ts";
import { type Fit, fitTask } from "./fit-task.ts";
import type { TierKind } from "./list-tiers.ts";
import { predictQuality } from "./predict-quality.ts";

/** A model that can serve the request if there is money for it, with what it is ranked by. */
export interface Prospect {
  readonly model: Model;
  readonly quote: Quote;
  readonly health: Health;
  readonly fit: Fit;
  /** 0 to 1, predicted for this request. */
  readonly quality: number;
  /** Expected for the whole answer. */
  readonly latencyMs: number;
  readonly tier: TierKind;
}

/** Puts together all that is known and predicted of one model for one request. */
export function assess(
  model: Model,
  inference: Inference,
  { quote, health, tier }: Pick<Prospect, "quote" | "health" | "tier">,
): Prospect {
  const fit = fitTask(model, inference.task);
  const quality = predictQuality(model, inference, fit);
  const latencyMs = expectedLatencyMs(model, health, quote);
  return { model, quote, health, fit, quality, latencyMs, tier };
}
