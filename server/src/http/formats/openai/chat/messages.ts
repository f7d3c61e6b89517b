import type {
  Attachment,
  Content,
  Message,
  TextContent,
  ThinkingContent,
  ToolCallContent,
  ToolResultContent,
} from "@trunkline/core/conversation.ts";
import type { Fault } from "@trunkline/core/fault.ts";
import { z } from "zod";
import { Field } from "../../../requests/field-table.ts";
import {
  type Fields,
  invalidField,
  readChoice,
  readList,
  readObject,
  readOptional,
  readString,
} from "../../../requests/fields.ts";
import { readAttachmentUrl } from "../../../requests/read-inference.ts";
import { ITEMS_MAX, TEXT_LENGTH_MAX } from "../../limits.ts";
import { toCustomArguments } from "../tool-forms.ts";

const CALLS_MAX = 128;
const ROLES = "system, developer, user, assistant, tool, function";

interface ReadMessages {
  readonly messages: readonly Message[];
  /** The fields of messages that are dropped. */
  readonly dropped: readonly string[];
}

/** The messages of a chat, in any of its forms. */
function readMessages(value: unknown): ReadMessages {
  if (value === undefined || value === null) throw invalidField("messages", "`messages` is required.");
  const plain = readPlainMessages(value);
  if (plain !== undefined) return { messages: plain, dropped: NOTHING_DROPPED };
  const reader = new MessageReader();
  const messages = readList(
    value,
    "messages",
    ITEMS_MAX,
    (item, param) => readPlainMessage(item) ?? reader.read(item, param),
  );
  if (messages.length === 0) throw invalidField("messages", "`messages` must not be empty.");
  return { messages, dropped: [...reader.dropped] };
}

const NOTHING_DROPPED: readonly string[] = [];

/** Messages of which each consists of its role and a text; undefined for any others. */
function readPlainMessages(value: unknown): readonly Message[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > ITEMS_MAX) return undefined;
  const messages: Message[] = new Array(value.length);
  for (let at = 0; at < value.length; at++) {
    const plain = readPlainMessage(value[at]);
    if (plain === undefined) return undefined;
    messages[at] = plain;
  }
  return messages;
}

/** A message that consists of its role and a text, as most do; undefined for any other, and for a wrong one. */
function readPlainMessage(item: unknown): Message | undefined {
  if (typeof item !== "object" || item === null) return undefined;
  const { role, content, name, audio } = item as Fields;
  if (typeof content !== "string" || content.length > TEXT_LENGTH_MAX || name != null || audio != null)
    return undefined;
  if (role !== "system" && role !== "developer" && role !== "user") return undefined;
  return { role, content: [{ type: "text", text: content }] };
}

const textPart = z.object({ type: z.literal("text"), text: z.string() });
const textContent = z.union([z.string(), z.array(textPart)]);

const userPart = z.union([
  textPart,
  z.object({
    type: z.literal("image_url"),
    image_url: z.object({
      url: z.string().describe("https: or data: URL"),
      detail: z.enum(["auto", "low", "high"]).optional(),
    }),
  }),
  z.object({
    type: z.literal("input_audio"),
    input_audio: z.object({ data: z.string().describe("Base64."), format: z.enum(["wav", "mp3"]) }),
  }),
  z.object({
    type: z.literal("file"),
    file: z.object({
      file_data: z.string().optional().describe("A data: URL, or base64."),
      file_id: z.string().optional().describe("A file that was uploaded, in the place of `file_data`."),
      filename: z.string().optional(),
    }),
  }),
]);

const assistantPart = z.union([textPart, z.object({ type: z.literal("refusal"), refusal: z.string() })]);
const functionCall = z.object({ name: z.string(), arguments: z.string().describe("JSON.") });

const message = z.union([
  z.object({ role: z.enum(["system", "developer"]), content: textContent }),
  z.object({ role: z.literal("user"), content: z.union([z.string(), z.array(userPart)]) }),
  z.object({
    role: z.literal("assistant"),
    content: z.union([z.string(), z.array(assistantPart)]).nullish(),
    refusal: z.string().nullish(),
    reasoning_content: z.string().nullish().describe("What the model thought, as it was given out."),
    reasoning: z.string().nullish().describe("The same under OpenRouter's name."),
    tool_calls: z
      .array(
        z.union([
          z.object({ id: z.string(), type: z.literal("function"), function: functionCall }),
          z.object({
            id: z.string(),
            type: z.literal("custom"),
            custom: z.object({ name: z.string(), input: z.string() }),
          }),
        ]),
      )
      .optional(),
    function_call: functionCall.nullish(),
  }),
  z.object({ role: z.literal("tool"), tool_call_id: z.string(), content: textContent }),
  z.object({ role: z.literal("function"), name: z.string(), content: textContent }),
]);

export const messagesField = new Field(readMessages, z.array(message).min(1).max(ITEMS_MAX));

/** Reads one message after the other, and remembers the calls that later results refer to. */
class MessageReader {
  readonly dropped = new Set<string>();
  /** The name of each tool by the id of its call. */
  readonly #calls = new Map<string, string>();

  read(item: unknown, param: string): Message {
    const fields = readObject(item, param);
    for (const name of ["name", "audio"] as const) {
      const isKept = name === "name" && fields.role === "function";
      if (fields[name] !== undefined && fields[name] !== null && !isKept) this.dropped.add(`messages.${name}`);
    }
    switch (fields.role) {
      case "system":
      case "developer":
        return { role: fields.role, content: readTextContent(fields.content, `${param}.content`) };
      case "user":
        return { role: "user", content: readUserContent(fields.content, `${param}.content`) };
      case "assistant":
        return { role: "assistant", content: this.#readAssistant(fields, param) };
      case "tool":
        return { role: "tool", content: [this.#readResult(fields, param)] };
      case "function":
        return { role: "tool", content: [this.#readFunctionResult(fields, param)] };
      default:
        throw invalidField(`${param}.role`, `\`${param}.role\` must be one of: ${ROLES}.`);
    }
  }

  #readAssistant(fields: Fields, param: string): Content[] {
    const content = readOptional(fields.content, (value) => readAssistantContent(value, `${param}.content`));
    const refusal = readOptional(fields.refusal, (value) => readText(value, `${param}.refusal`));
    const calls = [
      ...(readOptional(fields.tool_calls, (value) => this.#readCalls(value, `${param}.tool_calls`)) ?? []),
      ...(readOptional(fields.function_call, (value) => [this.#readFunctionCall(value, `${param}.function_call`)]) ??
        []),
    ];
    if (content === undefined && refusal === undefined && calls.length === 0)
      throw invalidField(`${param}.content`, `\`${param}.content\` is required where no tool is called.`);
    return [
      ...(fields.reasoning_content == null
        ? readReasoningContent(fields.reasoning, `${param}.reasoning`)
        : readReasoningContent(fields.reasoning_content, `${param}.reasoning_content`)),
      ...(content ?? []),
      ...(refusal === undefined ? [] : [refusal]),
      ...calls,
    ].filter((piece) => piece.type !== "text" || piece.text !== "");
  }

  #readCalls(value: unknown, param: string): ToolCallContent[] {
    return readList(value, param, CALLS_MAX, (item, at) => {
      const call = readObject(item, at);
      const type = readOptional(call.type, (given) => readChoice(given, `${at}.type`, ["function", "custom"]));
      const id = readString(call.id, `${at}.id`, 1, 256);
      const signature = readThoughtSignature(call.extra_content, `${at}.extra_content`);
      return {
        ...(type === "custom"
          ? this.#readCustomCall(id, call.custom, `${at}.custom`)
          : this.#readNamedCall(id, call.function, `${at}.function`)),
        ...(signature === undefined ? {} : { signature }),
      };
    });
  }

  /** The old form of a call has no id, so its position makes a unique one. */
  #readFunctionCall(value: unknown, param: string): ToolCallContent {
    return this.#readNamedCall(`call_${this.#calls.size}`, value, param);
  }

  #readNamedCall(id: string, value: unknown, param: string): ToolCallContent {
    const fields = readObject(value, param);
    const name = readString(fields.name, `${param}.name`, 1, 128);
    const input = readString(fields.arguments, `${param}.arguments`, 0, TEXT_LENGTH_MAX);
    this.#calls.set(id, name);
    return { type: "tool-call", id, name, arguments: input === "" ? "{}" : input };
  }

  #readCustomCall(id: string, value: unknown, param: string): ToolCallContent {
    const fields = readObject(value, param);
    const name = readString(fields.name, `${param}.name`, 1, 128);
    const input = readString(fields.input, `${param}.input`, 0, TEXT_LENGTH_MAX);
    this.#calls.set(id, name);
    return { type: "tool-call", id, name, arguments: toCustomArguments(input) };
  }

  #readResult(fields: Fields, param: string): ToolResultContent {
    const id = readString(fields.tool_call_id, `${param}.tool_call_id`, 1, 256);
    const name = this.#calls.get(id);
    if (name === undefined) {
      throw invalidField(
        `${param}.tool_call_id`,
        `\`${param}.tool_call_id\` must be the id of a tool call in a message before this one.`,
      );
    }
    return { type: "tool-result", id, name, text: readResultText(fields, param) };
  }

  /** The old form of a result names the function: it answers the last call of that name. */
  #readFunctionResult(fields: Fields, param: string): ToolResultContent {
    const name = readString(fields.name, `${param}.name`, 1, 128);
    const [id] = [...this.#calls].findLast(([, called]) => called === name) ?? [];
    if (id === undefined)
      throw invalidField(`${param}.name`, `\`${param}.name\` must be a function that was called before.`);
    return { type: "tool-result", id, name, text: readResultText(fields, param) };
  }
}

function readResultText(fields: Fields, param: string): string {
  return readTextContent(fields.content, `${param}.content`)
    .map(({ text }) => text)
    .join("\n");
}

function readReasoningContent(value: unknown, param: string): ThinkingContent[] {
  const text = readOptional(value, (given) => readString(given, param, 0, TEXT_LENGTH_MAX)) ?? "";
  return text === "" ? [] : [{ type: "thinking", text }];
}

/** The thought signature of a call, where Google's own OpenAI-compatible API has it. */
export function readThoughtSignature(value: unknown, param: string): string | undefined {
  const google = readOptional(value, (given) => readObject(given, param))?.google;
  const signature = readOptional(google, (given) => readObject(given, `${param}.google`))?.thought_signature;
  return readOptional(signature, (given) => readString(given, `${param}.google.thought_signature`, 1, TEXT_LENGTH_MAX));
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const AUDIO_TYPES = { wav: "audio/wav", mp3: "audio/mpeg" } as const;

/** Content of a user: a text, or a list of texts and attachments. */
function readUserContent(value: unknown, param: string): Content[] {
  return readContent(value, param, (type, part, at) => {
    switch (type) {
      case "text":
        return readText(part.text, `${at}.text`);
      case "image_url":
        return readImage(part.image_url, `${at}.image_url`);
      case "input_audio":
        return readAudio(part.input_audio, `${at}.input_audio`);
      case "file":
        return readFile(part.file, `${at}.file`);
      default:
        throw invalidField(`${at}.type`, `\`${at}.type\` must be one of: text, image_url, input_audio, file.`);
    }
  });
}

/** Content of a model: a text, or a list of texts and refusals. */
function readAssistantContent(value: unknown, param: string): TextContent[] {
  return readContent(value, param, (type, part, at) => {
    if (type === "text") return readText(part.text, `${at}.text`);
    if (type === "refusal") return readText(part.refusal, `${at}.refusal`);
    throw invalidField(`${at}.type`, `\`${at}.type\` must be one of: text, refusal.`);
  });
}

/** Content of the application or its tools: texts only. */
function readTextContent(value: unknown, param: string): TextContent[] {
  return readContent(value, param, (type, part, at) => {
    if (type === "text") return readText(part.text, `${at}.text`);
    throw invalidField(`${at}.type`, `\`${at}.type\` must be text in a message of this role.`);
  });
}

export function readText(value: unknown, param: string): TextContent {
  return { type: "text", text: readString(value, param, 0, TEXT_LENGTH_MAX) };
}

/** A text, or a list of parts of several types. */
export function readContent<Piece extends Content>(
  value: unknown,
  param: string,
  readPart: (type: unknown, part: Readonly<Record<string, unknown>>, param: string) => Piece,
): (Piece | TextContent)[] {
  if (typeof value === "string") return [readText(value, param)];
  if (!Array.isArray(value)) throw invalidField(param, `\`${param}\` must be a string or a list of parts.`);
  if (value.length === 0) throw invalidField(param, `\`${param}\` must not be empty.`);
  return readList(value, param, ITEMS_MAX, (item, at) => {
    const part = readObject(item, at);
    return readPart(part.type, part, at);
  });
}

function readImage(value: unknown, param: string): Attachment {
  const { url, detail } = readObject(value, param);
  return {
    type: "attachment",
    kind: "image",
    url: readAttachmentUrl(url, `${param}.url`),
    detail: readOptional(detail, (given) => readChoice(given, `${param}.detail`, ["auto", "low", "high"])),
  };
}

/** Audio that the request holds itself. */
export function readAudio(value: unknown, param: string): Attachment {
  const { data, format } = readObject(value, param);
  const type = AUDIO_TYPES[readChoice(format, `${param}.format`, ["wav", "mp3"])];
  return {
    type: "attachment",
    kind: "audio",
    url: `data:${type};base64,${readBase64(data, `${param}.data`)}`,
  };
}

/** The ids of files that are there have been replaced by the files. */
export function noSuchFile(param: string): Fault {
  return invalidField(
    param,
    "There is no such file for messages, or it is no image where one is wanted. Upload it with the purpose `user_data`, or send the file itself.",
  );
}

/** A file that the request holds itself. */
export function readFile(value: unknown, param: string): Attachment {
  const { file_data: data, filename, file_id: id } = readObject(value, param);
  if (id !== undefined && id !== null) throw noSuchFile(`${param}.file_id`);
  const name = readOptional(filename, (given) => readString(given, `${param}.filename`, 1, 255));
  const type = name?.toLowerCase().endsWith(".pdf") === false ? "application/octet-stream" : "application/pdf";
  const url =
    typeof data === "string" && /^data:/i.test(data)
      ? readAttachmentUrl(data, `${param}.file_data`)
      : `data:${type};base64,${readBase64(data, `${param}.file_data`)}`;
  return { type: "attachment", kind: "file", url, name };
}

function readBase64(value: unknown, param: string): string {
  const data = readString(value, param, 1, Number.MAX_SAFE_INTEGER);
  if (!BASE64.test(data)) throw invalidField(param, `\`${param}\` must be in base64.`);
  return data;
}
