import { createAudioEstimator } from "./audio-length.ts";
import { type Attachment, attachmentsOf, type Conversation, textOf } from "./conversation.ts";
import { countTokens } from "./count-tokens.ts";
import { base64ByteLength } from "./data-url.ts";
import type { Inference } from "./inference.ts";
import type { Model, Price } from "./model.ts";
import { discountedPrice, fastPriceOf } from "./price.ts";
import type { Candidate, Quote } from "./route.ts";

/** The assumed maximum output when neither the client nor the model sets a limit. */
const DEFAULT_OUTPUT_TOKENS = 4_096;
/** The usual output when nothing is known about it. */
const TYPICAL_OUTPUT_TOKENS = 256;

/** The usual number of output tokens of a model's answer to this request; undefined: unknown. */
type ExpectedOutputLength = (model: Model) => number | undefined;

/**
 * Quotes one request for any model. The text is counted once for all models. A model with an unknown price gets no
 * quote, and a model without a quote is never called.
 */
export function createQuoter(
  inference: Inference,
  expectedOutputLength: ExpectedOutputLength = () => undefined,
): (model: Model) => Quote | undefined {
  const inputTokens = countInputTokens(inference);
  const attached = estimateAttachmentTokens(inference.conversation);
  const choices = inference.parameters.choices ?? 1;
  const hears = inference.task.kind === "transcription";
  const audioOf = createAudioEstimator(inference);
  return (model) => {
    if (model.price === undefined) return undefined;
    const discount = inference.batch === undefined ? 0 : (model.batchDiscount ?? 0);
    const price = discount === 0 ? model.price : discountedPrice(model.price, discount);
    const givesWords = model.type === "text" || model.type === "multimodal" || hears;
    const images = model.type === "image" ? choices : 0;
    const maxOutputTokens =
      inference.parameters.maxTokens ?? model.maxOutputTokens ?? (givesWords ? DEFAULT_OUTPUT_TOKENS : 0);
    const usualOutputTokens = expectedOutputTokens(maxOutputTokens, expectedOutputLength(model));
    const audio = audioOf(model);
    return {
      price,
      discount: discount === 0 ? undefined : discount,
      inputTokens,
      attachedTokens: attached,
      maxOutputTokens,
      usualOutputTokens,
      audio,
      estimate: fastPriceOf(price, {
        inputTokens,
        cachedInputTokens: 0,
        cacheWriteTokens: 0,
        outputTokens: usualOutputTokens * choices,
        images,
        audioMs: audio.spokenMs + audio.heardMs,
      }),
      worst: fastPriceOf(price, {
        inputTokens: inputTokens + attached,
        cachedInputTokens: assumesCacheRead(price) ? inputTokens + attached : 0,
        cacheWriteTokens: assumesCacheWrite(price) ? inputTokens + attached : 0,
        outputTokens: maxOutputTokens * choices,
        images,
        audioMs: audio.maxSpokenMs + audio.maxHeardMs,
      }),
    };
  };
}

/** A usual length in whole tokens, at most the requested maximum. */
function expectedOutputTokens(most: number, usual: number | undefined): number {
  return Math.min(most, usual === undefined ? TYPICAL_OUTPUT_TOKENS : Math.max(1, Math.round(usual)));
}

/** Our own count of everything that is sent, which quotes are based on. */
export function countInputTokens(inference: Pick<Inference, "conversation">): number {
  return countTokens(promptText(inference));
}

/** Everything that a provider reads as text, including tool definitions and the answer's schema. */
function promptText({ conversation }: Pick<Inference, "conversation">): string {
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

/** A cache discount is not guaranteed. Where cached input costs more, all of the input may be charged at that price. */
function assumesCacheWrite({ inputPerMillion, cachedInputPerMillion, cacheWritePerMillion }: Price): boolean {
  if (cacheWritePerMillion === undefined || cacheWritePerMillion <= inputPerMillion) return false;
  return cachedInputPerMillion === undefined || cacheWritePerMillion > cachedInputPerMillion;
}

function assumesCacheRead(price: Price): boolean {
  const { inputPerMillion, cachedInputPerMillion } = price;
  if (cachedInputPerMillion === undefined || cachedInputPerMillion <= inputPerMillion) return false;
  return !assumesCacheWrite(price);
}

/**
 * Quotes candidates for a request that became longer, because it continues an answer. The text is counted once for all
 * candidates. A candidate whose context window is too small gets no quote.
 */
export function createRequoter(): (candidate: Candidate, inference: Inference) => Candidate | undefined {
  let asked: Inference | undefined;
  let quoteOf: (model: Model) => Quote | undefined = () => undefined;
  return (candidate, inference) => {
    if (asked !== inference) quoteOf = createQuoter(inference);
    asked = inference;
    const { model } = candidate;
    const quote = quoteOf(model);
    if (quote === undefined || quote.inputTokens > (model.contextWindow ?? Number.POSITIVE_INFINITY)) return undefined;
    return { ...candidate, quote };
  };
}

/** What the most expensive current models count for one image in high detail. */
const IMAGE_TOKENS = 2_000;
/** A document's text is at most about an eighth of its bytes, and each page counts as an image besides. */
const BYTES_PER_FILE_TOKEN = 8;
const FILE_TOKENS_MIN = 3_000;
/** For a file behind a URL, which only the provider fetches. */
const REMOTE_FILE_TOKENS = 20_000;

/**
 * How many tokens a provider may count for attachments. Only the provider knows the number: this much is held for it,
 * and a reported count within a few times of it is accepted. Audio is charged by the second and estimated separately.
 */
export function estimateAttachmentTokens(conversation: Conversation): number {
  return attachmentsOf(conversation).reduce((total, attachment) => total + attachmentTokens(attachment), 0);
}

function attachmentTokens({ kind, url }: Attachment): number {
  if (kind === "image") return IMAGE_TOKENS;
  if (kind === "audio") return 0;
  if (!/^data:/i.test(url)) return REMOTE_FILE_TOKENS;
  return Math.max(FILE_TOKENS_MIN, Math.ceil(base64ByteLength(url) / BYTES_PER_FILE_TOKEN));
}
