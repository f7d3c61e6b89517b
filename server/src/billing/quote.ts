import { textOf } from "../domain/conversation.ts";
import type { Inference } from "../domain/inference.ts";
import type { Model, Price } from "../domain/model.ts";
import type { Quote } from "../domain/route.ts";
import { attachedTokens } from "./attached-tokens.ts";
import { audioGauge } from "./audio-length.ts";
import { countTokens } from "./count-tokens.ts";
import { lessDiscount, priceOf, type Usage } from "./price.ts";

/** The longest answer that is reckoned with when neither the client nor the model sets a limit. */
const DEFAULT_OUTPUT_TOKENS = 4_096;
/** How long an answer usually is. One number for all until the router learns it per task and model. */
const USUAL_OUTPUT_TOKENS = 256;

/**
 * Quotes one request for any model. The text is counted once, however many models are asked about. A price that is not
 * known gives no quote, and a model without a quote is never called.
 */
export function quoter(inference: Inference): (model: Model) => Quote | undefined {
  const inputTokens = countInput(inference);
  const attached = attachedTokens(inference.conversation);
  const choices = inference.parameters.choices ?? 1;
  const hears = inference.task.kind === "transcription";
  const audioOf = audioGauge(inference);
  return (model) => {
    if (model.price === undefined) return undefined;
    const discount = inference.batch === undefined ? 0 : (model.batchDiscount ?? 0);
    const price = discount === 0 ? model.price : lessDiscount(model.price, discount);
    const givesWords = model.type === "text" || model.type === "multimodal" || hears;
    const images = model.type === "image" ? choices : 0;
    const maxOutputTokens =
      inference.parameters.maxTokens ?? model.maxOutputTokens ?? (givesWords ? DEFAULT_OUTPUT_TOKENS : 0);
    const usualOutputTokens = Math.min(maxOutputTokens, USUAL_OUTPUT_TOKENS);
    const audio = audioOf(model);
    const usual = {
      inputTokens,
      ...NO_CACHE,
      outputTokens: usualOutputTokens * choices,
      images,
      audioMs: audio.spokenMs + audio.heardMs,
    };
    const worst = {
      inputTokens: inputTokens + attached,
      ...worstCache(price, inputTokens + attached),
      outputTokens: maxOutputTokens * choices,
      images,
      audioMs: audio.maxSpokenMs + audio.maxHeardMs,
    };
    return {
      price,
      ...(discount === 0 ? {} : { discount }),
      inputTokens,
      attachedTokens: attached,
      maxOutputTokens,
      audio,
      estimate: priceOf(price, usual),
      worst: priceOf(price, worst),
    };
  };
}

/** Our own count of all that is sent: what a request is quoted by. */
export function countInput(inference: Pick<Inference, "conversation">): number {
  return countTokens(wordsSentWith(inference));
}

/** All that a provider reads as words: also what the tools are for, and the form that the answer must have. */
function wordsSentWith({ conversation }: Pick<Inference, "conversation">): string {
  const { tools, answerForm } = conversation;
  const definitions = [
    ...tools.map(({ name, description, inputSchema, strict }) => ({
      name,
      description,
      inputSchema,
      strict,
    })),
    ...(answerForm === undefined ? [] : [answerForm]),
  ];
  return [textOf(conversation), ...definitions.map((definition) => JSON.stringify(definition))].join("\n");
}

const NO_CACHE = { cachedInputTokens: 0, cacheWriteTokens: 0 } as const;

/** A cache is a discount that may not be given. Where it is dearer, all of the input may go into it, or come out of it. */
function worstCache(
  { inputPerMillion, cachedInputPerMillion = 0n, cacheWritePerMillion = 0n }: Price,
  inputTokens: number,
): Pick<Usage, "cachedInputTokens" | "cacheWriteTokens"> {
  if (inputPerMillion >= cachedInputPerMillion && inputPerMillion >= cacheWritePerMillion) return NO_CACHE;
  return cacheWritePerMillion > cachedInputPerMillion
    ? { cachedInputTokens: 0, cacheWriteTokens: inputTokens }
    : { cachedInputTokens: inputTokens, cacheWriteTokens: 0 };
}
