import type {
  Attachment,
  Content,
  Message,
  TextContent,
  ThinkingContent,
  ToolResultContent,
} from "@trunkline/core/conversation.ts";
import {
  type Fields,
  invalidField,
  readChoice,
  readList,
  readObject,
  readOptional,
  readString,
} from "../../../requests/fields.ts";
import { INPUT_MAX, readAttachmentUrl } from "../../../requests/read-inference.ts";
import { readAudio, readContent, readFile, readText, readThoughtSignature } from "../chat/messages.ts";

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
      throw invalidField(`${param}.call_id`, `\`${param}.call_id\` must be that of a function_call before this item.`);
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
      throw invalidField(`${param}.role`, `\`${param}.role\` must be one of: system, developer, user, assistant.`);
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
  const isEmpty = text === "" && reasoningState.signature === undefined && reasoningState.sealed === undefined;
  return isEmpty ? [] : [{ type: "thinking", text, ...reasoningState }];
}

function readReasoningTexts(value: unknown, param: string): string[] {
  return readList(value, param, 256, (item, at) => readString(readObject(item, at).text, `${at}.text`, 0, INPUT_MAX));
}

const NO_STORED_FILES = "No files are kept here. Send the file itself.";

/** What a user says: a text, or texts and things that are attached. */
function readInputContent(value: unknown, param: string): (TextContent | Attachment)[] {
  return readContent(value, param, (type, part, at) => {
    switch (type) {
      case "input_text":
        return readText(part.text, `${at}.text`);
      case "input_image":
        return readImage(part, at);
      case "input_file":
        return readInputFile(part, at);
      case "input_audio":
        return readAudio(part.input_audio, `${at}.input_audio`);
      default:
        throw invalidField(
          `${at}.type`,
          `\`${at}.type\` must be one of: input_text, input_image, input_file, input_audio.`,
        );
    }
  });
}

/** What takes words alone: what the application says. */
function readInputText(value: unknown, param: string): TextContent[] {
  return readContent(value, param, (type, part, at) => {
    if (type === "input_text") return readText(part.text, `${at}.text`);
    throw invalidField(`${at}.type`, `\`${at}.type\` must be input_text in a message of this role.`);
  });
}

/** What a model said before. */
function readOutputContent(value: unknown, param: string): Content[] {
  return readContent(value, param, (type, part, at) => {
    if (type === "output_text" || type === "input_text") return readText(part.text, `${at}.text`);
    if (type === "refusal") return readText(part.refusal, `${at}.refusal`);
    throw invalidField(`${at}.type`, `\`${at}.type\` must be one of: output_text, refusal.`);
  });
}

function readImage({ image_url: url, file_id: id, detail }: Fields, param: string): Attachment {
  if (id !== undefined && id !== null) throw invalidField(`${param}.file_id`, NO_STORED_FILES);
  return {
    type: "attachment",
    kind: "image",
    url: readAttachmentUrl(url, `${param}.image_url`),
    detail: readOptional(detail, (given) =>
      given === "original" ? "high" : readChoice(given, `${param}.detail`, ["auto", "low", "high"]),
    ),
  };
}

function readInputFile(part: Fields, param: string): Attachment {
  const { file_url: url, file_id: id } = part;
  if (id !== undefined && id !== null) throw invalidField(`${param}.file_id`, NO_STORED_FILES);
  if (url === undefined || url === null) return readFile(part, param);
  return { type: "attachment", kind: "file", url: readAttachmentUrl(url, `${param}.file_url`) };
}

type ReasoningState = Pick<ThinkingContent, "signature" | "sealed">;

const ENCODED_LENGTH_MAX = 4 * 1024 * 1024;

/**
 * What a provider needs to know its own thoughts again, as the one string that this format has for it. Nothing is kept
 * here, so it travels to the client and back.
 */
export function encodeReasoningState({ signature, sealed }: ReasoningState): string | null {
  if (signature === undefined && sealed === undefined) return null;
  return Buffer.from(JSON.stringify({ signature, sealed })).toString("base64url");
}

/** The way back. A string that is none of ours is what a provider of this format sealed itself. */
export function decodeReasoningState(value: unknown, param: string): ReasoningState {
  const text = readOptional(value, (given) => readString(given, param, 1, ENCODED_LENGTH_MAX));
  if (text === undefined) return {};
  try {
    const { signature, sealed } = readObject(JSON.parse(Buffer.from(text, "base64url").toString("utf8")), "");
    if (typeof signature === "string") return { signature };
    if (typeof sealed === "string") return { sealed };
  } catch {
    return { sealed: text };
  }
  throw invalidField(param, `\`${param}\` must be handed back as it was given out.`);
}
