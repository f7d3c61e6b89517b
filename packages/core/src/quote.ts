import { createAudioEstimator, NO_AUDIO } from "./audio-length.ts";
import { type Attachment, attachmentsOf, type Conversation, textOfContent } from "./conversation.ts";
import { TokenCounter } from "./count-tokens.ts";
import { base64ByteLength } from "./data-url.ts";
import type { Inference } from "./inference.ts";
import type { Model } from "./model.ts";
import { type ModelTraits, traitsOf } from "./model-traits.ts";
import { fastPriceOf } from "./price.ts";
import type { AudioLength, Candidate, Quote } from "./route.ts";

/** The assumed maximum output when neither the client nor the model sets a limit. */
const DEFAULT_OUTPUT_TOKENS = 4_096;
/** The usual output when nothing is known about it. */
const TYPICAL_OUTPUT_TOKENS = 256;

/** The usual number of output tokens of a model's answer to this request; undefined: unknown. */
type ExpectedOutputLength = (model: Model, traits: ModelTraits) => number | undefined;

/**
 * Quotes one request for any model. The text is counted once for all models. A model with an unknown price gets no
 * quote, and a model without a quote is never called.
 */
export function createQuoter(
  inference: Inference,
  expectedOutputLength: ExpectedOutputLength = () => undefined,
): (model: Model, traits?: ModelTraits) => Quote | undefined {
  const inputTokens = countInputTokens(inference);
  const attachedTokens = estimateAttachmentTokens(inference.conversation);
  const { maxTokens, choices = 1 } = inference.parameters;
  const hears = inference.task.kind === "transcription";
  const isBatch = inference.batch !== undefined;
  // Most requests neither have audio attached nor ask for it.
  const isSilent = inference.task.kind !== "audio" && attachmentsOf(inference.conversation).length === 0;
  let audioOf: ((model: Model) => AudioLength) | undefined;
  return (model, traits = traitsOf(model)) => {
    const terms = isBatch ? traits.batchTerms : traits.terms;
    if (terms === undefined) return undefined;
    const { price, rates } = terms;
    const { type } = model;
    const givesWords = type === "text" || type === "multimodal" || hears;
    const maxOutputTokens = maxTokens ?? model.maxOutputTokens ?? (givesWords ? DEFAULT_OUTPUT_TOKENS : 0);
    const usualOutputTokens = expectedOutputTokens(maxOutputTokens, expectedOutputLength(model, traits));
    audioOf ??= isSilent && type !== "audio" ? undefined : createAudioEstimator(inference);
    const audio = audioOf === undefined ? NO_AUDIO : audioOf(model);
    const used = quotedUsage;
    used.inputTokens = inputTokens;
    used.cachedInputTokens = 0;
    used.cacheWriteTokens = 0;
    used.outputTokens = usualOutputTokens * choices;
    used.images = type === "image" ? choices : 0;
    used.audioMs = audio.spokenMs + audio.heardMs;
    const estimate = fastPriceOf(price, used, rates);
    const allInput = inputTokens + attachedTokens;
    used.inputTokens = allInput;
    used.cachedInputTokens = terms.assumesCacheRead ? allInput : 0;
    used.cacheWriteTokens = terms.assumesCacheWrite ? allInput : 0;
    used.outputTokens = maxOutputTokens * choices;
    used.audioMs = audio.maxSpokenMs + audio.maxHeardMs;
    const worst = fastPriceOf(price, used, rates);
    return {
      price,
      discount: terms.discount,
      inputTokens,
      attachedTokens,
      maxOutputTokens,
      usualOutputTokens,
      audio,
      estimate,
      worst,
    };
  };
}

/** Written for every quote, and read at once. */
const quotedUsage = {
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  images: 0,
  audioMs: 0,
};

/** A usual length in whole tokens, at most the requested maximum. */
function expectedOutputTokens(most: number, usual: number | undefined): number {
  return Math.min(most, usual === undefined ? TYPICAL_OUTPUT_TOKENS : Math.max(1, Math.round(usual)));
}

/**
 * Our own count of everything that is sent as text, which quotes are based on: the count of all texts, tool definitions
 * and the answer's schema, joined by line breaks. They are counted one by one, because joining them takes longer.
 */
export function countInputTokens({ conversation }: Pick<Inference, "conversation">): number {
  const { messages, tools, answerForm } = conversation;
  const counter = new TokenCounter();
  let isFirst = true;
  for (let at = 0; at < messages.length; at++) {
    const content = messages[at]?.content ?? [];
    for (let index = 0; index < content.length; index++) {
      const piece = content[index];
      const text = piece === undefined ? "" : textOfContent(piece);
      if (text === "") continue;
      if (!isFirst) counter.add("\n");
      isFirst = false;
      counter.add(text);
    }
  }
  for (const { name, description, inputSchema, strict } of tools) {
    counter.add("\n");
    counter.add(JSON.stringify({ name, description, inputSchema, strict }));
  }
  if (answerForm !== undefined) {
    counter.add("\n");
    counter.add(JSON.stringify(answerForm));
  }
  return counter.tokens;
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
  let tokens = 0;
  for (const attachment of attachmentsOf(conversation)) tokens += attachmentTokens(attachment);
  return tokens;
}

function attachmentTokens({ kind, url }: Attachment): number {
  if (kind === "image") return IMAGE_TOKENS;
  if (kind === "audio") return 0;
  if (!/^data:/i.test(url)) return REMOTE_FILE_TOKENS;
  return Math.max(FILE_TOKENS_MIN, Math.ceil(base64ByteLength(url) / BYTES_PER_FILE_TOKEN));
}
