import type { FinishPart, Part, UsagePart } from "@trunkline/core/answer.ts";
import { ProviderFailure } from "@trunkline/core/attempt.ts";
import type { Model } from "@trunkline/core/model.ts";
import type { AnswerObjects } from "../../http/json-answer.ts";
import type { JsonObject } from "../../http/json-frames.ts";
import { isObject, isPresent, objectsIn } from "../../http/json-object.ts";
import { tooManyAnswers } from "../../http/provider-error.ts";
import { toLogprobs, toParts } from "./candidate-parts.ts";
import { throwError } from "./errors.ts";
import { toFinishReason } from "./finish.ts";
import { toUsage } from "./usage.ts";

/** What is known of one of several answers. */
interface Choice {
  hasCalls: boolean;
  finish: FinishPart["reason"] | undefined;
  readonly logprobs: unknown[];
}

/** How an answer was asked for, as far as its end shows it. */
interface Asked {
  readonly streaming: boolean;
  readonly choices: number;
}

/** Turns Gemini's objects into parts: a whole answer is one of them, a stream is many of the same form. */
export class GeminiAnswer implements AnswerObjects {
  readonly #model: Pick<Model, "type" | "credential">;
  readonly #asked: Asked;
  readonly #choices = new Map<number, Choice>();
  #usage: UsagePart | undefined;
  #isBlocked = false;
  #hasMedia = false;
  #done = false;

  constructor(model: Pick<Model, "type" | "credential">, asked: Asked) {
    this.#model = model;
    this.#asked = asked;
  }

  /** Gemini itself never says so: its stream ends with its body. Some gateways in between do. */
  get done(): boolean {
    return this.#done;
  }

  take(answer: JsonObject): readonly Part[] {
    throwError(answer, this.#model.credential);
    if (isObject(answer.usageMetadata)) this.#usage = toUsage(answer.usageMetadata);
    if (isObject(answer.promptFeedback) && isPresent(answer.promptFeedback.blockReason))
      this.#isBlocked = true;
    const parts = objectsIn(answer.candidates).flatMap((candidate) => this.#takeCandidate(candidate));
    return answer.done === true ? [...parts, ...this.#close()] : parts;
  }

  end(): readonly Part[] {
    return this.#done ? [] : this.#close();
  }

  #takeCandidate(candidate: JsonObject): readonly Part[] {
    const index = typeof candidate.index === "number" ? candidate.index : 0;
    // Each is kept and judged on its own: nobody but the client says how many there may be.
    if (!Number.isInteger(index) || index < 0 || index >= this.#asked.choices) throw tooManyAnswers();
    const choice = this.#choices.get(index) ?? { hasCalls: false, finish: undefined, logprobs: [] };
    this.#choices.set(index, choice);
    const parts = toParts(candidate, index);
    if (parts.some(({ type }) => type === "tool-call")) choice.hasCalls = true;
    if (parts.some(({ type }) => type === "media")) this.#hasMedia = true;
    choice.logprobs.push(...toLogprobs(candidate));
    if (isPresent(candidate.finishReason))
      choice.finish = toFinishReason(candidate.finishReason, choice.hasCalls);
    return parts;
  }

  #close(): readonly Part[] {
    this.#done = true;
    this.#refuseUnfinished();
    const choices = [...this.#choices].sort(([one], [other]) => one - other);
    if (this.#model.type === "image" && !this.#hasMedia) throw this.#withoutImage();
    const logprobs = choices
      .filter(([, choice]) => choice.logprobs.length > 0)
      .map(([index, choice]): Part => ({ type: "logprobs", content: choice.logprobs, ...ofChoice(index) }));
    const finishes = choices.map(
      ([index, { finish = "unknown" }]): Part => ({ type: "finish", reason: finish, ...ofChoice(index) }),
    );
    return [
      ...logprobs,
      ...(this.#usage === undefined ? [] : [this.#usage]),
      ...(finishes.length === 0 ? [{ type: "finish" as const, reason: "refused" as const }] : finishes),
    ];
  }

  /** An answer without its end is not one, unless the question was refused before there could be any. */
  #refuseUnfinished(): void {
    const choices = [...this.#choices.values()];
    if (choices.length === 0) {
      if (this.#isBlocked) return;
      throw new ProviderFailure("broken", "the answer has no candidates");
    }
    const expected = this.#asked.streaming ? this.#asked.choices : 1;
    if (choices.length < expected || choices.some(({ finish }) => finish === undefined))
      throw new ProviderFailure("broken", "ended its answer before it was finished");
  }

  #withoutImage(): ProviderFailure {
    const isRefused =
      this.#isBlocked || [...this.#choices.values()].some(({ finish }) => finish === "refused");
    return isRefused
      ? new ProviderFailure("rejected", "refused to make this image", { blamesEndpoint: false })
      : new ProviderFailure("broken", "answered without an image");
  }
}

function ofChoice(index: number): { readonly choice?: number } {
  return index === 0 ? {} : { choice: index };
}
