import { conversationOf } from "@trunkline/core/conversation.ts";
import { readDataUrl } from "@trunkline/core/data-url.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { type Inference, normaliseTask } from "@trunkline/core/inference.ts";
import { z } from "zod";
import { type InferenceEndpoint, Reply } from "../../endpoints/endpoint.ts";
import { choiceField, Field, numberField, stringField } from "../../requests/field-table.ts";
import { invalidField, readObject, readString } from "../../requests/fields.ts";
import { readRoutingOptions, routingFields } from "../../requests/read-routing-options.ts";
import { toInference } from "../../requests/to-inference.ts";
import { EMPTY_PARAMETERS } from "../shared-fields.ts";
import { openAiInferenceDefaults } from "./dialect.ts";
import { openAiBody, openAiModelField } from "./fields.ts";

const INPUT_MAX = 4_096;

function readVoice(value: unknown, param: string): string {
  if (typeof value === "string") return readString(value, param, 1, 64);
  return readString(readObject(value, param).id, `${param}.id`, 1, 64);
}

const voiceSchema = z.string().min(1).max(64);

const speechBody = openAiBody({
  fields: {
    model: openAiModelField,
    input: stringField(1, INPUT_MAX),
    voice: new Field(readVoice, z.union([voiceSchema, z.object({ id: voiceSchema })])).nullish(),
    response_format: choiceField(["mp3", "opus", "aac", "flac", "wav", "pcm"])
      .nullish()
      .describe("Left out: whatever the provider makes."),
    speed: numberField(0.25, 4).nullish(),
    ...routingFields,
  },
  forwarded: { instructions: stringField(1, INPUT_MAX).nullish() },
  harmless: { stream_format: (value) => value === "audio" },
});

/** The media types that are passed on as a provider gives them: none that a browser would run. */
const AUDIO_MEDIA_TYPE = /^audio\/[a-z0-9.+-]{1,64}$/;

/** `POST /openai/v1/audio/speech` */
export const speechEndpoint: InferenceEndpoint = {
  ...openAiInferenceDefaults,
  path: "/openai/v1/audio/speech",
  summary: "Speak a text, in OpenAI's form",
  description:
    "The answer is the sound itself, with the content type of what the provider made: the format is a wish. Where the provider gives an address, the answer is 303 and leads there.",
  body: speechBody.schema.loose(),
  response: z.string(),
  responseType: "audio/*",
  read: readSpeech,
  whole({ media }) {
    const data = media === undefined ? undefined : readDataUrl(media.url);
    if (media !== undefined && data === undefined)
      return new Reply(303, "", "text/plain; charset=utf-8", { location: media.url });
    if (data === undefined) throw new Fault("provider_error", "The model gave no sound. Name another model.");
    const type = AUDIO_MEDIA_TYPE.test(data.mediaType) ? data.mediaType : "application/octet-stream";
    return new Reply(200, Buffer.from(data.base64, "base64"), type);
  },
};

function readSpeech(body: unknown): Inference {
  const fields = readObject(body, "");
  const { read } = speechBody;
  const { model, strategy } = read.model(fields);
  const routingOptions = readRoutingOptions(fields, false);
  if (fields.stream_format === "sse")
    throw invalidField("stream_format", "Sound comes whole here. Leave `stream_format` out.");
  return toInference({
    task: normaliseTask("audio"),
    conversation: conversationOf(read.input(fields)),
    model,
    strategy,
    routingOptions,
    parameters: {
      ...EMPTY_PARAMETERS,
      voice: read.voice(fields),
      format: read.response_format(fields),
      pace: read.speed(fields),
    },
    streaming: false,
    ...speechBody.partition(fields),
  });
}
