import type { ProviderCall } from "@trunkline/core/adapter.ts";
import { type Attachment, attachmentsOf, textOf } from "@trunkline/core/conversation.ts";
import { isObject, type JsonObject, objectItems } from "@trunkline/core/json-object.ts";
import { type Model, upstreamNameOf } from "@trunkline/core/model.ts";
import type { Part } from "@trunkline/core/parts.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { AnswerReader } from "../../http/wire-format.ts";
import { failureIn } from "./errors.ts";
import { toFormFile, toMultipart } from "./multipart.ts";
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
  return toMultipart(fields, [toFormFile("file", attachedAudio(inference))]);
}

/** Reads a transcription: a text in an object, or the body itself where subtitles or plain text were requested. */
export function transcriptionReader({ credential }: Pick<Model, "credential">): AnswerReader {
  const pieces: Buffer[] = [];
  return {
    done: false,
    push(bytes) {
      pieces.push(Buffer.from(bytes));
    },
    end() {
      const body = Buffer.concat(pieces).toString("utf8");
      const object = tryParseObject(body);
      const failure = object === undefined ? undefined : failureIn(object, credential);
      if (failure !== undefined) throw failure;
      const text = object === undefined ? body.trimEnd() : object.text;
      if (typeof text !== "string") throw new ProviderFailure("broken", "the answer has no output");
      return [
        ...toUsageParts(object),
        { type: "text", text },
        ...toTimings(object),
        { type: "finish", reason: "stop" },
      ];
    },
  };
}

/** Some providers report tokens, others only the length. */
function toUsageParts(object: JsonObject | undefined): readonly Part[] {
  if (isObject(object?.usage)) return [toUsage(object.usage)];
  return object?.duration === undefined ? [] : [toUsage({ seconds: object.duration })];
}

function attachedAudio({ conversation }: ProviderCall["inference"]): Attachment {
  const audio = attachmentsOf(conversation).find(({ kind }) => kind === "audio");
  if (audio !== undefined) return audio;
  throw new ProviderFailure("rejected", "was given no audio to hear", { blamesEndpoint: false });
}

/** When each piece was said, where the provider tells. */
function toTimings(object: JsonObject | undefined): readonly Part[] {
  if (object === undefined) return [];
  const { language, segments, words } = object;
  const spoken = typeof language === "string" ? { language } : {};
  const timings = {
    ...(Array.isArray(segments) ? { segments: objectItems(segments) } : {}),
    ...(Array.isArray(words) ? { words: objectItems(words) } : {}),
  };
  if (Object.keys(timings).length === 0 && Object.keys(spoken).length === 0) return [];
  return [{ type: "timings", ...spoken, ...timings }];
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
