import type { Part } from "@trunkline/core/answer.ts";
import { ProviderFailure } from "@trunkline/core/attempt.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import type { AnswerObjectReader } from "../../http/json-answer.ts";
import type { JsonObject } from "../../http/json-frames.ts";
import { isObject, isPresent, objectItems } from "../../http/json-object.ts";
import { errorMessageOf, toProviderFailure } from "../../http/provider-error.ts";
import { toFinish } from "./finish.ts";
import { toBlockParts, toLogprobs, toParts, toThinkingParts, toToolCall } from "./message-parts.ts";
import { toUsage } from "./usage.ts";

/** A call while it is still being written. */
interface PartialToolCall {
  readonly id: unknown;
  name: unknown;
  arguments: string;
}

/** Turns Cohere's objects into parts: one whole answer, or the events of a stream. */
export class CohereResponseReader implements AnswerObjectReader {
  readonly #credential: Secret | undefined;
  readonly #calls = new Map<unknown, PartialToolCall>();
  readonly #logprobs: unknown[] = [];
  #done = false;

  constructor(credential: Secret | undefined) {
    this.#credential = credential;
  }

  get done(): boolean {
    return this.#done;
  }

  take(object: JsonObject): readonly Part[] {
    if (this.#done) return [];
    if (typeof object.type === "string") return this.#takeEvent(object.type, object);
    if (isObject(object.message)) return this.#takeWhole(object, object.message);
    if (isPresent(object.message) || isPresent(object.error)) throw this.#failureOf(object);
    return [];
  }

  end(): readonly Part[] {
    if (this.#done) return [];
    throw new ProviderFailure("broken", "ended its answer before it was finished");
  }

  #takeWhole(answer: JsonObject, message: JsonObject): readonly Part[] {
    const parts = toParts(message);
    this.#logprobs.push(...toLogprobs(objectItems(answer.logprobs)));
    return [...parts, ...this.#close(answer)];
  }

  #takeEvent(type: string, event: JsonObject): readonly Part[] {
    const delta = isObject(event.delta) ? event.delta : {};
    const message = isObject(delta.message) ? delta.message : {};
    switch (type) {
      case "content-start":
      case "content-delta":
        if (isObject(event.logprobs)) this.#logprobs.push(...toLogprobs([event.logprobs]));
        return isObject(message.content) ? toBlockParts(message.content) : [];
      case "tool-plan-delta":
        return toThinkingParts(message.tool_plan);
      case "tool-call-start":
      case "tool-call-delta":
        this.#writeCall(event.index, message.tool_calls);
        return [];
      case "tool-call-end":
        return this.#endCall(event.index);
      case "message-end":
        return [...[...this.#calls.keys()].flatMap((index) => this.#endCall(index)), ...this.#close(delta)];
      case "error":
        throw this.#failureOf(event);
      default:
        // Citations, and whatever else is yet to come: nothing of the answer itself.
        return [];
    }
  }

  #writeCall(index: unknown, given: unknown): void {
    if (!isObject(given)) return;
    const { name, arguments: input } = isObject(given.function) ? given.function : {};
    const call = this.#calls.get(index) ?? { id: given.id, name: undefined, arguments: "" };
    call.name ??= name;
    if (typeof input === "string") call.arguments += input;
    this.#calls.set(index, call);
  }

  #endCall(index: unknown): readonly Part[] {
    const call = this.#calls.get(index);
    this.#calls.delete(index);
    return call === undefined ? [] : [toToolCall(call.id, call)];
  }

  /** The last parts, from what says why and at what cost the answer ended. */
  #close(ending: JsonObject): readonly Part[] {
    const finish = toFinish(ending.finish_reason, ending.error, this.#credential);
    this.#done = true;
    const logprobs: Part[] =
      this.#logprobs.length === 0 ? [] : [{ type: "logprobs", content: this.#logprobs }];
    return [...logprobs, ...toUsage(ending.usage), finish];
  }

  #failureOf(object: JsonObject): ProviderFailure {
    const words = errorMessageOf(object.message ?? object.error, this.#credential);
    return toProviderFailure({
      code: undefined,
      description: "reported an error",
      message: words,
      retryAfterSeconds: undefined,
    });
  }
}
