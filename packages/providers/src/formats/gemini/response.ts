import type { FinishPart, Part, UsagePart } from "@trunkline/core/answer.ts";
import { ProviderFailure } from "@trunkline/core/attempt.ts";
import type { Model } from "@trunkline/core/model.ts";
import type { AnswerObjectReader } from "../../http/json-answer.ts";
import type { JsonObject } from "../../http/json-frames.ts";
import { isObject, isPresent, objectItems } from "../../http/json-object.ts";
import { tooManyAnswersFailure } from "../../http/provider-error.ts";
import { toLogprobs, toParts } from "./candidate-parts.ts";
import { throwIfError } from "./errors.ts";
import { toFinishReason } from "./finish.ts";
import { toUsage } from "./usage.ts";

/** What is known of one of several answers. */
interface ChoiceState {
  hasCalls: boolean;
  finish: FinishPart["reason"] | undefined;
  readonly logprobs: unknown[];
}

/** How an answer was asked for, as far as its end shows it. */
interface RequestedAnswer {
  readonly streaming: boolean;
  readonly choices: number;
}

/** Turns Gemini's objects into parts: a whole answer is one of them, a stream is many of the same form. */
export class GeminiResponseReader implements AnswerObjectReader {
  readonly #model: Pick<Model, "type" | "credential">;
  readonly #requestedAnswer: RequestedAnswer;
  readonly #choiceStates = new Map<number, ChoiceState>();
  #usage: UsagePart | undefined;
  #isBlocked = false;
  #hasMedia = false;
  #done = false;

  constructor(model: Pick<Model, "type" | "credential">, requestedAnswer: RequestedAnswer) {
    this.#model = model;
    this.#requestedAnswer = requestedAnswer;
  }

  /** Gemini itself never says so: its stream ends with its body. Some gateways in between do. */
  get done(): boolean {
    return this.#done;
  }

  take(answer: JsonObject): readonly Part[] {
    throwIfError(answer, this.#model.credential);
    if (isObject(answer.usageMetadata)) this.#usage = toUsage(answer.usageMetadata);
    if (isObject(answer.promptFeedback) && isPresent(answer.promptFeedback.blockReason))
      this.#isBlocked = true;
    const parts = objectItems(answer.candidates).flatMap((candidate) => this.#takeCandidate(candidate));
    return answer.done === true ? [...parts, ...this.#close()] : parts;
  }

  end(): readonly Part[] {
    return this.#done ? [] : this.#close();
  }

  #takeCandidate(candidate: JsonObject): readonly Part[] {
    const index = typeof candidate.index === "number" ? candidate.index : 0;
    // Each is kept and judged on its own: nobody but the client says how many there may be.
    if (!Number.isInteger(index) || index < 0 || index >= this.#requestedAnswer.choices)
      throw tooManyAnswersFailure();
    const choiceState = this.#choiceStates.get(index) ?? { hasCalls: false, finish: undefined, logprobs: [] };
    this.#choiceStates.set(index, choiceState);
    const parts = toParts(candidate, index);
    if (parts.some(({ type }) => type === "tool-call")) choiceState.hasCalls = true;
    if (parts.some(({ type }) => type === "media")) this.#hasMedia = true;
    choiceState.logprobs.push(...toLogprobs(candidate));
    if (isPresent(candidate.finishReason))
      choiceState.finish = toFinishReason(candidate.finishReason, choiceState.hasCalls);
    return parts;
  }

  #close(): readonly Part[] {
    this.#done = true;
    this.#refuseUnfinished();
    const choiceStates = [...this.#choiceStates].sort(([one], [other]) => one - other);
    if (this.#model.type === "image" && !this.#hasMedia) throw this.#missingImage();
    const logprobs = choiceStates
      .filter(([, choiceState]) => choiceState.logprobs.length > 0)
      .map(
        ([index, choiceState]): Part => ({
          type: "logprobs",
          content: choiceState.logprobs,
          ...choiceField(index),
        }),
      );
    const finishes = choiceStates.map(
      ([index, { finish = "unknown" }]): Part => ({ type: "finish", reason: finish, ...choiceField(index) }),
    );
    return [
      ...logprobs,
      ...(this.#usage === undefined ? [] : [this.#usage]),
      ...(finishes.length === 0 ? [{ type: "finish" as const, reason: "refused" as const }] : finishes),
    ];
  }

  /** An answer without its end is not one, unless the question was refused before there could be any. */
  #refuseUnfinished(): void {
    const choiceStates = [...this.#choiceStates.values()];
    if (choiceStates.length === 0) {
      if (this.#isBlocked) return;
      throw new ProviderFailure("broken", "the answer has no candidates");
    }
    const expected = this.#requestedAnswer.streaming ? this.#requestedAnswer.choices : 1;
    if (choiceStates.length < expected || choiceStates.some(({ finish }) => finish === undefined))
      throw new ProviderFailure("broken", "ended its answer before it was finished");
  }

  #missingImage(): ProviderFailure {
    const isRefused =
      this.#isBlocked || [...this.#choiceStates.values()].some(({ finish }) => finish === "refused");
    return isRefused
      ? new ProviderFailure("rejected", "refused to make this image", { blamesEndpoint: false })
      : new ProviderFailure("broken", "answered without an image");
  }
}

function choiceField(index: number): { readonly choice?: number } {
  return index === 0 ? {} : { choice: index };
}
