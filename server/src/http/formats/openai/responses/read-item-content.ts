import type { Attachment, Content, TextContent } from "@trunkline/core/conversation.ts";
import { type Fields, invalid, readChoice, readOptional } from "../../../requests/fields.ts";
import { readAttachmentUrl } from "../../../requests/read-inference.ts";
import { readContent, readFile, readSound, readText } from "../chat/read-content.ts";

const NOTHING_KEPT = "No files are kept here. Send the file itself.";

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
        return readSound(part.input_audio, `${at}.input_audio`);
      default:
        throw invalid(
          `${at}.type`,
          `\`${at}.type\` must be one of: input_text, input_image, input_file, input_audio.`,
        );
    }
  });
}

/** What takes words alone: what the application says. */
export function readWords(value: unknown, param: string): TextContent[] {
  return readContent(value, param, (type, part, at) => {
    if (type === "input_text") return readText(part.text, `${at}.text`);
    throw invalid(`${at}.type`, `\`${at}.type\` must be input_text in a message of this role.`);
  });
}

/** What a model said before. */
export function readOutputContent(value: unknown, param: string): Content[] {
  return readContent(value, param, (type, part, at) => {
    if (type === "output_text" || type === "input_text") return readText(part.text, `${at}.text`);
    if (type === "refusal") return readText(part.refusal, `${at}.refusal`);
    throw invalid(`${at}.type`, `\`${at}.type\` must be one of: output_text, refusal.`);
  });
}

function readImage({ image_url: url, file_id: id, detail }: Fields, param: string): Attachment {
  if (id !== undefined && id !== null) throw invalid(`${param}.file_id`, NOTHING_KEPT);
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
  if (id !== undefined && id !== null) throw invalid(`${param}.file_id`, NOTHING_KEPT);
  if (url === undefined || url === null) return readFile(part, param);
  return { type: "attachment", kind: "file", url: readAttachmentUrl(url, `${param}.file_url`) };
}
