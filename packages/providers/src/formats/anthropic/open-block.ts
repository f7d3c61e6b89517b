import type { Part } from "@trunkline/core/answer.ts";
import { ProviderFailure } from "@trunkline/core/attempt.ts";
import type { JsonObject } from "../../http/json-frames.ts";
import { isObject } from "../../http/json-object.ts";

/**
 * A block of an answer that is still being written. Words and thoughts are passed on as they come, a call of a tool only
 * when it is complete.
 */
export class ContentBlockReader {
  readonly #start: JsonObject;
  #json = "";
  #signature = "";

  constructor(start: JsonObject) {
    this.#start = start;
  }

  /** What the block begins with. */
  *open(): Iterable<Part> {
    const { type, text, thinking, signature, data } = this.#start;
    if (type === "text") yield* textParts(text);
    if (type === "thinking") {
      yield* thinkingParts(thinking);
      if (typeof signature === "string") this.#signature = signature;
    }
    if (type === "redacted_thinking")
      yield { type: "thinking", text: "", sealed: requireString(data, "data") };
  }

  *readDelta(delta: JsonObject): Iterable<Part> {
    if (delta.type === "text_delta") yield* textParts(requireString(delta.text, "text"));
    else if (delta.type === "thinking_delta") yield* thinkingParts(requireString(delta.thinking, "thinking"));
    else if (delta.type === "signature_delta") this.#signature += requireString(delta.signature, "signature");
    else if (delta.type === "input_json_delta")
      this.#json += requireString(delta.partial_json, "partial_json");
  }

  /** What can be told only when nothing more of it comes. */
  *close(): Iterable<Part> {
    const { type, id, name, input } = this.#start;
    if (type === "thinking" && this.#signature !== "")
      yield { type: "thinking", text: "", signature: this.#signature };
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

/** The parts of a block that came whole. */
export function partsOfBlock(block: JsonObject): Part[] {
  const open = new ContentBlockReader(block);
  const parts = [...open.open(), ...open.close()];
  const [thought, signed] = parts;
  if (thought?.type !== "thinking" || signed?.type !== "thinking") return parts;
  return [{ ...signed, text: thought.text }];
}

/** Whether the arguments of a call are complete: an answer that got too long ends anywhere. */
export function hasCompleteArguments(part: Part): boolean {
  if (part.type !== "tool-call") return true;
  try {
    return isObject(JSON.parse(part.arguments));
  } catch {
    return false;
  }
}

/** What is said of a call that can't be read. */
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
