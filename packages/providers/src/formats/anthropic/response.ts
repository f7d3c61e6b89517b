import { isObject, isPresent, type JsonObject } from "@trunkline/core/json-object.ts";
import type { FinishPart, Part, UsagePart } from "@trunkline/core/parts.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import type { AnswerObjectReader } from "../../http/json-stream.ts";
import { endedEarly, failureIn } from "./errors.ts";

/** Reads an answer of the Messages API, one message or its events. */
export class AnthropicResponseReader implements AnswerObjectReader {
  readonly #credential: Secret | undefined;
  readonly #open = new Map<unknown, ContentBlockReader>();
  /** Whether a call with truncated arguments arrived. */
  #hasTruncatedCall = false;
  #usage: JsonObject = {};
  #ending: JsonObject | undefined;
  #done = false;

  constructor(credential: Secret | undefined) {
    this.#credential = credential;
  }

  get done(): boolean {
    return this.#done;
  }

  /** The parts that are complete after this event. Unknown events are skipped, as the API requires. */
  *take(event: JsonObject): Iterable<Part> {
    if (this.#done) return;
    switch (event.type) {
      case "message":
        yield* this.#takeWhole(event);
        break;
      case "message_start":
        if (isObject(event.message)) this.#mergeUsage(event.message.usage);
        break;
      case "content_block_start":
        yield* this.#startBlock(event);
        break;
      case "content_block_delta":
        if (isObject(event.delta)) yield* this.#blockOf(event).readDelta(event.delta);
        break;
      case "content_block_stop":
        yield* this.#endBlock(event);
        break;
      case "message_delta":
        this.#mergeUsage(event.usage);
        if (isObject(event.delta) && typeof event.delta.stop_reason === "string") this.#ending = event.delta;
        break;
      case "message_stop":
        yield* this.#lastParts();
        break;
      case "error":
        throw failureIn(event, this.#credential);
    }
  }

  end(): readonly Part[] {
    if (!this.#done) throw endedEarly();
    return [];
  }

  *#takeWhole(message: JsonObject): Iterable<Part> {
    if (!Array.isArray(message.content)) throw new ProviderFailure("broken", "the answer has no content");
    this.#mergeUsage(message.usage);
    this.#ending = message;
    const parts = message.content.filter(isObject).flatMap(partsOfBlock);
    const { counted, finish } = this.#close();
    // Usage goes first: where moderation stops the text, it is known all the same.
    yield* [...counted, ...parts, finish];
  }

  *#startBlock(event: JsonObject): Iterable<Part> {
    if (!isObject(event.content_block)) throw new ProviderFailure("broken", "sent a block that is no object");
    const block = new ContentBlockReader(event.content_block);
    this.#open.set(event.index, block);
    yield* block.open();
  }

  *#endBlock(event: JsonObject): Iterable<Part> {
    const block = this.#blockOf(event);
    this.#open.delete(event.index);
    for (const part of block.close()) {
      // A call with truncated arguments is left out; whether that is a failure is known at the end.
      if (hasCompleteArguments(part)) yield part;
      else this.#hasTruncatedCall = true;
    }
  }

  #blockOf({ index }: JsonObject): ContentBlockReader {
    const block = this.#open.get(index);
    if (block === undefined) throw new ProviderFailure("broken", "sent a piece of a block that is not open");
    return block;
  }

  /** Later counts cover the whole answer, and leave out what did not change. */
  #mergeUsage(usage: unknown): void {
    if (!isObject(usage)) return;
    const said = Object.entries(usage).filter(([, value]) => value !== null);
    this.#usage = { ...this.#usage, ...Object.fromEntries(said) };
  }

  *#lastParts(): Iterable<Part> {
    const { counted, finish } = this.#close();
    yield* counted;
    yield finish;
  }

  #close(): { counted: readonly UsagePart[]; finish: FinishPart } {
    if (this.#ending === undefined || this.#open.size > 0) throw endedEarly();
    const finish = toFinish(this.#ending);
    if (this.#hasTruncatedCall && finish.reason !== "length") throw invalidToolArguments();
    this.#done = true;
    const isCounted = Object.keys(this.#usage).length > 0;
    return { counted: isCounted ? [toUsage(this.#usage)] : [], finish };
  }
}

/** A block of an answer in progress. Text and thinking are passed on immediately, a tool call when it is complete. */
class ContentBlockReader {
  readonly #start: JsonObject;
  #json = "";
  #signature = "";

  constructor(start: JsonObject) {
    this.#start = start;
  }

  /** The parts at the start of the block. */
  *open(): Iterable<Part> {
    const { type, text, thinking, signature, data } = this.#start;
    if (type === "text") yield* textParts(text);
    if (type === "thinking") {
      yield* thinkingParts(thinking);
      if (typeof signature === "string") this.#signature = signature;
    }
    if (type === "redacted_thinking") yield { type: "thinking", text: "", sealed: requireString(data, "data") };
  }

  *readDelta(delta: JsonObject): Iterable<Part> {
    if (delta.type === "text_delta") yield* textParts(requireString(delta.text, "text"));
    else if (delta.type === "thinking_delta") yield* thinkingParts(requireString(delta.thinking, "thinking"));
    else if (delta.type === "signature_delta") this.#signature += requireString(delta.signature, "signature");
    else if (delta.type === "input_json_delta") this.#json += requireString(delta.partial_json, "partial_json");
  }

  /** The parts that are known only at the end of the block. */
  *close(): Iterable<Part> {
    const { type, id, name, input } = this.#start;
    if (type === "thinking" && this.#signature !== "") yield { type: "thinking", text: "", signature: this.#signature };
    if (type !== "tool_use") return;
    const given = isObject(input) ? JSON.stringify(input) : "{}";
    yield {
      type: "tool-call",
      id: requireString(id, "id"),
      name: requireString(name, "name"),
      arguments: this.#json.trim() === "" ? given : this.#json,
    };
  }
}

/** The parts of a complete block. */
function partsOfBlock(block: JsonObject): Part[] {
  const open = new ContentBlockReader(block);
  const parts = [...open.open(), ...open.close()];
  const [thought, signed] = parts;
  if (thought?.type !== "thinking" || signed?.type !== "thinking") return parts;
  return [{ ...signed, text: thought.text }];
}

/** Whether the arguments of a call are complete: an answer that reached its limit ends anywhere. */
export function hasCompleteArguments(part: Part): boolean {
  if (part.type !== "tool-call") return true;
  try {
    return isObject(JSON.parse(part.arguments));
  } catch {
    return false;
  }
}

/** The failure for a call with invalid arguments. */
export function invalidToolArguments(): ProviderFailure {
  return new ProviderFailure("broken", "called a tool with arguments that are not a JSON object");
}

function* textParts(text: unknown): Iterable<Part> {
  if (typeof text === "string" && text !== "") yield { type: "text", text };
}

function* thinkingParts(text: unknown): Iterable<Part> {
  if (typeof text === "string" && text !== "") yield { type: "thinking", text };
}

function requireString(value: unknown, field: string): string {
  if (typeof value === "string") return value;
  throw new ProviderFailure("broken", `sent a block whose \`${field}\` is not a string`);
}

const FINISH_REASONS: Readonly<Record<string, FinishPart["reason"]>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool-calls",
  refusal: "refused",
};

/** Why the model stopped, and at which stop sequence. */
function toFinish({ stop_reason: reason, stop_sequence: word }: JsonObject): FinishPart {
  const known =
    typeof reason === "string" && Object.hasOwn(FINISH_REASONS, reason) ? FINISH_REASONS[reason] : undefined;
  return {
    type: "finish",
    reason: known ?? "unknown",
    ...(reason === "stop_sequence" && typeof word === "string" ? { stopSequence: word } : {}),
  };
}

/** The API counts cache writes and reads separately from other input. */
function toUsage(usage: JsonObject): UsagePart {
  const { cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage;
  const details = usage.output_tokens_details;
  const thoughts = isObject(details) ? details.thinking_tokens : undefined;
  return {
    type: "usage",
    inputTokens: sumInputTokens(usage.input_tokens, read, written),
    outputTokens: usage.output_tokens,
    ...(isPresent(read) ? { cachedInputTokens: read } : {}),
    ...(isPresent(written) ? { cacheWriteTokens: written } : {}),
    ...(isPresent(thoughts) ? { reasoningTokens: thoughts } : {}),
  };
}

/** All input tokens; undefined where one of the counts is invalid, since a partial sum would be wrong. */
export function sumInputTokens(input: unknown, ...caches: readonly unknown[]): number | undefined {
  const counts = [input, ...caches.filter(isPresent)];
  let sum = 0;
  for (const count of counts) {
    if (typeof count !== "number") return undefined;
    sum += count;
  }
  return sum;
}
