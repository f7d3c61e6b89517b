import { isObject, isPresent, type JsonObject } from "@trunkline/core/json-object.ts";
import type { FinishPart, Part, UsagePart } from "@trunkline/core/parts.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import type { AnswerObjectReader } from "../../http/json-answer-reader.ts";
import { isAnswerCall } from "./answer-tool.ts";
import { endedEarly, failureIn } from "./errors.ts";

/** Reads an answer of the Messages API, one message or its events. */
export class AnthropicResponseReader implements AnswerObjectReader {
  readonly #credential: Secret | undefined;
  /** Whether the input of a tool is the answer. */
  readonly #isAnsweredByTool: boolean;
  readonly #open = new Map<unknown, ContentBlockReader>();
  /** Whether a call with truncated arguments arrived. */
  #hasTruncatedCall = false;
  #usage: JsonObject = {};
  #ending: JsonObject | undefined;
  #done = false;

  constructor(credential: Secret | undefined, isAnsweredByTool: boolean) {
    this.#credential = credential;
    this.#isAnsweredByTool = isAnsweredByTool;
  }

  get done(): boolean {
    return this.#done;
  }

  /** Adds the parts that are complete after this event. Unknown events are skipped, as the API requires. */
  take(event: JsonObject, parts: Part[]): void {
    if (this.#done) return;
    switch (event.type) {
      case "message":
        if (!Array.isArray(event.content)) throw new ProviderFailure("broken", "the answer has no content");
        this.#mergeUsage(event.usage);
        this.#ending = event;
        this.#close(
          parts,
          event.content.filter(isObject).flatMap((block) => partsOfBlock(this.#blockReader(block))),
        );
        break;
      case "message_start":
        if (isObject(event.message)) this.#mergeUsage(event.message.usage);
        break;
      case "content_block_start": {
        if (!isObject(event.content_block)) throw new ProviderFailure("broken", "sent a block that is no object");
        const block = this.#blockReader(event.content_block);
        this.#open.set(event.index, block);
        block.open(parts);
        break;
      }
      case "content_block_delta":
        if (isObject(event.delta)) this.#blockOf(event).readDelta(event.delta, parts);
        break;
      case "content_block_stop":
        this.#endBlock(event, parts);
        break;
      case "message_delta":
        this.#mergeUsage(event.usage);
        if (isObject(event.delta) && typeof event.delta.stop_reason === "string") this.#ending = event.delta;
        break;
      case "message_stop":
        this.#close(parts, []);
        break;
      case "error":
        throw failureIn(event, this.#credential);
    }
  }

  end(): readonly Part[] {
    if (!this.#done) throw endedEarly();
    return [];
  }

  #blockReader(block: JsonObject): ContentBlockReader {
    return new ContentBlockReader(block, this.#isAnsweredByTool && isAnswerCall(block));
  }

  #endBlock(event: JsonObject, parts: Part[]): void {
    const block = this.#blockOf(event);
    this.#open.delete(event.index);
    for (const part of block.close()) {
      // A call with truncated arguments is left out; whether that is a failure is known at the end.
      if (hasCompleteArguments(part)) parts.push(part);
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

  /** Usage goes before the content of a whole message: where moderation stops the text, it is known all the same. */
  #close(parts: Part[], content: readonly Part[]): void {
    if (this.#ending === undefined || this.#open.size > 0) throw endedEarly();
    const stopped = toFinish(this.#ending);
    const finish: FinishPart =
      this.#isAnsweredByTool && stopped.reason === "tool-calls" ? { type: "finish", reason: "stop" } : stopped;
    if (this.#hasTruncatedCall && finish.reason !== "length") throw invalidToolArguments();
    this.#done = true;
    if (Object.keys(this.#usage).length > 0) parts.push(toUsage(this.#usage));
    parts.push(...content, finish);
  }
}

/** A block of an answer in progress. Text and thinking are passed on immediately, a tool call when it is complete. */
class ContentBlockReader {
  readonly #start: JsonObject;
  /** Whether its input is the answer, as a text. */
  readonly #isAnswer: boolean;
  #json = "";
  #signature = "";

  constructor(start: JsonObject, isAnswer: boolean) {
    this.#start = start;
    this.#isAnswer = isAnswer;
  }

  /** Adds the parts at the start of the block. */
  open(parts: Part[]): void {
    const { type, text, thinking, signature, data } = this.#start;
    if (type === "text") addText("text", text, parts);
    if (type === "thinking") {
      addText("thinking", thinking, parts);
      if (typeof signature === "string") this.#signature = signature;
    }
    if (type === "redacted_thinking") parts.push({ type: "thinking", text: "", sealed: requireString(data, "data") });
  }

  readDelta(delta: JsonObject, parts: Part[]): void {
    if (delta.type === "text_delta") addText("text", requireString(delta.text, "text"), parts);
    else if (delta.type === "thinking_delta") addText("thinking", requireString(delta.thinking, "thinking"), parts);
    else if (delta.type === "signature_delta") this.#signature += requireString(delta.signature, "signature");
    else if (delta.type === "input_json_delta") {
      const json = requireString(delta.partial_json, "partial_json");
      this.#json += json;
      if (this.#isAnswer) addText("text", json, parts);
    }
  }

  /** The parts that are known only at the end of the block. */
  close(): readonly Part[] {
    const { type, id, name, input } = this.#start;
    if (type === "thinking" && this.#signature !== "")
      return [{ type: "thinking", text: "", signature: this.#signature }];
    if (type !== "tool_use") return [];
    const given = isObject(input) ? JSON.stringify(input) : "{}";
    if (this.#isAnswer) return this.#json === "" ? [{ type: "text", text: given }] : [];
    return [
      {
        type: "tool-call",
        id: requireString(id, "id"),
        name: requireString(name, "name"),
        arguments: this.#json.trim() === "" ? given : this.#json,
      },
    ];
  }
}

/** The parts of a complete block. */
function partsOfBlock(reader: ContentBlockReader): Part[] {
  const parts: Part[] = [];
  reader.open(parts);
  parts.push(...reader.close());
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

function addText(type: "text" | "thinking", text: unknown, parts: Part[]): void {
  if (typeof text === "string" && text !== "") parts.push({ type, text });
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
