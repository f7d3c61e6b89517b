import { isObject, isPresent, type JsonObject } from "@trunkline/core/json-object.ts";
import type { Model } from "@trunkline/core/model.ts";
import type { EmbeddingPart, FinishPart, MediaPart, Part, UsagePart } from "@trunkline/core/parts.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { readMediaUrl } from "../../http/media-url.ts";
import { errorMessageOf, toProviderFailure } from "../../http/provider-error.ts";
import { toEmbeddings } from "../../http/wire-format.ts";
import { type ExpectedAnswer, readToolCalls, TextAnswerParser } from "./text-answer-parser.ts";

type AnsweringModel = Pick<Model, "type" | "credential"> & Partial<Pick<Model, "mayDialPrivate">>;

const PLAIN_TEXT: ExpectedAnswer = { tools: [] };

/**
 * Turns the objects of an answer into parts, one whole answer or a stream of deltas. A whole answer is held back until
 * it is complete, so that it is never half an answer.
 */
export class NativeResponseReader {
  readonly #model: AnsweringModel;
  readonly #tools: ExpectedAnswer["tools"];
  readonly #inputs: number;
  readonly #text: TextAnswerParser;
  #whole: readonly Part[] | undefined;
  #hasDelta = false;
  #hasCalls = false;
  #usage: UsagePart | undefined;
  #finish: FinishPart = { type: "finish", reason: "stop" };
  #done = false;

  /** For an answer to this request, with this many inputs. */
  constructor(model: AnsweringModel, expectedAnswer: ExpectedAnswer = PLAIN_TEXT, inputs = 1) {
    this.#model = model;
    this.#tools = expectedAnswer.tools;
    this.#inputs = inputs;
    this.#text = new TextAnswerParser(expectedAnswer);
  }

  /** Whether the provider has signalled the end of the answer. */
  get done(): boolean {
    return this.#done;
  }

  /** Adds the parts that are complete after this object; none where it has an error. */
  take(frame: JsonObject, into: Part[]): void {
    if (this.#done) return;
    if (isPresent(frame.error) && frame.error !== "" && frame.error !== false) throw this.#failureOf(frame.error);
    const parts: Part[] = [];
    if (isPresent(frame.delta)) parts.push(...this.#takeDelta(frame.delta));
    if ("output" in frame && isPresent(frame.output ?? frame.tool_calls)) this.#takeOutput(frame);
    else if (isPresent(frame.tool_calls)) parts.push(...this.#takeStreamedCalls(frame.tool_calls));
    if (isObject(frame.usage)) this.#usage = toUsage(frame.usage);
    if (isPresent(frame.finish_reason)) this.#finish = toFinish(frame.finish_reason);
    if (frame.done === true) parts.push(...this.#close());
    into.push(...parts);
  }

  /** The remaining parts at the end of the body. */
  end(): readonly Part[] {
    if (this.#done) return [];
    if (this.#whole !== undefined) return this.#close();
    throw this.#hasDelta ? new ProviderFailure("broken", "ended its stream before it was done") : noOutput();
  }

  #close(): readonly Part[] {
    this.#done = true;
    const { type } = this.#model;
    if (this.#whole === undefined && !this.#hasDelta && type !== "text" && type !== "multimodal") throw noOutput();
    const rest = this.#trackToolCalls(this.#whole ?? this.#text.end());
    const finish: FinishPart = this.#hasCalls ? { type: "finish", reason: "tool-calls" } : this.#finish;
    // Usage goes first: where moderation stops the text, it is known all the same.
    return [...(this.#usage === undefined ? [] : [this.#usage]), ...rest, finish];
  }

  #takeDelta(delta: unknown): readonly Part[] {
    if (typeof delta !== "string") throw new ProviderFailure("broken", "sent a delta that is not a string");
    if (this.#whole !== undefined) throw outputAfterEnd();
    this.#hasDelta = true;
    return this.#text.push(delta);
  }

  #takeStreamedCalls(list: unknown): readonly Part[] {
    if (this.#whole !== undefined) throw outputAfterEnd();
    this.#hasDelta = true;
    return this.#trackToolCalls([...this.#text.end(), ...this.#toToolCalls(list)]);
  }

  #takeOutput({ output, tool_calls: calls }: JsonObject): void {
    // Some providers repeat the whole answer at the end of a stream.
    if (this.#hasDelta) return;
    if (this.#whole !== undefined) throw outputAfterEnd();
    this.#whole = [
      ...(isPresent(output) ? this.#toOutputParts(output) : []),
      ...(isPresent(calls) ? this.#toToolCalls(calls) : []),
    ];
  }

  #toOutputParts(output: unknown): readonly Part[] {
    const { type } = this.#model;
    if (type === "embedding") return readEmbeddings(output, this.#inputs);
    if (typeof output === "string" && type !== "image" && type !== "audio") return this.#toTextParts(output);
    if (isObject(output) && isPresent(output.tool_calls)) {
      const words = typeof output.text === "string" ? this.#toTextParts(output.text) : [];
      return [...words, ...this.#toToolCalls(output.tool_calls)];
    }
    return toMediaParts(output, this.#model);
  }

  #toTextParts(text: string): readonly Part[] {
    return [...this.#text.push(text), ...this.#text.end()];
  }

  /** The calls of a provider that supports tools natively. */
  #toToolCalls(list: unknown): readonly Part[] {
    const calls = readToolCalls(list, (name) => this.#tools.some((tool) => tool.name === name));
    if (calls !== undefined) return calls;
    throw new ProviderFailure("broken", "sent tool calls that can't be read, or of tools that it was not given");
  }

  #trackToolCalls(parts: readonly Part[]): readonly Part[] {
    if (parts.some(({ type }) => type === "tool-call")) this.#hasCalls = true;
    return parts;
  }

  #failureOf(error: unknown): ProviderFailure {
    const code = isObject(error) ? Number(error.code) : Number.NaN;
    return toProviderFailure({
      code: Number.isInteger(code) && code >= 400 && code < 600 ? code : undefined,
      description: "reported an error",
      message: errorMessageOf(error, this.#model.credential),
      retryAfterSeconds: undefined,
    });
  }
}

function toMediaParts(output: unknown, { type, mayDialPrivate = false }: AnsweringModel): readonly Part[] {
  if (typeof output === "string" && (type === "image" || type === "audio")) {
    if (!looksLikeUrl(output)) throw new ProviderFailure("broken", `answered with text where an ${type} was asked for`);
    const url = output.trim();
    return [toMedia(type, url, { [`${type}_url`]: url }, mayDialPrivate)];
  }
  if (!isObject(output)) throw noOutput();
  const parts: Part[] = [];
  if (isPresent(output.image_url)) parts.push(toMedia("image", output.image_url, output, mayDialPrivate));
  if (isPresent(output.audio_url)) parts.push(toMedia("audio", output.audio_url, output, mayDialPrivate));
  if (parts.length === 0) throw noOutput();
  return parts;
}

function toMedia(kind: MediaPart["kind"], url: unknown, source: JsonObject, mayBePrivate: boolean): MediaPart {
  if (typeof url !== "string")
    throw new ProviderFailure("broken", `answered with an ${kind} URL that is neither https to a public host nor data`);
  const normal = readMediaUrl(url, kind, mayBePrivate);
  return { type: "media", kind, url: normal, source: { ...source, [`${kind}_url`]: normal } };
}

/** One word with a scheme, as opposed to a sentence. */
function looksLikeUrl(text: string): boolean {
  return /^\s*[a-z][a-z0-9+.-]*:/i.test(text) && !/\S\s+\S/.test(text.slice(0, 200));
}

function toUsage(usage: JsonObject): UsagePart {
  const { input_tokens: inputTokens, output_tokens: outputTokens } = usage;
  const { cached_input_tokens: cachedInputTokens, cache_write_tokens: cacheWriteTokens } = usage;
  const { reasoning_tokens: reasoningTokens, seconds } = usage;
  return {
    type: "usage",
    inputTokens,
    outputTokens,
    ...(isPresent(cachedInputTokens) ? { cachedInputTokens } : {}),
    ...(isPresent(cacheWriteTokens) ? { cacheWriteTokens } : {}),
    ...(isPresent(reasoningTokens) ? { reasoningTokens } : {}),
    ...(isPresent(seconds) ? { seconds } : {}),
  };
}

function toFinish(reason: unknown): FinishPart {
  if (reason === "length" || reason === "max_tokens") return { type: "finish", reason: "length" };
  if (reason === "content_filter" || reason === "refused") return { type: "finish", reason: "refused" };
  return { type: "finish", reason: "stop" };
}

function noOutput(): ProviderFailure {
  return new ProviderFailure("broken", "the answer has no output");
}

function outputAfterEnd(): ProviderFailure {
  return new ProviderFailure("broken", "sent more after its whole answer");
}

/** The vectors of an answer: `embedding` for one, `embeddings` for one per input, or these lists directly. */
export function readEmbeddings(output: unknown, inputs: number): readonly EmbeddingPart[] {
  if (!isObject(output) && !Array.isArray(output)) throw new ProviderFailure("broken", "the answer has no output");
  const list = isObject(output) ? (output.embeddings ?? [output.embedding]) : output;
  const vectors: readonly unknown[] = Array.isArray(list) ? list : [];
  return toEmbeddings(typeof vectors[0] === "number" ? [vectors] : vectors, inputs);
}
