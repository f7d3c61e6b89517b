import type { Attachment, Content, Message, TextContent } from "@trunkline/core/conversation.ts";
import { z } from "zod";
import { Field } from "../../requests/field-table.ts";
import {
  type Fields,
  invalidField,
  readChoice,
  readList,
  readObject,
  readOptional,
  readString,
} from "../../requests/fields.ts";
import { ITEMS_MAX, TEXT_LENGTH_MAX } from "../limits.ts";
import { ToolCallIds } from "../tool-call-ids.ts";
import { toCamelCase } from "./json-conventions.ts";

/** Fields beside the data of a part that only say where it comes from or how to look at it. */
const IGNORED_PART_FIELDS = ["videoMetadata", "mediaResolution", "partMetadata"];

const inlineDataSchema = z.object({ mimeType: z.string(), data: z.string().describe("base64") });
const fileDataSchema = z.object({ mimeType: z.string().optional(), fileUri: z.string().describe("https: URL") });

export const partSchema = z.object({
  text: z.string().optional(),
  thought: z.boolean().optional(),
  thoughtSignature: z.string().optional(),
  inlineData: inlineDataSchema.optional(),
  fileData: fileDataSchema.optional(),
  functionCall: z
    .object({
      id: z.string().optional(),
      name: z.string(),
      args: z.record(z.string(), z.unknown()).optional(),
    })
    .optional(),
  functionResponse: z
    .object({
      id: z.string().optional(),
      name: z.string(),
      response: z.record(z.string(), z.unknown()).optional(),
    })
    .optional(),
});

const contentSchema = z.object({ role: z.enum(["user", "model", "function"]).optional(), parts: z.array(partSchema) });

/** A conversation in Google's format. */
function readContents(value: unknown, param: string, dropped: Set<string>): Message[] {
  const calls = new ToolCallIds();
  const messages = readList(value, param, ITEMS_MAX, (item, path) => {
    const content = toCamelCase(readObject(item, path));
    const given = readOptional(content.role, (role) =>
      readChoice(role, `${path}.role`, ["user", "model", "function", "system"]),
    );
    const role = given === "model" ? "assistant" : given === "system" ? "system" : "user";
    const parts = readParts(content.parts, `${path}.parts`, calls, dropped);
    return splitToolResults(role, parts);
  }).flat();
  if (messages.length === 0) throw invalidField(param, `\`${param}\` must hold at least one part.`);
  return messages;
}

export const contentsField = new Field(readContents, z.array(contentSchema).min(1));

/** The system instruction, of which only texts count. */
function readSystemInstruction(value: unknown, param: string, dropped: Set<string>): TextContent[] {
  if (typeof value === "string") return toTextContent(value, param);
  const { parts } = toCamelCase(readObject(value, param));
  const listed = Array.isArray(parts) || parts === undefined ? (parts ?? []) : [parts];
  const read = readParts(listed, `${param}.parts`, new ToolCallIds(), dropped);
  return read.filter((content) => content.type === "text");
}

export const systemInstructionField = new Field(
  readSystemInstruction,
  z.object({ parts: z.array(partSchema) }),
).optional();

/** Tool results stand in messages of their own in our format. */
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
  return readList(value, param, ITEMS_MAX, (item, path) => {
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
    // A text has no place for a signature, so an empty thought after it carries the signature.
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
    readList(parts, `${param}.parts`, ITEMS_MAX, (item, path) => {
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

/** Text that comes as data becomes text, so that the safety check and the quote see it. */
function readInlineData(value: unknown, param: string): TextContent | Attachment {
  const { mimeType: given, data: bytes, displayName } = toCamelCase(readObject(value, param));
  const mimeType = readMimeType(given, `${param}.mimeType`);
  const data = readString(bytes, `${param}.data`, 1, TEXT_LENGTH_MAX);
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
