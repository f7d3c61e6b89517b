import { randomBytes } from "node:crypto";
import type { ProviderCall } from "@trunkline/core/adapter.ts";
import { attachmentsOf, textOf } from "@trunkline/core/conversation.ts";
import { readDataUrl } from "@trunkline/core/data-url.ts";
import { isObject, type JsonObject } from "@trunkline/core/json-object.ts";
import { type Model, upstreamNameOf } from "@trunkline/core/model.ts";
import type { Part } from "@trunkline/core/parts.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { AnswerReader } from "../../http/wire-format.ts";
import { failureIn } from "./errors.ts";
import { fileExtensionOf, onlyDataUrlsSupported } from "./messages.ts";
import type { PassthroughFields } from "./parameters.ts";
import { toUsage } from "./response.ts";

/** The form for a transcription request with the attached audio. */
export function toTranscriptionForm(
  { model, inference }: Pick<ProviderCall, "model" | "inference">,
  passed: PassthroughFields,
): { readonly contentType: string; readonly body: Buffer } {
  const { temperature, format } = inference.parameters;
  const prompt = textOf(inference.conversation);
  const fields = {
    ...passed,
    model: upstreamNameOf(model),
    prompt: prompt === "" ? undefined : prompt,
    response_format: format,
    temperature,
  };
  const boundary = `trunkline-${randomBytes(16).toString("hex")}`;
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: toMultipart(Object.entries(fields).flatMap(toFormFields), toAudioFile(inference), boundary),
  };
}

/** Reads a transcription: a text in an object, or the body itself where subtitles or plain text were requested. */
export function transcriptionReader({ credential }: Pick<Model, "credential">): AnswerReader {
  const pieces: Buffer[] = [];
  return {
    done: false,
    push(bytes) {
      pieces.push(bytes);
    },
    end() {
      const body = Buffer.concat(pieces).toString("utf8");
      const object = tryParseObject(body);
      const failure = object === undefined ? undefined : failureIn(object, credential);
      if (failure !== undefined) throw failure;
      const text = object === undefined ? body.trimEnd() : object.text;
      if (typeof text !== "string") throw new ProviderFailure("broken", "the answer has no output");
      return [...toUsageParts(object), { type: "text", text }, { type: "finish", reason: "stop" }];
    },
  };
}

/** Some providers report tokens, others only the length. */
function toUsageParts(object: JsonObject | undefined): readonly Part[] {
  if (isObject(object?.usage)) return [toUsage(object.usage)];
  return object?.duration === undefined ? [] : [toUsage({ seconds: object.duration })];
}

/** A list becomes one form field per entry. */
function toFormFields([name, value]: [string, unknown]): (readonly [string, string])[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.map((entry) => [`${name}[]`, writeValue(entry)] as const);
  return [[name, writeValue(value)]];
}

function writeValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function toAudioFile({ conversation }: ProviderCall["inference"]): FormFile {
  const [audio] = attachmentsOf(conversation).filter(({ kind }) => kind === "audio");
  if (audio === undefined)
    throw new ProviderFailure("rejected", "was given no audio to hear", { blamesEndpoint: false });
  const data = readDataUrl(audio.url);
  if (data === undefined) throw onlyDataUrlsSupported("audio");
  return {
    field: "file",
    name: audio.name ?? `audio.${fileExtensionOf(data.mediaType)}`,
    mediaType: data.mediaType,
    bytes: Buffer.from(data.base64, "base64"),
  };
}

/** The object in a body; undefined where it is plain text. */
function tryParseObject(body: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A file within a form. */
interface FormFile {
  readonly field: string;
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/** The body of a form with a file. The boundary is random, so that the file can't contain it. */
function toMultipart(
  fields: readonly (readonly [name: string, value: string])[],
  file: FormFile,
  boundary: string,
): Buffer {
  const head = (disposition: string) => `--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n`;
  const texts = fields.map(([name, value]) => `${head(`name="${escapeName(name)}"`)}\r\n${value}\r\n`);
  const fileHead = head(`name="${escapeName(file.field)}"; filename="${escapeName(file.name)}"`);
  return Buffer.concat([
    Buffer.from(`${texts.join("")}${fileHead}content-type: ${file.mediaType}\r\n\r\n`),
    file.bytes,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
}

/** Escapes characters that would end a name, as browsers do. */
function escapeName(name: string): string {
  return name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
