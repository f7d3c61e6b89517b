import type { Model } from "@trunkline/core/model.ts";
import type { FinishPart, Part, UsagePart } from "@trunkline/core/parts.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { isObject } from "../../http/json-object.ts";
import type { AnswerObjectReader, JsonObject } from "../../http/json-stream.ts";
import type { AnswerReader } from "../../http/wire-format.ts";
import { endedEarly } from "../anthropic/errors.ts";
import { hasCompleteArguments, invalidToolArguments, sumInputTokens } from "../anthropic/response.ts";
import { failureInStream } from "./errors.ts";
import { EventStreamDecoder, type StreamEvent } from "./event-stream.ts";

/** Reads one whole answer of the Converse API. */
export class ConverseResponseReader implements AnswerObjectReader {
  #done = false;

  get done(): boolean {
    return this.#done;
  }

  take(answer: JsonObject): readonly Part[] {
    const message = isObject(answer.output) ? answer.output.message : undefined;
    if (!isObject(message) || !Array.isArray(message.content))
      throw new ProviderFailure("broken", "the answer has no message");
    this.#done = true;
    const counted = isObject(answer.usage) ? [toUsage(answer.usage)] : [];
    // The count goes first: where moderation stops at the words, what the provider did is known all the same.
    return [...counted, ...message.content.filter(isObject).flatMap(partsOfBlock), toFinish(answer)];
  }

  end(): readonly Part[] {
    if (!this.#done) throw endedEarly();
    return [];
  }
}

/** Reads the events of an answer of the Converse API, from bytes cut anywhere. */
export class ConverseStreamReader implements AnswerReader {
  readonly #frames: EventStreamDecoder;
  readonly #credential: Model["credential"];
  readonly #open = new Map<unknown, ContentBlockReader>();
  /** Whether a call came whose arguments were cut off. */
  #hasTruncatedCall = false;
  #finish: FinishPart | undefined;
  #usage: UsagePart | undefined;
  #done = false;

  constructor({ limits, credential }: Pick<Model, "limits" | "credential">) {
    this.#frames = new EventStreamDecoder(limits.chunkBytes);
    this.#credential = credential;
  }

  get done(): boolean {
    return this.#done;
  }

  *push(bytes: Buffer): Iterable<Part> {
    for (const event of this.#frames.push(bytes)) {
      yield* this.#take(event);
      if (this.#done) return;
    }
  }

  /** The count comes after the end of the words; where it is missing, the answer is whole all the same. */
  *end(): Iterable<Part> {
    this.#frames.end();
    if (this.#done) return;
    yield* this.#close();
  }

  *#take({ type, name, body }: StreamEvent): Iterable<Part> {
    if (type === "exception") throw failureInStream(name, body, this.#credential);
    if (!isObject(body)) throw new ProviderFailure("broken", "sent an event that is no object");
    const block = this.#blockOf(body);
    if (name === "contentBlockStart" && isObject(body.start)) block.start(body.start);
    if (name === "contentBlockDelta" && isObject(body.delta)) yield* block.readDelta(body.delta);
    if (name === "contentBlockStop") yield* this.#endBlock(body, block);
    else if (name.startsWith("contentBlock")) this.#open.set(body.contentBlockIndex, block);
    if (name === "messageStop") this.#finish = toFinish(body);
    if (name === "metadata") {
      if (isObject(body.usage)) this.#usage = toUsage(body.usage);
      yield* this.#close();
    }
  }

  #blockOf({ contentBlockIndex }: JsonObject): ContentBlockReader {
    return this.#open.get(contentBlockIndex) ?? new ContentBlockReader();
  }

  *#endBlock({ contentBlockIndex }: JsonObject, block: ContentBlockReader): Iterable<Part> {
    this.#open.delete(contentBlockIndex);
    for (const part of block.close()) {
      // A call whose arguments end in the middle is not given out; whether that is a fault is known at the end.
      if (hasCompleteArguments(part)) yield part;
      else this.#hasTruncatedCall = true;
    }
  }

  *#close(): Iterable<Part> {
    if (this.#finish === undefined || this.#open.size > 0) throw endedEarly();
    if (this.#hasTruncatedCall && this.#finish.reason !== "length") throw invalidToolArguments();
    this.#done = true;
    if (this.#usage !== undefined) yield this.#usage;
    yield this.#finish;
  }
}

/** A block of an answer that is still being written. A call of a tool is passed on when it is complete. */
class ContentBlockReader {
  #call: JsonObject | undefined;
  #json = "";
  #signature = "";
  readonly #sealed: Buffer[] = [];

  start({ toolUse }: JsonObject): void {
    if (isObject(toolUse)) this.#call = toolUse;
  }

  *readDelta({ text, toolUse, reasoningContent: thought }: JsonObject): Iterable<Part> {
    if (typeof text === "string" && text !== "") yield { type: "text", text };
    if (isObject(toolUse)) this.#json += requireString(toolUse.input, "input");
    if (!isObject(thought)) return;
    if (typeof thought.text === "string" && thought.text !== "") yield { type: "thinking", text: thought.text };
    if (typeof thought.signature === "string") this.#signature += thought.signature;
    if (typeof thought.redactedContent === "string") this.#sealed.push(Buffer.from(thought.redactedContent, "base64"));
  }

  /** What can be told only when nothing more of it comes. */
  *close(): Iterable<Part> {
    if (this.#signature !== "") yield { type: "thinking", text: "", signature: this.#signature };
    if (this.#sealed.length > 0)
      yield { type: "thinking", text: "", sealed: Buffer.concat(this.#sealed).toString("base64") };
    if (this.#call !== undefined) yield toToolCall(this.#call, this.#json.trim() === "" ? "{}" : this.#json);
  }
}

/** The parts of a block that came whole. */
function partsOfBlock(block: JsonObject): Part[] {
  const { text, toolUse, reasoningContent: thought } = block;
  if (typeof text === "string") return text === "" ? [] : [{ type: "text", text }];
  if (isObject(toolUse)) return [toToolCall(toolUse, JSON.stringify(toolUse.input ?? {}))];
  if (!isObject(thought)) return [];
  if (typeof thought.redactedContent === "string")
    return [{ type: "thinking", text: "", sealed: thought.redactedContent }];
  const told = thought.reasoningText;
  if (!isObject(told) || typeof told.text !== "string") return [];
  const signature = typeof told.signature === "string" ? { signature: told.signature } : {};
  return [{ type: "thinking", text: told.text, ...signature }];
}

function toToolCall({ toolUseId, name }: JsonObject, json: string): Part {
  return {
    type: "tool-call",
    id: requireString(toolUseId, "toolUseId"),
    name: requireString(name, "name"),
    arguments: json,
  };
}

function requireString(value: unknown, field: string): string {
  if (typeof value === "string") return value;
  throw new ProviderFailure("broken", `sent a call whose \`${field}\` is not a string`);
}

const FINISH_REASONS: Readonly<Record<string, FinishPart["reason"]>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool-calls",
  content_filtered: "refused",
  guardrail_intervened: "refused",
};

/** Why the model stopped, in a whole answer or in the event that ends one. */
function toFinish({ stopReason, additionalModelResponseFields: own }: JsonObject): FinishPart {
  const known =
    typeof stopReason === "string" && Object.hasOwn(FINISH_REASONS, stopReason)
      ? FINISH_REASONS[stopReason]
      : undefined;
  const word = isObject(own) ? own.stop_sequence : undefined;
  return {
    type: "finish",
    reason: known ?? "unknown",
    ...(stopReason === "stop_sequence" && typeof word === "string" ? { stopSequence: word } : {}),
  };
}

/** The API counts what went into the cache and came out of it apart from the rest of the input. */
function toUsage(usage: JsonObject): UsagePart {
  const { inputTokens, outputTokens, cacheReadInputTokens: read, cacheWriteInputTokens: written } = usage;
  return {
    type: "usage",
    inputTokens: sumInputTokens(inputTokens, read, written),
    outputTokens,
    ...(typeof read === "number" ? { cachedInputTokens: read } : {}),
    ...(typeof written === "number" ? { cacheWriteTokens: written } : {}),
  };
}
