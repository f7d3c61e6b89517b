import { textOf } from "../domain/conversation.ts";
import type { Inference } from "../domain/inference.ts";
import type { Model } from "../domain/model.ts";
import type { Quote } from "../domain/route.ts";
import { attachedTokens } from "./attached-tokens.ts";
import { audioGauge } from "./audio-length.ts";
import { countTokens } from "./count-tokens.ts";
import { priceOf } from "./price.ts";

/** The longest answer that is reckoned with when neither the client nor the model sets a limit. */
const DEFAULT_OUTPUT_TOKENS = 4_096;
/** How long an answer usually is. One number for all until the router learns it per task and model. */
const USUAL_OUTPUT_TOKENS = 256;

/**
 * Quotes one request for any model. The text is counted once, however many models are asked about. A price that is not
 * known gives no quote, and a model without a quote is never called.
 */
export function quoter(inference: Inference): (model: Model) => Quote | undefined {
  const inputTokens = countTokens(wordsSentWith(inference));
  const attached = attachedTokens(inference.conversation);
  const choices = inference.parameters.choices ?? 1;
  const hears = inference.task.kind === "transcription";
  const audioOf = audioGauge(inference);
  return (model) => {
    const { price } = model;
    if (price === undefined) return undefined;
    const givesWords = model.type === "text" || model.type === "multimodal" || hears;
    const images = model.type === "image" ? choices : 0;
    const maxOutputTokens =
      inference.parameters.maxTokens ?? model.maxOutputTokens ?? (givesWords ? DEFAULT_OUTPUT_TOKENS : 0);
    const usualOutputTokens = Math.min(maxOutputTokens, USUAL_OUTPUT_TOKENS);
    const audio = audioOf(model);
    const usual = {
      inputTokens,
      cachedInputTokens: 0,
      outputTokens: usualOutputTokens * choices,
      images,
      audioMs: audio.spokenMs + audio.heardMs,
    };
    const worst = {
      inputTokens: inputTokens + attached,
      // A cache is a discount that may not be given, unless it is dearer: then all of the input may come out of it.
      cachedInputTokens:
        (price.cachedInputPerMillion ?? 0n) > price.inputPerMillion ? inputTokens + attached : 0,
      outputTokens: maxOutputTokens * choices,
      images,
      audioMs: audio.maxSpokenMs + audio.maxHeardMs,
    };
    return {
      price,
      inputTokens,
      attachedTokens: attached,
      maxOutputTokens,
      audio,
      estimate: priceOf(price, usual),
      worst: priceOf(price, worst),
    };
  };
}

/** All that a provider reads as words: also what the tools are for, and the form that the answer must have. */
function wordsSentWith({ conversation }: Inference): string {
  const { tools, answerForm } = conversation;
  const definitions = [
    ...tools.map(({ cache: _, ...tool }) => tool),
    ...(answerForm === undefined ? [] : [answerForm]),
  ];
  return [textOf(conversation), ...definitions.map((definition) => JSON.stringify(definition))].join("\n");
}
