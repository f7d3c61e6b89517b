import type { ProviderCall } from "@trunkline/core/adapter.ts";
import { isObject, type JsonObject, objectField, objectItems } from "@trunkline/core/json-object.ts";
import type { Part, UsagePart } from "@trunkline/core/parts.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import type { AnswerObjectReader } from "../../http/json-answer-reader.ts";
import { tooManyAnswersFailure } from "../../http/provider-error.ts";
import { ChoiceReader } from "./chat-choice.ts";
import { failureIn } from "./errors.ts";

type ChatCall = Pick<ProviderCall, "model" | "inference" | "requestId">;

/**
 * Turns the objects of a chat completion into parts, whole or in chunks. Text is passed on immediately. Tool calls,
 * usage and finish are passed on together when the provider has signalled the end.
 */
export class ChatCompletionReader implements AnswerObjectReader {
  readonly #chatCall: ChatCall;
  /** In the order in which they came. */
  #choiceReaders: readonly ChoiceReader[] = NO_READERS;
  #whole: Part[] | undefined;
  #hasDelta = false;
  #usage: UsagePart | undefined;
  #done = false;
  gaveTextAlone = false;

  constructor(chatCall: ChatCall) {
    this.#chatCall = chatCall;
  }

  get done(): boolean {
    return this.#done;
  }

  take(chunk: JsonObject, parts: Part[]): void {
    this.gaveTextAlone = false;
    const failure = failureIn(chunk, this.#chatCall.model.credential);
    if (failure !== undefined) throw failure;
    const usage = chunk.usage ?? objectField(chunk, "x_groq").usage;
    const hasUsage = isObject(usage);
    if (hasUsage) this.#usage = toUsage(usage);
    const entries = objectItems(chunk.choices);
    for (let at = 0; at < entries.length; at++) {
      const entry = entries[at] as JsonObject;
      const choiceReader = this.#choiceOf(entry);
      if (isObject(entry.message) && !isObject(entry.delta)) this.#takeWhole(choiceReader, entry);
      else this.gaveTextAlone = choiceReader.read(entry, parts) && entries.length === 1;
      this.#hasDelta ||= isObject(entry.delta);
    }
    this.gaveTextAlone &&= !hasUsage && chunk.done !== true;
    if (chunk.done === true) for (const part of this.#close()) parts.push(part);
  }

  end(): readonly Part[] {
    if (this.#done) return [];
    const choiceReaders = this.#choiceReaders;
    const isWhole = this.#whole !== undefined;
    const { choices: requested = 1 } = this.#chatCall.inference.parameters;
    const isFinished = choiceReaders.length >= requested && choiceReaders.every(({ isFinished }) => isFinished);
    // Not every provider marks the end of a stream. Then each answer needs a finish reason.
    if (choiceReaders.length > 0 && !isWhole && !isFinished)
      throw new ProviderFailure("broken", "ended its stream before it was done");
    return this.#close();
  }

  #choiceOf({ index }: JsonObject): ChoiceReader {
    const place = typeof index === "number" && Number.isSafeInteger(index) && index >= 0 ? index : 0;
    for (const known of this.#choiceReaders) if (known.index === place) return known;
    const { inference, requestId } = this.#chatCall;
    const { choices = 1, stop } = inference.parameters;
    // Each choice is buffered and screened separately: only the client decides how many there may be.
    if (place >= choices) throw tooManyAnswersFailure();
    const choiceReader = new ChoiceReader(place, stop ?? NO_STOPS, requestId);
    this.#choiceReaders = this.#choiceReaders.length === 0 ? [choiceReader] : [...this.#choiceReaders, choiceReader];
    return choiceReader;
  }

  /**
   * A whole answer is held back until its end, so that usage can come before it. Some providers repeat the whole answer
   * at the end of a stream: then only its finish reason is new.
   */
  #takeWhole(choiceReader: ChoiceReader, entry: JsonObject): void {
    if (this.#hasDelta) choiceReader.read({ ...entry, message: {}, logprobs: undefined }, []);
    else {
      this.#whole ??= [];
      choiceReader.read(entry, this.#whole);
    }
  }

  #close(): readonly Part[] {
    if (this.#choiceReaders.length === 0) throw new ProviderFailure("broken", "the answer has no output");
    this.#done = true;
    const parts = this.#whole ?? [];
    // Usage of a whole answer goes first: where moderation stops the text, it is known all the same.
    if (this.#whole !== undefined && this.#usage !== undefined) parts.unshift(this.#usage);
    for (const choiceReader of this.#choiceReaders) choiceReader.collectInto(parts);
    if (this.#whole === undefined && this.#usage !== undefined) parts.push(this.#usage);
    for (const choiceReader of this.#choiceReaders) parts.push(choiceReader.finish());
    return parts;
  }
}

const NO_READERS: readonly ChoiceReader[] = [];
const NO_STOPS: readonly string[] = [];

/** Reads an answer that is one object. It is parsed when it has arrived completely. */
export class SingleObjectReader implements AnswerObjectReader {
  readonly done = false;
  readonly #credential: Secret | undefined;
  readonly #read: (body: JsonObject) => readonly Part[];
  #body: JsonObject | undefined;

  constructor(credential: Secret | undefined, read: (body: JsonObject) => readonly Part[]) {
    this.#credential = credential;
    this.#read = read;
  }

  take(body: JsonObject): void {
    const failure = failureIn(body, this.#credential);
    if (failure !== undefined) throw failure;
    this.#body ??= body;
  }

  end(): readonly Part[] {
    if (this.#body === undefined) throw new ProviderFailure("broken", "the answer has no output");
    return [...this.#read(this.#body), { type: "finish", reason: "stop" }];
  }
}

/**
 * Usage as a provider reports it. Chats call it prompt and completion, images and speech call it input and output, and
 * the field for cached input differs by provider.
 */
export function toUsage(usage: JsonObject): UsagePart {
  const inputDetails = objectField(usage, "input_tokens" in usage ? "input_tokens_details" : "prompt_tokens_details");
  const outputDetails = objectField(
    usage,
    "output_tokens" in usage ? "output_tokens_details" : "completion_tokens_details",
  );
  const inputTokens = usage.prompt_tokens ?? usage.input_tokens;
  const reasoningTokens = outputDetails.reasoning_tokens ?? undefined;
  const outputTokens = usage.completion_tokens ?? usage.output_tokens;
  const cachedInputTokens =
    inputDetails.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens ?? undefined;
  const cacheWriteTokens = inputDetails.cache_write_tokens ?? undefined;
  const seconds = usage.seconds ?? undefined;
  return {
    type: "usage",
    inputTokens,
    outputTokens: withReasoningTokens(usage.total_tokens, inputTokens, outputTokens, reasoningTokens),
    cachedInputTokens,
    cacheWriteTokens,
    reasoningTokens,
    seconds,
  };
}

/** Some providers count reasoning separately from output. Their total reveals that. */
function withReasoningTokens(total: unknown, input: unknown, output: unknown, thoughts: unknown): unknown {
  const areNumbers =
    typeof total === "number" &&
    typeof input === "number" &&
    typeof output === "number" &&
    typeof thoughts === "number";
  if (!areNumbers || thoughts === 0) return output;
  const sum = Number(output) + Number(thoughts);
  return total === Number(input) + sum ? sum : output;
}
