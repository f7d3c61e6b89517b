import type { Content, Message, ThinkingContent, ToolResultContent } from "@trunkline/core/conversation.ts";
import {
  type Fields,
  invalidField,
  readList,
  readObject,
  readOptional,
  readString,
} from "../../../requests/fields.ts";
import { INPUT_MAX } from "../../../requests/read-inference.ts";
import { readThoughtSignature } from "../chat/read-messages.ts";
import { readInputContent, readInputText, readOutputContent } from "./read-item-content.ts";
import { decodeReasoningState } from "./thought-seal.ts";

const ITEMS_MAX = 4_096;
const ITEM_TYPES = "message, function_call, function_call_output, reasoning";

/** The conversation of a body: what it is told at first, and then item by item. */
export function readItems({ instructions, input }: Fields): Message[] {
  const told = readOptional(instructions, (value) => readString(value, "instructions", 0, INPUT_MAX)) ?? "";
  const first: Message[] = told === "" ? [] : [{ role: "system", content: [{ type: "text", text: told }] }];
  if (input === undefined || input === null) throw invalidField("input", "`input` is required.");
  if (typeof input === "string") {
    const text = readString(input, "input", 1, INPUT_MAX);
    return [...first, { role: "user", content: [{ type: "text", text }] }];
  }
  const reader = new ItemReader();
  const items = readList(input, "input", ITEMS_MAX, (item, param) => reader.read(item, param));
  if (items.length === 0) throw invalidField("input", "`input` must not be empty.");
  return [...first, ...mergeTurns(items)];
}

/** What a model thinks, says and calls comes as items of their own, and is one message of its. */
function mergeTurns(messages: readonly Message[]): Message[] {
  const joined: Message[] = [];
  for (const message of messages) {
    const before = joined.at(-1);
    const isTurn = message.role === "assistant" || message.role === "tool";
    if (isTurn && before?.role === message.role) {
      joined[joined.length - 1] = { ...before, content: [...before.content, ...message.content] };
    } else joined.push(message);
  }
  return joined.filter(({ content }) => content.length > 0);
}

/** Reads one item after the other, and remembers the calls: results are told apart by them. */
class ItemReader {
  /** The name of each tool by the id of its call. */
  readonly #calls = new Map<string, string>();

  read(item: unknown, param: string): Message {
    const fields = readObject(item, param);
    switch (fields.type ?? "message") {
      case "message":
        return readMessage(fields, param);
      case "reasoning":
        return { role: "assistant", content: readReasoning(fields, param) };
      case "function_call":
        return { role: "assistant", content: [this.#readCall(fields, param)] };
      case "function_call_output":
        return { role: "tool", content: [this.#readResult(fields, param)] };
      case "item_reference":
        throw invalidField(
          `${param}.type`,
          "Nothing is stored here, so that no item can be referred to. Send the items themselves; clients do so with `store: false`.",
        );
      default:
        throw invalidField(`${param}.type`, `\`${param}.type\` must be one of: ${ITEM_TYPES}.`);
    }
  }

  #readCall(fields: Fields, param: string): Content {
    const id = readString(fields.call_id, `${param}.call_id`, 1, 256);
    const name = readString(fields.name, `${param}.name`, 1, 128);
    const input = readString(fields.arguments, `${param}.arguments`, 0, INPUT_MAX);
    const signature = readThoughtSignature(fields.extra_content, `${param}.extra_content`);
    this.#calls.set(id, name);
    return {
      type: "tool-call",
      id,
      name,
      arguments: input === "" ? "{}" : input,
      ...(signature === undefined ? {} : { signature }),
    };
  }

  #readResult(fields: Fields, param: string): ToolResultContent {
    const id = readString(fields.call_id, `${param}.call_id`, 1, 256);
    const name = this.#calls.get(id);
    if (name === undefined) {
      throw invalidField(
        `${param}.call_id`,
        `\`${param}.call_id\` must be that of a function_call before this item.`,
      );
    }
    const output = readResultContent(fields.output, `${param}.output`);
    const attachments = output.flatMap((piece) => (piece.type === "attachment" ? [piece] : []));
    return {
      type: "tool-result",
      id,
      name,
      text: output.flatMap((piece) => (piece.type === "text" ? [piece.text] : [])).join("\n"),
      ...(attachments.length === 0 ? {} : { attachments }),
    };
  }
}

/** A tool may have nothing to say. */
function readResultContent(value: unknown, param: string) {
  return Array.isArray(value) && value.length === 0 ? [] : readInputContent(value, param);
}

function readMessage(fields: Fields, param: string): Message {
  switch (fields.role) {
    case "system":
    case "developer":
      return { role: fields.role, content: readInputText(fields.content, `${param}.content`) };
    case "user":
      return { role: "user", content: readInputContent(fields.content, `${param}.content`) };
    case "assistant":
      return {
        role: "assistant",
        content: readOutputContent(fields.content, `${param}.content`).filter(
          (content) => content.type !== "text" || content.text !== "",
        ),
      };
    default:
      throw invalidField(
        `${param}.role`,
        `\`${param}.role\` must be one of: system, developer, user, assistant.`,
      );
  }
}

/** A thought as it was given out: its words, and what its provider knows it by. */
function readReasoning(fields: Fields, param: string): ThinkingContent[] {
  const words = [
    ...(readOptional(fields.summary, (value) => readReasoningTexts(value, `${param}.summary`)) ?? []),
    ...(readOptional(fields.content, (value) => readReasoningTexts(value, `${param}.content`)) ?? []),
  ];
  const reasoningState = decodeReasoningState(fields.encrypted_content, `${param}.encrypted_content`);
  const text = words.join("\n\n");
  const isEmpty =
    text === "" && reasoningState.signature === undefined && reasoningState.sealed === undefined;
  return isEmpty ? [] : [{ type: "thinking", text, ...reasoningState }];
}

function readReasoningTexts(value: unknown, param: string): string[] {
  return readList(value, param, 256, (item, at) =>
    readString(readObject(item, at).text, `${at}.text`, 0, INPUT_MAX),
  );
}
