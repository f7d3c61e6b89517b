import type { ProviderCall } from "@trunkline/core/adapter.ts";
import type { Part, UsagePart } from "@trunkline/core/parts.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import { isObject, objectField, objectItems } from "../../http/json-object.ts";
import type { AnswerObjectReader, JsonObject } from "../../http/json-stream.ts";
import { tooManyAnswersFailure } from "../../http/provider-error.ts";
import { ChoiceReader } from "./chat-choice.ts";
import { failureIn } from "./errors.ts";

type ChatCall = Pick<ProviderCall, "model" | "inference" | "requestId">;

/**
 * Turns the objects of a chat completion into parts, be it whole or in chunks. Words go out as they come. Calls of
 * tools, counts and ends go out together when the provider has said that nothing more will come.
 */
export class ChatCompletionReader implements AnswerObjectReader {
  readonly #chatCall: ChatCall;
  readonly #choiceReaders = new Map<number, ChoiceReader>();
  #whole: Part[] | undefined;
  #hasDelta = false;
  #usage: UsagePart | undefined;
  #done = false;

  constructor(chatCall: ChatCall) {
    this.#chatCall = chatCall;
  }

  get done(): boolean {
    return this.#done;
  }

  *take(chunk: JsonObject): Generator<Part, void, undefined> {
    const failure = failureIn(chunk, this.#chatCall.model.credential);
    if (failure !== undefined) throw failure;
    const usage = chunk.usage ?? objectField(chunk, "x_groq").usage;
    if (isObject(usage)) this.#usage = toUsage(usage);
    for (const entry of objectItems(chunk.choices)) {
      const choiceReader = this.#choiceOf(entry);
      if (isObject(entry.message) && !isObject(entry.delta)) this.#takeWhole(choiceReader, entry);
      else yield* choiceReader.read(entry);
      this.#hasDelta ||= isObject(entry.delta);
    }
    if (chunk.done === true) yield* this.#close();
  }

  *end(): Generator<Part, void, undefined> {
    if (this.#done) return;
    const choiceReaders = [...this.#choiceReaders.values()];
    const isWhole = this.#whole !== undefined;
    const { choices: asked = 1 } = this.#chatCall.inference.parameters;
    const isFinished = choiceReaders.length >= asked && choiceReaders.every(({ isFinished }) => isFinished);
    // Not everybody marks the end of a stream. Then every answer must have said itself that it is over.
    if (choiceReaders.length > 0 && !isWhole && !isFinished)
      throw new ProviderFailure("broken", "ended its stream before it was done");
    yield* this.#close();
  }

  #choiceOf({ index }: JsonObject): ChoiceReader {
    const place = typeof index === "number" && Number.isSafeInteger(index) && index >= 0 ? index : 0;
    const known = this.#choiceReaders.get(place);
    if (known !== undefined) return known;
    const { inference, requestId } = this.#chatCall;
    // Each is kept and judged on its own: nobody but the client says how many there may be.
    if (place >= (inference.parameters.choices ?? 1)) throw tooManyAnswersFailure();
    const nameCall = (call: number) => `call_${requestId.replaceAll("-", "")}_${place}_${call}`;
    const choiceReader = new ChoiceReader(place, inference.parameters.stop ?? [], nameCall);
    this.#choiceReaders.set(place, choiceReader);
    return choiceReader;
  }

  /**
   * A whole answer waits for its end, so that what it used can be told before it. Some repeat all of a stream at its
   * end: of that only the reason of the end is new.
   */
  #takeWhole(choiceReader: ChoiceReader, entry: JsonObject): void {
    const parts = choiceReader.read(this.#hasDelta ? { ...entry, message: {}, logprobs: undefined } : entry);
    if (this.#hasDelta) return void [...parts];
    this.#whole ??= [];
    this.#whole.push(...parts);
  }

  *#close(): Generator<Part, void, undefined> {
    if (this.#choiceReaders.size === 0) throw new ProviderFailure("broken", "the answer has no output");
    this.#done = true;
    const choiceReaders = [...this.#choiceReaders.values()];
    // The count of a whole answer goes first: where moderation stops at the words, what was used is known all the same.
    const usage = this.#usage === undefined ? [] : [this.#usage];
    if (this.#whole !== undefined) yield* [...usage, ...this.#whole];
    for (const choiceReader of choiceReaders) yield* choiceReader.collected();
    if (this.#whole === undefined) yield* usage;
    for (const choiceReader of choiceReaders) yield choiceReader.finish();
  }
}

/** An answer that is one object. It is read when all of it has come, and ends as it should or not at all. */
export class SingleObjectReader implements AnswerObjectReader {
  readonly done = false;
  readonly #credential: Secret | undefined;
  readonly #read: (body: JsonObject) => readonly Part[];
  #body: JsonObject | undefined;

  constructor(credential: Secret | undefined, read: (body: JsonObject) => readonly Part[]) {
    this.#credential = credential;
    this.#read = read;
  }

  take(body: JsonObject): readonly Part[] {
    const failure = failureIn(body, this.#credential);
    if (failure !== undefined) throw failure;
    this.#body ??= body;
    return [];
  }

  end(): readonly Part[] {
    if (this.#body === undefined) throw new ProviderFailure("broken", "the answer has no output");
    return [...this.#read(this.#body), { type: "finish", reason: "stop" }];
  }
}

/**
 * What a provider says it used. Chats call it prompt and completion, pictures and speech call it input and output, and
 * each of those who keep a cache has a place of its own for what came out of it.
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
    ...(cachedInputTokens === undefined ? {} : { cachedInputTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
    ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
    ...(seconds === undefined ? {} : { seconds }),
  };
}

/** Some count thoughts beside the output and not as a part of it. Their total gives them away. */
function withReasoningTokens(total: unknown, input: unknown, output: unknown, thoughts: unknown): unknown {
  const areNumbers = [total, input, output, thoughts].every((count) => typeof count === "number");
  if (!areNumbers || thoughts === 0) return output;
  const sum = Number(output) + Number(thoughts);
  return total === Number(input) + sum ? sum : output;
}
