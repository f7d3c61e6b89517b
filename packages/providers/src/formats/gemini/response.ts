import { isObject, isPresent, type JsonObject, objectItems } from "@trunkline/core/json-object.ts";
import type { Model } from "@trunkline/core/model.ts";
import type { FinishPart, Part, UsagePart } from "@trunkline/core/parts.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { AnswerObjectReader } from "../../http/json-answer-reader.ts";
import { tooManyAnswersFailure } from "../../http/provider-error.ts";
import { newToolCallId } from "../../http/wire-format.ts";
import { throwIfError } from "./errors.ts";
import { toPlayable } from "./speech.ts";

/** The state of one of several answers. */
interface ChoiceState {
  hasCalls: boolean;
  finish: FinishPart["reason"] | undefined;
  readonly logprobs: unknown[];
}

/** What was requested, as far as reading the answer needs it. */
interface RequestedAnswer {
  readonly streaming: boolean;
  readonly choices: number;
}

/** Turns Gemini's objects into parts: a whole answer is one object, a stream is many of the same form. */
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

  /** Gemini itself sends no end marker: its stream ends with its body. Some gateways add one. */
  get done(): boolean {
    return this.#done;
  }

  take(answer: JsonObject, parts: Part[]): void {
    throwIfError(answer, this.#model.credential);
    if (isObject(answer.usageMetadata)) this.#usage = toUsage(answer.usageMetadata);
    if (isObject(answer.promptFeedback) && isPresent(answer.promptFeedback.blockReason)) this.#isBlocked = true;
    const content = objectItems(answer.candidates).flatMap((candidate) => this.#takeCandidate(candidate));
    parts.push(...content, ...(answer.done === true ? this.#close() : []));
  }

  end(): readonly Part[] {
    return this.#done ? [] : this.#close();
  }

  #takeCandidate(candidate: JsonObject): readonly Part[] {
    const index = typeof candidate.index === "number" ? candidate.index : 0;
    // Each choice is buffered and screened separately: only the client decides how many there may be.
    if (!Number.isInteger(index) || index < 0 || index >= this.#requestedAnswer.choices) throw tooManyAnswersFailure();
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

  /** An answer without a finish reason is incomplete, unless the prompt was blocked. */
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
    const isRefused = this.#isBlocked || [...this.#choiceStates.values()].some(({ finish }) => finish === "refused");
    return isRefused
      ? new ProviderFailure("rejected", "refused to make this image", { blamesEndpoint: false })
      : new ProviderFailure("broken", "answered without an image");
  }
}

function choiceField(index: number): { readonly choice?: number } {
  return index === 0 ? {} : { choice: index };
}

type ChoiceField = { readonly choice?: number };

/** The parts of one piece of one candidate's answer. */
function toParts(candidate: JsonObject, choice: number): Part[] {
  const of = choice === 0 ? {} : { choice };
  const content = isObject(candidate.content) ? candidate.content : {};
  return objectItems(content.parts).flatMap((part) => toPart(part, of));
}

function toPart(part: JsonObject, of: ChoiceField): Part[] {
  const signature = typeof part.thoughtSignature === "string" ? { signature: part.thoughtSignature } : {};
  if (isObject(part.functionCall)) return [{ ...toCall(part.functionCall), ...signature, ...of }];
  if (isObject(part.inlineData)) return toMedia(part.inlineData);
  const text = typeof part.text === "string" ? part.text : "";
  if (part.thought === true) return [{ type: "thinking", text, ...signature, ...of }];
  return [
    ...(text === "" ? [] : [{ type: "text" as const, text, ...of }]),
    // A text part has no signature: it follows as thinking with an empty text.
    ...("signature" in signature ? [{ type: "thinking" as const, text: "", ...signature, ...of }] : []),
  ];
}

function toCall({ id, name, args }: JsonObject) {
  return {
    type: "tool-call" as const,
    id: typeof id === "string" && id !== "" ? id : newToolCallId(),
    name: typeof name === "string" ? name : "",
    arguments: JSON.stringify(args ?? {}),
  };
}

function toMedia({ mimeType, data }: JsonObject): Part[] {
  if (typeof mimeType !== "string" || typeof data !== "string") return [];
  const kind = mimeType.startsWith("image/") ? "image" : mimeType.startsWith("audio/") ? "audio" : undefined;
  if (kind === undefined) return [];
  const playable = toPlayable(mimeType, data);
  const url = `data:${playable.mimeType};base64,${playable.base64}`;
  return [{ type: "media", kind, url, source: { [`${kind}_url`]: url } }];
}

/** Log probabilities of this piece, in OpenAI's format. */
function toLogprobs({ logprobsResult }: JsonObject): readonly unknown[] {
  if (!isObject(logprobsResult)) return [];
  const top = objectItems(logprobsResult.topCandidates);
  return objectItems(logprobsResult.chosenCandidates).map((chosen, index) => ({
    ...toLogprob(chosen),
    top_logprobs: objectItems(top[index]?.candidates).map(toLogprob),
  }));
}

function toLogprob({ token, logProbability }: JsonObject) {
  const text = typeof token === "string" ? token : "";
  return { token: text, logprob: logProbability ?? 0, bytes: [...Buffer.from(text)] };
}

const FINISH_REASONS: Readonly<Record<string, FinishPart["reason"]>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  SAFETY: "refused",
  RECITATION: "refused",
  LANGUAGE: "refused",
  BLOCKLIST: "refused",
  PROHIBITED_CONTENT: "refused",
  SPII: "refused",
  IMAGE_SAFETY: "refused",
  IMAGE_PROHIBITED_CONTENT: "refused",
  IMAGE_RECITATION: "refused",
  NO_IMAGE: "refused",
};
/** The model failed to produce an answer. */
const FAILURE_REASONS: ReadonlySet<string> = new Set([
  "MALFORMED_FUNCTION_CALL",
  "UNEXPECTED_TOOL_CALL",
  "TOO_MANY_TOOL_CALLS",
]);

/** Why an answer ended. */
function toFinishReason(reason: unknown, hasCalls: boolean): FinishPart["reason"] {
  if (typeof reason !== "string") return "unknown";
  if (FAILURE_REASONS.has(reason)) {
    const words = `ended its answer with ${reason}, a call of a tool that went wrong`;
    throw new ProviderFailure("broken", words, { blamesEndpoint: false });
  }
  if (reason === "STOP" && hasCalls) return "tool-calls";
  return Object.hasOwn(FINISH_REASONS, reason) ? (FINISH_REASONS[reason] ?? "unknown") : "unknown";
}

/** Usage. Gemini counts thinking separately from other output, and what tools read separately from the prompt. */
export function toUsage(metadata: JsonObject): UsagePart {
  const { promptTokenCount, toolUsePromptTokenCount, candidatesTokenCount, thoughtsTokenCount } = metadata;
  const { cachedContentTokenCount: cached } = metadata;
  return {
    type: "usage",
    inputTokens: isPresent(promptTokenCount) ? sum(promptTokenCount, toolUsePromptTokenCount) : undefined,
    outputTokens: sum(candidatesTokenCount, thoughtsTokenCount),
    ...(isPresent(cached) ? { cachedInputTokens: cached } : {}),
    ...(isPresent(thoughtsTokenCount) ? { reasoningTokens: thoughtsTokenCount } : {}),
  };
}

/** A missing count is 0; one that is no number is passed on, since billing checks it. */
function sum(one: unknown, other: unknown): unknown {
  const [first, second] = [one ?? 0, other ?? 0];
  return typeof first === "number" && typeof second === "number" ? first + second : first;
}
