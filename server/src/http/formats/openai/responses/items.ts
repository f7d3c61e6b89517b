import type {
  Attachment,
  Content,
  Message,
  TextContent,
  ThinkingContent,
  ToolResultContent,
} from "@trunkline/core/conversation.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { z } from "zod";
import type { RequestContext } from "../../../endpoints/endpoint.ts";
import { Field, stringField } from "../../../requests/field-table.ts";
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
import { noSuchFile, readAudio, readContent, readFile, readText, readThoughtSignature } from "../chat/messages.ts";
import { nameInNamespace, toCustomArguments } from "../tool-forms.ts";

const ITEM_TYPES =
  "message, function_call, function_call_output, custom_tool_call, custom_tool_call_output, reasoning, item_reference";

/** Calls of tools that only OpenAI runs, and what it keeps of a conversation in a form of its own. */
const DROPPED_ITEMS: ReadonlySet<unknown> = new Set([
  "additional_tools",
  "apply_patch_call",
  "apply_patch_call_output",
  "code_interpreter_call",
  "compaction",
  "computer_call",
  "computer_call_output",
  "file_search_call",
  "image_generation_call",
  "local_shell_call",
  "local_shell_call_output",
  "mcp_approval_request",
  "mcp_approval_response",
  "mcp_call",
  "mcp_list_tools",
  "shell_call",
  "shell_call_output",
  "tool_search_call",
  "tool_search_output",
  "web_search_call",
]);

/** What the items of an input are read with. */
interface InputContext extends Partial<Pick<RequestContext, "earlierItems" | "referredItems">> {
  /** Gets the names of the items that have no place here. */
  readonly dropped: Set<string>;
}

/** The items of a conversation as its messages, after those of the earlier turns; a text alone is what the user says. */
function readInput(input: unknown, param: string, { dropped, earlierItems = [], referredItems }: InputContext) {
  // What was dropped of an earlier turn was reported with it.
  const reader = new ItemReader(new Set(), referredItems);
  const earlier = earlierItems.flatMap((item, index) => reader.read(item, `conversation[${index}]`));
  if (input === undefined || input === null) {
    if (earlier.length === 0) throw invalidField(param, `\`${param}\` is required.`);
    return mergeTurns(earlier);
  }
  if (typeof input === "string") {
    const text = readString(input, param, 1, TEXT_LENGTH_MAX);
    return mergeTurns([...earlier, { role: "user", content: [{ type: "text", text }] }]);
  }
  reader.dropped = dropped;
  const items = readList(input, param, ITEMS_MAX, (item, path) => reader.read(item, path)).flat();
  if (items.length === 0) throw invalidField(param, `\`${param}\` must not be empty.`);
  return mergeTurns([...earlier, ...items]);
}

/** The id of the item that a reference stands for; undefined: the item is none. */
export function referredIdOf(item: Fields): string | undefined {
  const isReference = item.type === "item_reference" || ((item.type ?? null) === null && item.role === undefined);
  return isReference && typeof item.id === "string" ? item.id : undefined;
}

const inputText = z.object({ type: z.literal("input_text"), text: z.string() });

const inputPart = z.union([
  inputText,
  z.object({
    type: z.literal("input_image"),
    image_url: z.string().optional().describe("https: or data: URL"),
    file_id: z.string().optional().describe("An image that was uploaded, in the place of `image_url`."),
    detail: z.enum(["auto", "low", "high"]).nullish(),
  }),
  z.object({
    type: z.literal("input_file"),
    file_data: z.string().optional().describe("A data: URL, or base64."),
    file_url: z.string().optional(),
    file_id: z.string().optional().describe("A file that was uploaded, in the place of `file_data`."),
    filename: z.string().optional(),
  }),
  z.object({
    type: z.literal("input_audio"),
    input_audio: z.object({ data: z.string().describe("Base64."), format: z.enum(["wav", "mp3"]) }),
  }),
]);

const outputPart = z.union([
  z.object({ type: z.literal("output_text"), text: z.string() }),
  z.object({ type: z.literal("refusal"), refusal: z.string() }),
]);

const item = z.union([
  z.object({
    type: z.literal("message").optional(),
    role: z.enum(["system", "developer", "user"]),
    content: z.union([z.string(), z.array(inputPart)]),
  }),
  z.object({
    type: z.literal("message").optional(),
    role: z.literal("assistant"),
    content: z.union([z.string(), z.array(outputPart)]),
  }),
  z.object({
    type: z.literal("function_call"),
    call_id: z.string(),
    name: z.string(),
    namespace: z.string().nullish(),
    arguments: z.string().describe("JSON."),
  }),
  z.object({
    type: z.literal("custom_tool_call"),
    call_id: z.string(),
    name: z.string(),
    namespace: z.string().nullish(),
    input: z.string(),
  }),
  z.object({
    type: z.enum(["function_call_output", "custom_tool_call_output"]),
    call_id: z.string(),
    output: z.union([z.string(), z.array(inputPart)]),
  }),
  z.object({ type: z.literal("item_reference"), id: z.string().describe("Of an item of a response that was kept.") }),
  z.object({
    type: z.literal("reasoning"),
    summary: z.array(z.object({ type: z.literal("summary_text"), text: z.string() })),
    encrypted_content: z.string().nullish(),
  }),
]);

export const inputField = new Field(readInput, z.union([z.string(), z.array(item)]));
export const instructionsField = stringField(0, TEXT_LENGTH_MAX).nullish();

/** The thoughts, texts and calls of one turn are separate items here, and one message in our format. */
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

/** Reads one item after the other, and remembers the calls that later results refer to. */
class ItemReader {
  /** The name of each tool by the id of its call. */
  readonly #calls = new Map<string, string>();
  /** Gets the names of the items that have no place here. */
  dropped: Set<string>;
  readonly #referredItems: RequestContext["referredItems"] | undefined;

  constructor(dropped: Set<string>, referredItems: RequestContext["referredItems"] | undefined) {
    this.dropped = dropped;
    this.#referredItems = referredItems;
  }

  /** The message of an item; none where it has no place here. */
  read(item: unknown, param: string): Message[] {
    const given = readObject(item, param);
    const referredId = referredIdOf(given);
    const fields = referredId === undefined ? given : this.#findReferred(referredId, param);
    if (!DROPPED_ITEMS.has(fields.type)) return [this.#readKept(fields, param)];
    this.dropped.add(`input.${String(fields.type)}`);
    return [];
  }

  #readKept(fields: Fields, param: string): Message {
    switch (fields.type ?? "message") {
      case "message":
        return readMessage(fields, param);
      case "reasoning":
        return { role: "assistant", content: readReasoning(fields, param) };
      case "function_call":
      case "custom_tool_call":
        return { role: "assistant", content: [this.#readCall(fields, param)] };
      case "function_call_output":
      case "custom_tool_call_output":
        return { role: "tool", content: [this.#readResult(fields, param)] };
      default:
        throw invalidField(`${param}.type`, `\`${param}.type\` must be one of: ${ITEM_TYPES}.`);
    }
  }

  #findReferred(id: string, param: string): Fields {
    const item = this.#referredItems?.get(id);
    if (item !== undefined) return item;
    throw new Fault(
      "not_found",
      "There is no such item: it was not kept, was deleted, or has expired. Send the item itself; clients do so with `store: false`.",
      { param: `${param}.id` },
    );
  }

  #readCall(fields: Fields, param: string): Content {
    const id = readString(fields.call_id, `${param}.call_id`, 1, 256);
    const ownName = readString(fields.name, `${param}.name`, 1, 128);
    const namespace = readOptional(fields.namespace, (given) => readString(given, `${param}.namespace`, 1, 128));
    const name = namespace === undefined ? ownName : nameInNamespace(namespace, ownName);
    const input =
      fields.type === "custom_tool_call"
        ? toCustomArguments(readString(fields.input, `${param}.input`, 0, TEXT_LENGTH_MAX))
        : readString(fields.arguments, `${param}.arguments`, 0, TEXT_LENGTH_MAX);
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
      throw invalidField(`${param}.call_id`, `\`${param}.call_id\` must be that of a call before this item.`);
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

/** A tool may return nothing. */
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

/** A thought as the answer had it: its text, and the state that its provider needs. */
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
  return readList(value, param, 256, (item, at) =>
    readString(readObject(item, at).text, `${at}.text`, 0, TEXT_LENGTH_MAX),
  );
}

/** Content of a user: a text, or a list of texts and attachments. */
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

/** Content of the application: texts only. */
function readInputText(value: unknown, param: string): TextContent[] {
  return readContent(value, param, (type, part, at) => {
    if (type === "input_text") return readText(part.text, `${at}.text`);
    throw invalidField(`${at}.type`, `\`${at}.type\` must be input_text in a message of this role.`);
  });
}

/** Content of a model. */
function readOutputContent(value: unknown, param: string): Content[] {
  return readContent(value, param, (type, part, at) => {
    if (type === "output_text" || type === "input_text") return readText(part.text, `${at}.text`);
    if (type === "refusal") return readText(part.refusal, `${at}.refusal`);
    throw invalidField(`${at}.type`, `\`${at}.type\` must be one of: output_text, refusal.`);
  });
}

function readImage({ image_url: url, file_id: id, detail }: Fields, param: string): Attachment {
  if (id !== undefined && id !== null) throw noSuchFile(`${param}.file_id`);
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
  if (id !== undefined && id !== null) throw noSuchFile(`${param}.file_id`);
  if (url === undefined || url === null) return readFile(part, param);
  return { type: "attachment", kind: "file", url: readAttachmentUrl(url, `${param}.file_url`) };
}

type ReasoningState = Pick<ThinkingContent, "signature" | "sealed">;

/**
 * The state that a provider needs to continue its own thoughts, in the one string that this format has for it. The
 * client can hold it and send it back.
 */
export function encodeReasoningState({ signature, sealed }: ReasoningState): string | null {
  if (signature === undefined && sealed === undefined) return null;
  return Buffer.from(JSON.stringify({ signature, sealed })).toString("base64url");
}

/** Reads that string. One that was not made here is a sealed thought of a provider of this format. */
export function decodeReasoningState(value: unknown, param: string): ReasoningState {
  const text = readOptional(value, (given) => readString(given, param, 1, TEXT_LENGTH_MAX));
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
