import type { ProviderCall } from "@trunkline/core/adapter.ts";
import type { Part, UsagePart } from "@trunkline/core/answer.ts";
import { ProviderFailure } from "@trunkline/core/attempt.ts";
import type { AnswerObjectReader } from "../../http/json-answer.ts";
import type { JsonObject } from "../../http/json-frames.ts";
import { isObject, objectField, objectItems } from "../../http/json-object.ts";
import { tooManyAnswersFailure } from "../../http/provider-error.ts";
import { ChoiceReader } from "./choice.ts";
import { failureIn } from "./errors.ts";
import { toUsage } from "./usage.ts";

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
