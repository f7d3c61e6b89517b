import type { Attachment, Content, TextContent } from "@trunkline/core/conversation.ts";
import { type Fields, invalidField, readChoice, readOptional } from "../../../requests/fields.ts";
import { readAttachmentUrl } from "../../../requests/read-inference.ts";
import { readAudio, readContent, readFile, readText } from "../chat/read-content.ts";

const NO_STORED_FILES = "No files are kept here. Send the file itself.";

/** What a user says: a text, or texts and things that are attached. */
export function readInputContent(value: unknown, param: string): (TextContent | Attachment)[] {
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
export function readInputText(value: unknown, param: string): TextContent[] {
  return readContent(value, param, (type, part, at) => {
    if (type === "input_text") return readText(part.text, `${at}.text`);
    throw invalidField(`${at}.type`, `\`${at}.type\` must be input_text in a message of this role.`);
  });
}

/** What a model said before. */
export function readOutputContent(value: unknown, param: string): Content[] {
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
