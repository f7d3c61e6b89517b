import type { Part } from "@trunkline/core/answer.ts";
import { ProviderFailure } from "@trunkline/core/attempt.ts";
import type { JsonObject } from "../../http/json-frames.ts";
import { isObject } from "../../http/json-object.ts";

/** A block of an answer that is still being written. A call of a tool is passed on when it is complete. */
export class ContentBlockReader {
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
    if (typeof thought.text === "string" && thought.text !== "")
      yield { type: "thinking", text: thought.text };
    if (typeof thought.signature === "string") this.#signature += thought.signature;
    if (typeof thought.redactedContent === "string")
      this.#sealed.push(Buffer.from(thought.redactedContent, "base64"));
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
export function partsOfBlock(block: JsonObject): Part[] {
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
