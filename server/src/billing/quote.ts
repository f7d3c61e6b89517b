import { textOf } from "../domain/conversation.ts";
import type { Inference } from "../domain/inference.ts";
import type { Model } from "../domain/model.ts";
import type { Quote } from "../domain/route.ts";
import { countTokens } from "./count-tokens.ts";
import { priceOf } from "./price.ts";

/** The longest answer that is reckoned with when neither the client nor the model sets a limit. */
const DEFAULT_OUTPUT_TOKENS = 4_096;
/** How long an answer usually is. One number for all until the router learns it per task and model. */
const USUAL_OUTPUT_TOKENS = 256;

/** Quotes one request for any model. The text is counted once, however many models are asked about. */
export function quoter(inference: Inference): (model: Model) => Quote {
  const inputTokens = countTokens(textOf(inference.conversation));
  return (model) => {
    const isMedia = model.type === "image" || model.type === "audio";
    const images = model.type === "image" ? 1 : 0;
    const maxOutputTokens =
      inference.parameters.maxTokens ?? model.maxOutputTokens ?? (isMedia ? 0 : DEFAULT_OUTPUT_TOKENS);
    const usualOutputTokens = Math.min(maxOutputTokens, USUAL_OUTPUT_TOKENS);
    return {
      inputTokens,
      maxOutputTokens,
      estimate: priceOf(model.price, { inputTokens, outputTokens: usualOutputTokens, images }),
      worst: priceOf(model.price, { inputTokens, outputTokens: maxOutputTokens, images }),
    };
  };
}
