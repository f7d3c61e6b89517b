import type { Part } from "@trunkline/core/answer.ts";
import { ProviderFailure } from "@trunkline/core/attempt.ts";
import type { JsonObject } from "../../http/json-frames.ts";
import { isObject } from "../../http/json-object.ts";

/**
 * A block of an answer that is still being written. Words and thoughts are passed on as they come, a call of a tool only
 * when it is complete.
 */
export class OpenBlock {
  readonly #start: JsonObject;
  #json = "";
  #signature = "";

  constructor(start: JsonObject) {
    this.#start = start;
  }

  /** What the block begins with. */
  *open(): Iterable<Part> {
    const { type, text, thinking, signature, data } = this.#start;
    if (type === "text") yield* textOf(text);
    if (type === "thinking") {
      yield* thoughtOf(thinking);
      if (typeof signature === "string") this.#signature = signature;
    }
    if (type === "redacted_thinking") yield { type: "thinking", text: "", sealed: wordIn(data, "data") };
  }

  *take(delta: JsonObject): Iterable<Part> {
    if (delta.type === "text_delta") yield* textOf(wordIn(delta.text, "text"));
    else if (delta.type === "thinking_delta") yield* thoughtOf(wordIn(delta.thinking, "thinking"));
    else if (delta.type === "signature_delta") this.#signature += wordIn(delta.signature, "signature");
    else if (delta.type === "input_json_delta") this.#json += wordIn(delta.partial_json, "partial_json");
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
      id: wordIn(id, "id"),
      name: wordIn(name, "name"),
      arguments: this.#json.trim() === "" ? given : this.#json,
    };
  }
}

/** The parts of a block that came whole. */
export function partsOfBlock(block: JsonObject): Part[] {
  const open = new OpenBlock(block);
  const parts = [...open.open(), ...open.close()];
  const [thought, signed] = parts;
  if (thought?.type !== "thinking" || signed?.type !== "thinking") return parts;
  return [{ ...signed, text: thought.text }];
}

/** Whether the arguments of a call are complete: an answer that got too long ends anywhere. */
export function isWhole(part: Part): boolean {
  if (part.type !== "tool-call") return true;
  try {
    return isObject(JSON.parse(part.arguments));
  } catch {
    return false;
  }
}

/** What is said of a call that can't be read. */
export function brokenCall(): ProviderFailure {
  return new ProviderFailure("broken", "called a tool with arguments that are not a JSON object");
}

function* textOf(text: unknown): Iterable<Part> {
  if (typeof text === "string" && text !== "") yield { type: "text", text };
}

function* thoughtOf(text: unknown): Iterable<Part> {
  if (typeof text === "string" && text !== "") yield { type: "thinking", text };
}

function wordIn(value: unknown, field: string): string {
  if (typeof value === "string") return value;
  throw new ProviderFailure("broken", `sent a block whose \`${field}\` is not a string`);
}
