import type { Attachment, Content, Message, TextContent } from "@trunkline/core/conversation.ts";
import {
  type Fields,
  invalidField,
  readChoice,
  readList,
  readObject,
  readOptional,
  readString,
} from "../../requests/fields.ts";
import { toCamelCase } from "./json-conventions.ts";

const CONTENTS_MAX = 100_000;
const PARTS_MAX = 100_000;
const TEXT_LENGTH_MAX = 4_000_000;
const DATA_LENGTH_MAX = 20 * 1024 * 1024;

/** What stands beside the data of a part, and says only how it came about or is to be looked at. */
const IGNORED_PART_FIELDS = ["videoMetadata", "mediaResolution", "partMetadata"];

/** A conversation in Google's form. */
export function readContents(value: unknown, dropped: Set<string>): Message[] {
  const calls = new ToolCallIds();
  return readList(value, "contents", CONTENTS_MAX, (item, param) => {
    const content = toCamelCase(readObject(item, param));
    const given = readOptional(content.role, (role) =>
      readChoice(role, `${param}.role`, ["user", "model", "function", "system"]),
    );
    const role = given === "model" ? "assistant" : given === "system" ? "system" : "user";
    const parts = readParts(content.parts, `${param}.parts`, calls, dropped);
    return splitToolResults(role, parts);
  }).flat();
}

/** What the application tells a model: texts alone. */
export function readSystemInstruction(value: unknown, dropped: Set<string>): TextContent[] {
  if (typeof value === "string") return toTextContent(value, "systemInstruction");
  const { parts } = toCamelCase(readObject(value, "systemInstruction"));
  const listed = Array.isArray(parts) || parts === undefined ? (parts ?? []) : [parts];
  const read = readParts(listed, "systemInstruction.parts", new ToolCallIds(), dropped);
  return read.filter((content) => content.type === "text");
}

/** What tools brought back stands in messages of its own here. */
function splitToolResults(role: Message["role"], content: readonly Content[]): Message[] {
  const messages: { role: Message["role"]; content: Content[] }[] = [];
  for (const piece of content) {
    const of = piece.type === "tool-result" ? "tool" : role;
    const last = messages.at(-1);
    if (last?.role === of) last.content.push(piece);
    else messages.push({ role: of, content: [piece] });
  }
  return messages;
}

function readParts(value: unknown, param: string, calls: ToolCallIds, dropped: Set<string>): Content[] {
  return readList(value, param, PARTS_MAX, (item, path) => {
    const part = toCamelCase(readObject(item, path));
    for (const name of IGNORED_PART_FIELDS) if (part[name] != null) dropped.add(`parts.${name}`);
    return readPart(part, path, calls, dropped);
  }).flat();
}

function readPart(part: Fields, param: string, calls: ToolCallIds, dropped: Set<string>): Content[] {
  const signature = readOptional(part.thoughtSignature, (value) =>
    readString(value, `${param}.thoughtSignature`, 0, TEXT_LENGTH_MAX),
  );
  const signed = signature === undefined ? {} : { signature };
  if (part.functionCall != null) {
    const call = toCamelCase(readObject(part.functionCall, `${param}.functionCall`));
    const name = readString(call.name, `${param}.functionCall.name`, 1, 256);
    const args = readOptional(call.args, (given) => readObject(given, `${param}.functionCall.args`)) ?? {};
    const id = calls.register(readId(call.id, `${param}.functionCall.id`), name);
    return [{ type: "tool-call", id, name, arguments: JSON.stringify(args), ...signed }];
  }
  if (part.functionResponse != null)
    return [readFunctionResponse(part.functionResponse, `${param}.functionResponse`, calls)];
  if (part.text != null) {
    const text = readString(part.text, `${param}.text`, 0, TEXT_LENGTH_MAX);
    if (part.thought === true) return [{ type: "thinking", text, ...signed }];
    // Words have no place for a signature: it follows them as a thought without any.
    const thought: Content[] = signature === undefined ? [] : [{ type: "thinking", text: "", signature }];
    return [...toTextContent(text, param), ...thought];
  }
  if (part.inlineData != null) return [readInlineData(part.inlineData, `${param}.inlineData`)];
  if (part.fileData != null) return [readFileData(part.fileData, `${param}.fileData`)];
  for (const name of ["executableCode", "codeExecutionResult", "toolCall", "toolResponse"]) {
    if (part[name] == null) continue;
    dropped.add(`parts.${name}`);
    return [];
  }
  if (signature !== undefined) return [{ type: "thinking", text: "", signature }];
  throw invalidField(param, `\`${param}\` must have text, inlineData, fileData, functionCall or functionResponse.`);
}

function readFunctionResponse(value: unknown, param: string, calls: ToolCallIds): Content {
  const given = toCamelCase(readObject(value, param));
  const name = readString(given.name, `${param}.name`, 1, 256);
  const response = readOptional(given.response, (fields) => readObject(fields, `${param}.response`)) ?? {};
  const shown = readOptional(given.parts, (parts) =>
    readList(parts, `${param}.parts`, PARTS_MAX, (item, path) => {
      const part = toCamelCase(readObject(item, path));
      return part.fileData == null
        ? readInlineData(part.inlineData, `${path}.inlineData`)
        : readFileData(part.fileData, `${path}.fileData`);
    }),
  );
  const attachments = (shown ?? []).filter((content) => content.type === "attachment");
  const words = (shown ?? []).flatMap((content) => (content.type === "text" ? [content.text] : []));
  const isError = Object.keys(response).join() === "error";
  return {
    type: "tool-result",
    id: calls.resolve(readId(given.id, `${param}.id`), name),
    name,
    text: [JSON.stringify(response), ...words].join("\n"),
    ...(isError ? { isError } : {}),
    ...(attachments.length === 0 ? {} : { attachments }),
  };
}

/** Words that come as data are words all the same, so that they are judged and counted like any others. */
function readInlineData(value: unknown, param: string): TextContent | Attachment {
  const { mimeType: given, data: bytes, displayName } = toCamelCase(readObject(value, param));
  const mimeType = readMimeType(given, `${param}.mimeType`);
  const data = readString(bytes, `${param}.data`, 1, DATA_LENGTH_MAX);
  if (/^text\//i.test(mimeType)) return { type: "text", text: Buffer.from(data, "base64").toString("utf8") };
  return {
    type: "attachment",
    kind: attachmentKindOf(mimeType),
    url: `data:${mimeType};base64,${data}`,
    ...(typeof displayName === "string" && displayName !== "" ? { name: displayName } : {}),
  };
}

function readFileData(value: unknown, param: string): Attachment {
  const { mimeType: given, fileUri } = toCamelCase(readObject(value, param));
  const mimeType = readOptional(given, (type) => readMimeType(type, `${param}.mimeType`));
  const url = readString(fileUri, `${param}.fileUri`, 1, 8192);
  if (!URL.canParse(url) || new URL(url).protocol !== "https:")
    throw invalidField(
      `${param}.fileUri`,
      `\`${param}.fileUri\` must be an https: URL. Send anything else as inlineData.`,
    );
  return { type: "attachment", kind: attachmentKindOf(mimeType ?? ""), url };
}

function readMimeType(value: unknown, param: string): string {
  const mimeType = readString(value, param, 1, 128);
  const bare = mimeType.split(";")[0]?.trim() ?? "";
  if (!/^[a-z]+\/[a-z0-9.+-]+$/i.test(bare))
    throw invalidField(param, `\`${param}\` must be a media type, such as image/png.`);
  return bare;
}

function attachmentKindOf(mimeType: string): Attachment["kind"] {
  if (/^image\//i.test(mimeType)) return "image";
  return /^audio\//i.test(mimeType) ? "audio" : "file";
}

function readId(value: unknown, param: string): string | undefined {
  return readOptional(value, (id) => readString(id, param, 0, 256)) || undefined;
}

function toTextContent(value: unknown, param: string): TextContent[] {
  const text = readString(value, param, 0, TEXT_LENGTH_MAX);
  return text === "" ? [] : [{ type: "text", text }];
}

/**
 * Which call of a tool a result answers. In Google's form ids may be left out: then a result answers the first call of
 * its name that has none yet.
 */
class ToolCallIds {
  readonly #open: { readonly id: string; readonly name: string }[] = [];
  #made = 0;

  /** A call; returns the id that it has, or is given. */
  register(given: string | undefined, name: string): string {
    const id = given ?? this.#newId();
    this.#open.push({ id, name });
    return id;
  }

  /** The result of a call; returns that call's id. */
  resolve(given: string | undefined, name: string): string {
    const place = this.#open.findIndex((call) => (given === undefined ? call.name === name : call.id === given));
    const [call] = place === -1 ? [] : this.#open.splice(place, 1);
    return given ?? call?.id ?? this.#newId();
  }

  #newId(): string {
    this.#made += 1;
    return `call_${this.#made}`;
  }
}
