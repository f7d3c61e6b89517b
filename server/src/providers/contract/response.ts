import type { FinishPart, MediaPart, Part, UsagePart } from "../../domain/answer.ts";
import { ProviderFailure } from "../../domain/attempt.ts";
import type { Model } from "../../domain/model.ts";
import type { JsonObject } from "../http/json-frames.ts";
import { failureOf, wordsOf } from "../http/refusal.ts";

/** Who answers, and how many vectors it owes where it makes embeddings. */
type Answering = Pick<Model, "type" | "credential"> & { readonly texts?: number };

/**
 * Turns the objects of an answer into parts, be it one whole answer or a stream of deltas. A whole answer is held
 * back until nothing more can come, so that it is never half an answer.
 */
export class AnswerReader {
  readonly #model: Answering;
  #whole: readonly Part[] | undefined;
  #hasDelta = false;
  #usage: UsagePart | undefined;
  #finish: FinishPart = { type: "finish", reason: "stop" };
  #done = false;

  constructor(model: Answering) {
    this.#model = model;
  }

  /** Whether the provider has said that this was all. */
  get done(): boolean {
    return this.#done;
  }

  /** The parts that can be passed on after this object. */
  take(frame: JsonObject): readonly Part[] {
    if (this.#done) return [];
    if (isPresent(frame.error) && frame.error !== "" && frame.error !== false)
      throw this.#failureOf(frame.error);
    const parts: Part[] = [];
    if (isPresent(frame.delta)) parts.push(...this.#takeDelta(frame.delta));
    if (isPresent(frame.output)) this.#takeOutput(frame.output);
    if (isObject(frame.usage)) this.#usage = toUsage(frame.usage);
    if (isPresent(frame.finish_reason)) this.#finish = toFinish(frame.finish_reason);
    if (frame.done !== true) return parts;
    return [...parts, ...this.#close()];
  }

  /** The parts that are left when the body is over. */
  end(): readonly Part[] {
    if (this.#done) return [];
    if (this.#whole !== undefined) return this.#close();
    throw this.#hasDelta
      ? new ProviderFailure("broken", "ended its stream before it was done")
      : missingOutput();
  }

  #close(): readonly Part[] {
    this.#done = true;
    const isMediaModel = this.#model.type === "image" || this.#model.type === "audio";
    if (this.#whole === undefined && !this.#hasDelta && isMediaModel) throw missingOutput();
    // The count goes first: where moderation stops at the words, what the provider did is known all the same.
    return [...(this.#usage === undefined ? [] : [this.#usage]), ...(this.#whole ?? []), this.#finish];
  }

  #takeDelta(delta: unknown): readonly Part[] {
    if (typeof delta !== "string") throw new ProviderFailure("broken", "sent a delta that is not a string");
    if (this.#whole !== undefined) throw new ProviderFailure("broken", "sent more after its whole answer");
    this.#hasDelta = true;
    return toTextParts(delta);
  }

  #takeOutput(output: unknown): void {
    // At the end of a stream some repeat all of it.
    if (this.#hasDelta) return;
    if (this.#whole !== undefined) throw new ProviderFailure("broken", "sent more after its whole answer");
    this.#whole = toOutputParts(output, this.#model);
  }

  #failureOf(error: unknown): ProviderFailure {
    const code = isObject(error) ? Number(error.code) : Number.NaN;
    return failureOf({
      code: Number.isInteger(code) && code >= 400 && code < 600 ? code : undefined,
      said: "reported an error",
      words: wordsOf(error, this.#model.credential),
      retryAfterSeconds: undefined,
    });
  }
}

function toOutputParts(output: unknown, { type, texts = 1 }: Answering): readonly Part[] {
  if (type === "embedding") return toEmbeddings(output, texts);
  if (typeof output === "string") {
    if (type !== "image" && type !== "audio") return toTextParts(output);
    if (!looksLikeUrl(output))
      throw new ProviderFailure("broken", `answered with text where an ${type} was asked for`);
    const url = output.trim();
    return [toMedia(type, url, { [`${type}_url`]: url })];
  }
  if (!isObject(output)) throw missingOutput();
  const parts: Part[] = [];
  if (isPresent(output.image_url)) parts.push(toMedia("image", output.image_url, output));
  if (isPresent(output.audio_url)) parts.push(toMedia("audio", output.audio_url, output));
  if (parts.length === 0) throw missingOutput();
  return parts;
}

/** One vector for one text, or a list of them for a list. */
function toEmbeddings(output: unknown, texts: number): readonly Part[] {
  if (!Array.isArray(output) || output.length === 0) throw missingOutput();
  const vectors: readonly unknown[] = output.every(Array.isArray) ? output : [output];
  if (vectors.length !== texts)
    throw new ProviderFailure("broken", `answered with ${vectors.length} vectors for ${texts} texts`);
  return vectors.map((vector, index) => {
    if (!isVector(vector))
      throw new ProviderFailure("broken", "answered with a vector that is not all numbers");
    return { type: "embedding", index, vector };
  });
}

function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every((entry) => Number.isFinite(entry));
}

function toMedia(kind: MediaPart["kind"], url: unknown, source: JsonObject): MediaPart {
  if (typeof url !== "string" || !isMediaUrl(url)) {
    throw new ProviderFailure("broken", `answered with an ${kind} URL that is neither http nor data`);
  }
  return { type: "media", kind, url, source };
}

/** A data URL can be megabytes long, so that it is told by its start; the others are short enough to be parsed. */
function isMediaUrl(text: string): boolean {
  if (/^data:/i.test(text)) return true;
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

/** One word with a scheme in front, as opposed to a sentence. */
function looksLikeUrl(text: string): boolean {
  return /^\s*[a-z][a-z0-9+.-]*:/i.test(text) && !/\S\s+\S/.test(text.slice(0, 200));
}

function toTextParts(text: string): readonly Part[] {
  return text === "" ? [] : [{ type: "text", text }];
}

function toUsage(usage: JsonObject): UsagePart {
  const { input_tokens: inputTokens, output_tokens: outputTokens } = usage;
  const { cached_input_tokens: cachedInputTokens, seconds } = usage;
  return {
    type: "usage",
    inputTokens,
    outputTokens,
    ...(isPresent(cachedInputTokens) ? { cachedInputTokens } : {}),
    ...(isPresent(seconds) ? { seconds } : {}),
  };
}

function toFinish(reason: unknown): FinishPart {
  return { type: "finish", reason: reason === "length" || reason === "max_tokens" ? "length" : "stop" };
}

function missingOutput(): ProviderFailure {
  return new ProviderFailure("broken", "the answer has no output");
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
