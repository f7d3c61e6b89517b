import type { Attachment, Content, TextContent } from "@trunkline/core/conversation.ts";
import {
  invalidField,
  readChoice,
  readList,
  readObject,
  readOptional,
  readString,
} from "../../../requests/fields.ts";
import { INPUT_MAX, readAttachmentUrl } from "../../../requests/read-inference.ts";

const PARTS_MAX = 256;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const AUDIO_TYPES = { wav: "audio/wav", mp3: "audio/mpeg" } as const;

/** What a user says: a text, or texts and things that are attached. */
export function readUserContent(value: unknown, param: string): Content[] {
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
        throw invalidField(
          `${at}.type`,
          `\`${at}.type\` must be one of: text, image_url, input_audio, file.`,
        );
    }
  });
}

/** What a model said: a text, or texts and refusals, which are texts as well. */
export function readAssistantContent(value: unknown, param: string): TextContent[] {
  return readContent(value, param, (type, part, at) => {
    if (type === "text") return readText(part.text, `${at}.text`);
    if (type === "refusal") return readText(part.refusal, `${at}.refusal`);
    throw invalidField(`${at}.type`, `\`${at}.type\` must be one of: text, refusal.`);
  });
}

/** What takes words alone: what the application says, and what its tools bring back. */
export function readTextContent(value: unknown, param: string): TextContent[] {
  return readContent(value, param, (type, part, at) => {
    if (type === "text") return readText(part.text, `${at}.text`);
    throw invalidField(`${at}.type`, `\`${at}.type\` must be text in a message of this role.`);
  });
}

export function readText(value: unknown, param: string): TextContent {
  return { type: "text", text: readString(value, param, 0, INPUT_MAX) };
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
  return readList(value, param, PARTS_MAX, (item, at) => {
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

/** A sound that comes along with the request. */
export function readAudio(value: unknown, param: string): Attachment {
  const { data, format } = readObject(value, param);
  const type = AUDIO_TYPES[readChoice(format, `${param}.format`, ["wav", "mp3"])];
  return {
    type: "attachment",
    kind: "audio",
    url: `data:${type};base64,${readBase64(data, `${param}.data`)}`,
  };
}

/** A file that comes along with the request. */
export function readFile(value: unknown, param: string): Attachment {
  const { file_data: data, filename, file_id: id } = readObject(value, param);
  if (id !== undefined && id !== null)
    throw invalidField(`${param}.file_id`, "No files are kept here. Send the file itself as `file_data`.");
  const name = readOptional(filename, (given) => readString(given, `${param}.filename`, 1, 255));
  const type =
    name?.toLowerCase().endsWith(".pdf") === false ? "application/octet-stream" : "application/pdf";
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
