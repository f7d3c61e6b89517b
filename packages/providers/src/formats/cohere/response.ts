import { isObject, isPresent, type JsonObject, objectItems } from "@trunkline/core/json-object.ts";
import type { FinishPart, Part, ToolCallPart, UsagePart } from "@trunkline/core/parts.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import type { AnswerObjectReader } from "../../http/json-answer-reader.ts";
import { errorMessageOf, sanitiseMessage, toProviderFailure } from "../../http/provider-error.ts";
import { newToolCallId } from "../../http/wire-format.ts";

/** A call in progress. */
interface PartialToolCall {
  readonly id: unknown;
  name: unknown;
  arguments: string;
}

/** Turns Cohere's objects into parts: a whole answer, or the events of a stream. */
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

  take(object: JsonObject, parts: Part[]): void {
    if (this.#done) return;
    if (typeof object.type === "string") parts.push(...this.#takeEvent(object.type, object));
    else if (isObject(object.message)) parts.push(...this.#takeWhole(object, object.message));
    else if (isPresent(object.message) || isPresent(object.error)) throw this.#failureOf(object);
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
        // Citations and future event types: no part of the answer itself.
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

  /** The last parts, from the object with the finish reason and usage. */
  #close(ending: JsonObject): readonly Part[] {
    const finish = toFinish(ending.finish_reason, ending.error, this.#credential);
    this.#done = true;
    const logprobs: Part[] = this.#logprobs.length === 0 ? [] : [{ type: "logprobs", content: this.#logprobs }];
    return [...logprobs, ...toUsage(ending.usage), finish];
  }

  #failureOf(object: JsonObject): ProviderFailure {
    const message = errorMessageOf(object.message ?? object.error, this.#credential);
    return toProviderFailure({
      code: undefined,
      description: "reported an error",
      message,
      retryAfterSeconds: undefined,
    });
  }
}

/** The parts of a whole message: the plan of its calls, its text and thinking, and its calls. */
function toParts(message: JsonObject): Part[] {
  const blocks = typeof message.content === "string" ? [{ text: message.content }] : objectItems(message.content);
  return [
    ...toThinkingParts(message.tool_plan),
    ...blocks.flatMap(toBlockParts),
    ...objectItems(message.tool_calls).map((call) => toToolCall(call.id, call.function)),
  ];
}

/** The parts of a content block, or of a piece of one. */
function toBlockParts({ text, thinking }: JsonObject): Part[] {
  return [...toThinkingParts(thinking), ...(typeof text === "string" && text !== "" ? [textPart(text)] : [])];
}

function toThinkingParts(text: unknown): Part[] {
  return typeof text === "string" && text !== "" ? [{ type: "thinking", text }] : [];
}

/** A complete call. Missing arguments are an empty object. */
function toToolCall(id: unknown, given: unknown): ToolCallPart {
  const { name, arguments: input } = isObject(given) ? given : {};
  const text = typeof input === "string" && input.trim() !== "" ? input : "{}";
  if (typeof name !== "string" || !isJson(text)) {
    throw new ProviderFailure("broken", "wrote a call of a tool that can't be read", {
      blamesEndpoint: false,
    });
  }
  return {
    type: "tool-call",
    id: typeof id === "string" && id !== "" ? id : newToolCallId(),
    name,
    arguments: text,
  };
}

/** Log probabilities in OpenAI's format. Several tokens with one text have the sum of theirs. */
function toLogprobs(items: readonly JsonObject[]): readonly unknown[] {
  return items.map(({ text, logprobs }) => {
    const token = typeof text === "string" ? text : "";
    const numbers = Array.isArray(logprobs) ? logprobs.filter((one) => typeof one === "number") : [];
    const logprob = numbers.reduce((sum, one) => sum + one, 0);
    return { token, logprob, bytes: [...Buffer.from(token)], top_logprobs: [] };
  });
}

function textPart(text: string): Part {
  return { type: "text", text };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const FINISH_REASONS: Readonly<Record<string, FinishPart["reason"]>> = {
  COMPLETE: "stop",
  STOP_SEQUENCE: "stop",
  MAX_TOKENS: "length",
  TOOL_CALL: "tool-calls",
};

/** Why an answer ended. Throws where it ended with an error. */
function toFinish(reason: unknown, error: unknown, credential: Secret | undefined): FinishPart {
  if (reason === "ERROR") {
    const message = sanitiseMessage(error, credential);
    const reason = message === undefined ? "reported an error" : `reported an error: ${message}`;
    throw new ProviderFailure("broken", reason, { said: message });
  }
  if (reason === "TIMEOUT") throw new ProviderFailure("timeout", "ran out of its own time");
  const known =
    typeof reason === "string" && Object.hasOwn(FINISH_REASONS, reason) ? FINISH_REASONS[reason] : undefined;
  return { type: "finish", reason: known ?? "unknown" };
}

/**
 * Usage. Cohere reports billed tokens beside everything that its models saw, templates and searches included. The
 * client never sent those, so billed tokens count, and the others only where there are none.
 */
export function toUsage(usage: unknown): UsagePart[] {
  if (!isObject(usage)) return [];
  const counted = isObject(usage.billed_units) ? usage.billed_units : usage.tokens;
  if (!isObject(counted)) return [];
  const { input_tokens: inputTokens, output_tokens: outputTokens } = counted;
  const cached = usage.cached_tokens;
  const isPart = typeof cached === "number" && typeof inputTokens === "number" && cached <= inputTokens;
  return [
    {
      type: "usage",
      inputTokens,
      outputTokens: isPresent(outputTokens) ? outputTokens : 0,
      ...(isPart ? { cachedInputTokens: cached } : {}),
    },
  ];
}
