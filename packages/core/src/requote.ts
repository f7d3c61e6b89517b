import type { Inference } from "./inference.ts";
import type { Model } from "./model.ts";
import { createQuoter } from "./quote.ts";
import type { Candidate, Quote } from "./route.ts";

/**
 * Quotes candidates for a request that became longer, as one that goes on with an answer is. It is counted once, however
 * many are asked about. Whoever can't read all of it is not asked.
 */
export function createRequoter(): (candidate: Candidate, inference: Inference) => Candidate | undefined {
  let asked: Inference | undefined;
  let quoteOf: (model: Model) => Quote | undefined = () => undefined;
  return (candidate, inference) => {
    if (asked !== inference) quoteOf = createQuoter(inference);
    asked = inference;
    const { model } = candidate;
    const quote = quoteOf(model);
    if (quote === undefined || quote.inputTokens > (model.contextWindow ?? Number.POSITIVE_INFINITY))
      return undefined;
    return {
      ...candidate,
      quote,
      // A spread copies only what is its own: its reasons are put into words when somebody asks for them.
      get reasons() {
        return candidate.reasons;
      },
    };
  };
}
