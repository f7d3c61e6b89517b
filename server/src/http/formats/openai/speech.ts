import { conversationOf } from "@trunkline/core/conversation.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { type Inference, normaliseTask } from "@trunkline/core/inference.ts";
import { z } from "zod";
import { type InferenceEndpoint, Reply } from "../../endpoints/endpoint.ts";
import { invalidField, readChoice, readNumber, readObject, readOptional, readString } from "../../requests/fields.ts";
import { readRoutingOptions } from "../../requests/read-routing-options.ts";
import { EMPTY_PARAMETERS, extensionFields, modelField, ROUTING_FIELDS, readModel } from "../shared-fields.ts";
import { openAiInferenceDefaults } from "./dialect.ts";
import { type FieldRules, partitionFields } from "./fields.ts";
import { parseDataUrl } from "./response-parts.ts";

const INPUT_MAX = 4_096;
const FORMATS = ["mp3", "opus", "aac", "flac", "wav", "pcm"] as const;

const RULES: FieldRules = {
  understood: new Set([...ROUTING_FIELDS, "model", "input", "voice", "response_format", "speed"]),
  extras: { instructions: (value, param) => readString(value, param, 1, INPUT_MAX) },
  harmless: { stream_format: (value) => value === "audio" },
};

/** What a provider may say of a sound, as opposed to anything that a browser would run. */
const AUDIO_MEDIA_TYPE = /^audio\/[a-z0-9.+-]{1,64}$/;

/** `POST /openai/v1/audio/speech` */
export const speechEndpoint: InferenceEndpoint = {
  ...openAiInferenceDefaults,
  path: "/openai/v1/audio/speech",
  summary: "Speak a text, in OpenAI's form",
  description:
    "The answer is the sound itself, with the content type of what the provider made: the format is a wish. Where the provider gives an address, the answer is 303 and leads there.",
  body: z.looseObject({
    model: modelField,
    input: z.string().min(1).max(INPUT_MAX),
    voice: z.union([z.string(), z.object({ id: z.string() })]).nullish(),
    response_format: z.enum(FORMATS).nullish().describe("Left out: whatever the provider makes."),
    speed: z.number().min(0.25).max(4).nullish(),
    instructions: z.string().nullish(),
    ...extensionFields,
  }),
  response: z.string(),
  responseType: "audio/*",
  read: readSpeech,
  whole({ media }) {
    const data = media === undefined ? undefined : parseDataUrl(media.url);
    if (media !== undefined && data === undefined)
      return new Reply(303, "", "text/plain; charset=utf-8", { location: media.url });
    if (data === undefined) throw new Fault("provider_error", "The model gave no sound. Name another model.");
    const type = AUDIO_MEDIA_TYPE.test(data.mediaType) ? data.mediaType : "application/octet-stream";
    return new Reply(200, Buffer.from(data.base64, "base64"), type);
  },
};

function readSpeech(body: unknown): Inference {
  const fields = readObject(body, "");
  const { model, strategy } = readModel(fields.model);
  const routingOptions = readRoutingOptions(fields, false);
  if (fields.stream_format === "sse")
    throw invalidField("stream_format", "Sound comes whole here. Leave `stream_format` out.");
  return {
    task: normaliseTask("audio"),
    conversation: conversationOf(readString(fields.input, "input", 1, INPUT_MAX)),
    model,
    ...routingOptions,
    strategy: strategy ?? routingOptions.strategy,
    parameters: {
      ...EMPTY_PARAMETERS,
      voice: readOptional(fields.voice, readVoice),
      format: readOptional(fields.response_format, (value) => readChoice(value, "response_format", FORMATS)),
      pace: readOptional(fields.speed, (value) => readNumber(value, "speed", 0.25, 4)),
    },
    streaming: false,
    ...partitionFields(fields, RULES),
  };
}

function readVoice(value: unknown): string {
  if (typeof value === "string") return readString(value, "voice", 1, 64);
  return readString(readObject(value, "voice").id, "voice.id", 1, 64);
}
