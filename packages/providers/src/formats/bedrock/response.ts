import { isObject, type JsonObject } from "@trunkline/core/json-object.ts";
import type { Model } from "@trunkline/core/model.ts";
import type { FinishPart, Part, UsagePart } from "@trunkline/core/parts.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { AnswerObjectReader } from "../../http/json-answer-reader.ts";
import type { AnswerReader } from "../../http/wire-format.ts";
import { endedEarly } from "../anthropic/errors.ts";
import { hasCompleteArguments, invalidToolArguments, sumInputTokens } from "../anthropic/response.ts";
import { failureInStream } from "./errors.ts";
import { EventStreamDecoder, type StreamEvent } from "./event-stream.ts";

/** Reads a whole answer of the Converse API. */
export class ConverseResponseReader implements AnswerObjectReader {
  #done = false;

  get done(): boolean {
    return this.#done;
  }

  take(answer: JsonObject, parts: Part[]): void {
    const message = isObject(answer.output) ? answer.output.message : undefined;
    if (!isObject(message) || !Array.isArray(message.content))
      throw new ProviderFailure("broken", "the answer has no message");
    this.#done = true;
    const counted = isObject(answer.usage) ? [toUsage(answer.usage)] : [];
    // Usage goes first: where moderation stops the text, it is known all the same.
    parts.push(...counted, ...message.content.filter(isObject).flatMap(partsOfBlock), toFinish(answer));
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
  /** Whether a call with truncated arguments arrived. */
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

  push(bytes: Buffer, parts: Part[]): void {
    this.#frames.push(bytes);
    for (let event = this.#frames.next(); event !== undefined; event = this.#frames.next()) {
      this.#take(event, parts);
      if (this.#done) return;
    }
  }

  /** Usage comes after the end of the text; without it the answer is still complete. */
  end(): readonly Part[] {
    this.#frames.end();
    return this.#done ? [] : this.#close();
  }

  #take({ type, name, body }: StreamEvent, parts: Part[]): void {
    if (type === "exception") throw failureInStream(name, body, this.#credential);
    if (!isObject(body)) throw new ProviderFailure("broken", "sent an event that is no object");
    const block = this.#blockOf(body);
    if (name === "contentBlockStart" && isObject(body.start)) block.start(body.start);
    if (name === "contentBlockDelta" && isObject(body.delta)) block.readDelta(body.delta, parts);
    if (name === "contentBlockStop") this.#endBlock(body, block, parts);
    else if (name.startsWith("contentBlock")) this.#open.set(body.contentBlockIndex, block);
    if (name === "messageStop") this.#finish = toFinish(body);
    if (name === "metadata") {
      if (isObject(body.usage)) this.#usage = toUsage(body.usage);
      parts.push(...this.#close());
    }
  }

  #blockOf({ contentBlockIndex }: JsonObject): ContentBlockReader {
    return this.#open.get(contentBlockIndex) ?? new ContentBlockReader();
  }

  #endBlock({ contentBlockIndex }: JsonObject, block: ContentBlockReader, parts: Part[]): void {
    this.#open.delete(contentBlockIndex);
    for (const part of block.close()) {
      // A call with truncated arguments is left out; whether that is a failure is known at the end.
      if (hasCompleteArguments(part)) parts.push(part);
      else this.#hasTruncatedCall = true;
    }
  }

  #close(): readonly Part[] {
    if (this.#finish === undefined || this.#open.size > 0) throw endedEarly();
    if (this.#hasTruncatedCall && this.#finish.reason !== "length") throw invalidToolArguments();
    this.#done = true;
    return this.#usage === undefined ? [this.#finish] : [this.#usage, this.#finish];
  }
}

/** A block of an answer in progress. A tool call is passed on when it is complete. */
class ContentBlockReader {
  #call: JsonObject | undefined;
  #json = "";
  #signature = "";
  readonly #sealed: Buffer[] = [];

  start({ toolUse }: JsonObject): void {
    if (isObject(toolUse)) this.#call = toolUse;
  }

  readDelta({ text, toolUse, reasoningContent: thought }: JsonObject, parts: Part[]): void {
    if (typeof text === "string" && text !== "") parts.push({ type: "text", text });
    if (isObject(toolUse)) this.#json += requireString(toolUse.input, "input");
    if (!isObject(thought)) return;
    if (typeof thought.text === "string" && thought.text !== "") parts.push({ type: "thinking", text: thought.text });
    if (typeof thought.signature === "string") this.#signature += thought.signature;
    if (typeof thought.redactedContent === "string") this.#sealed.push(Buffer.from(thought.redactedContent, "base64"));
  }

  /** The parts that are known only at the end of the block. */
  close(): readonly Part[] {
    const parts: Part[] = [];
    if (this.#signature !== "") parts.push({ type: "thinking", text: "", signature: this.#signature });
    if (this.#sealed.length > 0)
      parts.push({ type: "thinking", text: "", sealed: Buffer.concat(this.#sealed).toString("base64") });
    if (this.#call !== undefined) parts.push(toToolCall(this.#call, this.#json.trim() === "" ? "{}" : this.#json));
    return parts;
  }
}

/** The parts of a complete block. */
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

/** Why the model stopped, from a whole answer or the event that ends one. */
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

/** The API counts cache writes and reads separately from other input. */
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
