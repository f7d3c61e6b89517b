import { attachedTokens } from "./attached-tokens.ts";
import { audioGauge } from "./audio-length.ts";
import { textOf } from "./conversation.ts";
import { countTokens } from "./count-tokens.ts";
import type { Inference } from "./inference.ts";
import type { Model, Price } from "./model.ts";
import { lessDiscount } from "./price.ts";
import { priceQuickly } from "./price-quickly.ts";
import type { Quote } from "./route.ts";

/** The longest answer that is reckoned with when neither the client nor the model sets a limit. */
const DEFAULT_OUTPUT_TOKENS = 4_096;
/** How long an answer usually is, where nothing is known of that. */
const USUAL_OUTPUT_TOKENS = 256;

/** How many output tokens a model's answer to this request usually has; undefined: nothing is known of it. */
export type UsualLength = (model: Model) => number | undefined;

/**
 * Quotes one request for any model. The text is counted once, however many models are asked about. A price that is not
 * known gives no quote, and a model without a quote is never called.
 */
export function quoter(
  inference: Inference,
  usualLength: UsualLength = () => undefined,
): (model: Model) => Quote | undefined {
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
    const usualOutputTokens = within(maxOutputTokens, usualLength(model));
    const audio = audioOf(model);
    return {
      price,
      discount: discount === 0 ? undefined : discount,
      inputTokens,
      attachedTokens: attached,
      maxOutputTokens,
      usualOutputTokens,
      audio,
      estimate: priceQuickly(price, {
        inputTokens,
        cachedInputTokens: 0,
        cacheWriteTokens: 0,
        outputTokens: usualOutputTokens * choices,
        images,
        audioMs: audio.spokenMs + audio.heardMs,
      }),
      worst: priceQuickly(price, {
        inputTokens: inputTokens + attached,
        cachedInputTokens: goesOutOfCache(price) ? inputTokens + attached : 0,
        cacheWriteTokens: goesIntoCache(price) ? inputTokens + attached : 0,
        outputTokens: maxOutputTokens * choices,
        images,
        audioMs: audio.maxSpokenMs + audio.maxHeardMs,
      }),
    };
  };
}

/** A usual length in whole tokens, at most what is asked for. */
function within(most: number, usual: number | undefined): number {
  return Math.min(most, usual === undefined ? USUAL_OUTPUT_TOKENS : Math.max(1, Math.round(usual)));
}

/** Our own count of all that is sent: what a request is quoted by. */
export function countInput(inference: Pick<Inference, "conversation">): number {
  return countTokens(wordsSentWith(inference));
}

/** All that a provider reads as words: also what the tools are for, and the form that the answer must have. */
function wordsSentWith({ conversation }: Pick<Inference, "conversation">): string {
  const { tools, answerForm } = conversation;
  if (tools.length === 0 && answerForm === undefined) return textOf(conversation);
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

/** A cache is a discount that may not be given. Where it is dearer, all of the input may go into it, or come out of it. */
function goesIntoCache({ inputPerMillion, cachedInputPerMillion, cacheWritePerMillion }: Price): boolean {
  if (cacheWritePerMillion === undefined || cacheWritePerMillion <= inputPerMillion) return false;
  return cachedInputPerMillion === undefined || cacheWritePerMillion > cachedInputPerMillion;
}

function goesOutOfCache(price: Price): boolean {
  const { inputPerMillion, cachedInputPerMillion } = price;
  if (cachedInputPerMillion === undefined || cachedInputPerMillion <= inputPerMillion) return false;
  return !goesIntoCache(price);
}
