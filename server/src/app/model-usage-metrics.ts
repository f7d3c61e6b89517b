import { cachedFullNameOf } from "@trunkline/core/model.ts";
import { toCredits } from "@trunkline/core/money.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { Registry } from "prom-client";
import { type CountedSeries, SeriesCounter } from "./metric-series.ts";

/** What requests used of one model. */
interface ModelSeries {
  readonly input: CountedSeries;
  readonly output: CountedSeries;
  readonly cost: CountedSeries;
}

/** Tokens and credits by model. Where several models made an answer, they count for the one that finished it. */
export class ModelUsageMetrics {
  readonly #tokens: SeriesCounter;
  readonly #cost: SeriesCounter;
  readonly #series = new Map<string, ModelSeries>();

  constructor(registry: Registry) {
    this.#tokens = new SeriesCounter(
      registry,
      "trunkline_model_tokens_total",
      "Tokens of answered requests by the model that finished the answer, and by direction.",
    );
    this.#cost = new SeriesCounter(
      registry,
      "trunkline_model_cost_credits_total",
      "Credits that requests were charged, by the model that finished the answer.",
    );
  }

  count({ charge, chosen, cache }: RequestTrace): void {
    // A cached answer was counted when it was made.
    if (charge === undefined || chosen === undefined || cache?.result === "hit") return;
    const model = cachedFullNameOf(chosen.model);
    let series = this.#series.get(model);
    if (series === undefined) {
      series = {
        input: this.#tokens.addSeries({ model, direction: "input" }),
        output: this.#tokens.addSeries({ model, direction: "output" }),
        cost: this.#cost.addSeries({ model }),
      };
      this.#series.set(model, series);
    }
    series.input.value += charge.inputTokens;
    series.output.value += charge.outputTokens;
    series.cost.value += toCredits(charge.cost);
  }
}
