import type { Attachment, Content, Message, TextContent } from "@trunkline/core/conversation.ts";
import {
  type Fields,
  invalid,
  readChoice,
  readList,
  readObject,
  readOptional,
  readString,
} from "../../requests/fields.ts";
import { CallBook } from "./call-book.ts";
import { toCamel } from "./to-camel.ts";

const CONTENTS_MAX = 100_000;
const PARTS_MAX = 100_000;
const WORDS_MAX = 4_000_000;
const DATA_MAX = 20 * 1024 * 1024;

/** What stands beside the data of a part, and says only how it came about or is to be looked at. */
const ASIDE = ["videoMetadata", "mediaResolution", "partMetadata"];

/** A conversation in Google's form. */
export function readContents(value: unknown, dropped: Set<string>): Message[] {
  const calls = new CallBook();
  return readList(value, "contents", CONTENTS_MAX, (item, param) => {
    const content = toCamel(readObject(item, param));
    const given = readOptional(content.role, (role) =>
      readChoice(role, `${param}.role`, ["user", "model", "function", "system"]),
    );
    const role = given === "model" ? "assistant" : given === "system" ? "system" : "user";
    const parts = readParts(content.parts, `${param}.parts`, calls, dropped);
    return messagesOf(role, parts);
  }).flat();
}

/** What the application tells a model: texts alone. */
export function readInstruction(value: unknown, dropped: Set<string>): TextContent[] {
  if (typeof value === "string") return textOf(value, "systemInstruction");
  const { parts } = toCamel(readObject(value, "systemInstruction"));
  const listed = Array.isArray(parts) || parts === undefined ? (parts ?? []) : [parts];
  const read = readParts(listed, "systemInstruction.parts", new CallBook(), dropped);
  return read.filter((content) => content.type === "text");
}

/** What tools brought back stands in messages of its own here. */
function messagesOf(role: Message["role"], content: readonly Content[]): Message[] {
  const messages: { role: Message["role"]; content: Content[] }[] = [];
  for (const piece of content) {
    const of = piece.type === "tool-result" ? "tool" : role;
    const last = messages.at(-1);
    if (last?.role === of) last.content.push(piece);
    else messages.push({ role: of, content: [piece] });
  }
  return messages;
}

function readParts(value: unknown, param: string, calls: CallBook, dropped: Set<string>): Content[] {
  return readList(value, param, PARTS_MAX, (item, path) => {
    const part = toCamel(readObject(item, path));
    for (const name of ASIDE) if (part[name] != null) dropped.add(`parts.${name}`);
    return readPart(part, path, calls, dropped);
  }).flat();
}

function readPart(part: Fields, param: string, calls: CallBook, dropped: Set<string>): Content[] {
  const signature = readOptional(part.thoughtSignature, (value) =>
    readString(value, `${param}.thoughtSignature`, 0, WORDS_MAX),
  );
  const signed = signature === undefined ? {} : { signature };
  if (part.functionCall != null) {
    const call = toCamel(readObject(part.functionCall, `${param}.functionCall`));
    const name = readString(call.name, `${param}.functionCall.name`, 1, 256);
    const args = readOptional(call.args, (given) => readObject(given, `${param}.functionCall.args`)) ?? {};
    const id = calls.make(readId(call.id, `${param}.functionCall.id`), name);
    return [{ type: "tool-call", id, name, arguments: JSON.stringify(args), ...signed }];
  }
  if (part.functionResponse != null)
    return [readResponse(part.functionResponse, `${param}.functionResponse`, calls)];
  if (part.text != null) {
    const text = readString(part.text, `${param}.text`, 0, WORDS_MAX);
    if (part.thought === true) return [{ type: "thinking", text, ...signed }];
    // Words have no place for a signature: it follows them as a thought without any.
    const thought: Content[] = signature === undefined ? [] : [{ type: "thinking", text: "", signature }];
    return [...textOf(text, param), ...thought];
  }
  if (part.inlineData != null) return [readInline(part.inlineData, `${param}.inlineData`)];
  if (part.fileData != null) return [readFile(part.fileData, `${param}.fileData`)];
  for (const name of ["executableCode", "codeExecutionResult", "toolCall", "toolResponse"]) {
    if (part[name] == null) continue;
    dropped.add(`parts.${name}`);
    return [];
  }
  if (signature !== undefined) return [{ type: "thinking", text: "", signature }];
  throw invalid(
    param,
    `\`${param}\` must have text, inlineData, fileData, functionCall or functionResponse.`,
  );
}

function readResponse(value: unknown, param: string, calls: CallBook): Content {
  const given = toCamel(readObject(value, param));
  const name = readString(given.name, `${param}.name`, 1, 256);
  const response = readOptional(given.response, (fields) => readObject(fields, `${param}.response`)) ?? {};
  const shown = readOptional(given.parts, (parts) =>
    readList(parts, `${param}.parts`, PARTS_MAX, (item, path) => {
      const part = toCamel(readObject(item, path));
      return part.fileData == null
        ? readInline(part.inlineData, `${path}.inlineData`)
        : readFile(part.fileData, `${path}.fileData`);
    }),
  );
  const attachments = (shown ?? []).filter((content) => content.type === "attachment");
  const words = (shown ?? []).flatMap((content) => (content.type === "text" ? [content.text] : []));
  const isError = Object.keys(response).join() === "error";
  return {
    type: "tool-result",
    id: calls.answer(readId(given.id, `${param}.id`), name),
    name,
    text: [JSON.stringify(response), ...words].join("\n"),
    ...(isError ? { isError } : {}),
    ...(attachments.length === 0 ? {} : { attachments }),
  };
}

/** Words that come as data are words all the same, so that they are judged and counted like any others. */
function readInline(value: unknown, param: string): TextContent | Attachment {
  const { mimeType: given, data: bytes, displayName } = toCamel(readObject(value, param));
  const mimeType = readMimeType(given, `${param}.mimeType`);
  const data = readString(bytes, `${param}.data`, 1, DATA_MAX);
  if (/^text\//i.test(mimeType)) return { type: "text", text: Buffer.from(data, "base64").toString("utf8") };
  return {
    type: "attachment",
    kind: kindOf(mimeType),
    url: `data:${mimeType};base64,${data}`,
    ...(typeof displayName === "string" && displayName !== "" ? { name: displayName } : {}),
  };
}

function readFile(value: unknown, param: string): Attachment {
  const { mimeType: given, fileUri } = toCamel(readObject(value, param));
  const mimeType = readOptional(given, (type) => readMimeType(type, `${param}.mimeType`));
  const url = readString(fileUri, `${param}.fileUri`, 1, 8192);
  if (!URL.canParse(url) || new URL(url).protocol !== "https:")
    throw invalid(
      `${param}.fileUri`,
      `\`${param}.fileUri\` must be an https: URL. Send anything else as inlineData.`,
    );
  return { type: "attachment", kind: kindOf(mimeType ?? ""), url };
}

function readMimeType(value: unknown, param: string): string {
  const mimeType = readString(value, param, 1, 128);
  const bare = mimeType.split(";")[0]?.trim() ?? "";
  if (!/^[a-z]+\/[a-z0-9.+-]+$/i.test(bare))
    throw invalid(param, `\`${param}\` must be a media type, such as image/png.`);
  return bare;
}

function kindOf(mimeType: string): Attachment["kind"] {
  if (/^image\//i.test(mimeType)) return "image";
  return /^audio\//i.test(mimeType) ? "audio" : "file";
}

function readId(value: unknown, param: string): string | undefined {
  return readOptional(value, (id) => readString(id, param, 0, 256)) || undefined;
}

function textOf(value: unknown, param: string): TextContent[] {
  const text = readString(value, param, 0, WORDS_MAX);
  return text === "" ? [] : [{ type: "text", text }];
}
