import type { Content } from "@trunkline/core/conversation.ts";
import { type Inference, normaliseTask, SPEECH_TRANSLATION } from "@trunkline/core/inference.ts";
import type { Receipt } from "@trunkline/core/parts.ts";
import { z } from "zod";
import { type InferenceEndpoint, Reply, type WholeAnswer } from "../../endpoints/endpoint.ts";
import { choiceField, listField, stringField } from "../../requests/field-table.ts";
import { type Fields, readObject } from "../../requests/fields.ts";
import { readRoutingOptions, routingFields } from "../../requests/read-routing-options.ts";
import { toInference } from "../../requests/to-inference.ts";
import { EMPTY_PARAMETERS } from "../shared-fields.ts";
import { openAiInferenceDefaults, toOpenAiError } from "./dialect.ts";
import { openAiBody, openAiModelField } from "./fields.ts";
import { fileField, formNumberField } from "./form-fields.ts";
import { EVENT_STREAM_TYPE, formatEvent } from "./response-parts.ts";

const PROMPT_MAX = 16_384;
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  flac: "audio/flac",
  m4a: "audio/mp4",
  mp3: "audio/mpeg",
  mp4: "audio/mp4",
  mpeg: "audio/mpeg",
  mpga: "audio/mpeg",
  oga: "audio/ogg",
  ogg: "audio/ogg",
  opus: "audio/ogg",
  wav: "audio/wav",
  webm: "audio/webm",
};

const soundField = fileField("a sound", /^(audio|video)\/[\w.+-]+$/i, MEDIA_TYPES).describe(
  "The sound itself, up to the size limit of bodies with attachments.",
);
const FORMATS = ["json", "text", "srt", "verbose_json", "vtt"] as const;
type Format = (typeof FORMATS)[number];

/** What both operations take. */
const commonFields = {
  file: soundField,
  model: openAiModelField,
  prompt: stringField(0, PROMPT_MAX).optional(),
  response_format: choiceField(FORMATS).optional(),
  temperature: formNumberField(0, 1).optional(),
  route: routingFields.route,
  fallbacks: routingFields.fallbacks.describe("Models to try next, each as a field `fallbacks[]` of the form."),
};

const transcriptionBody = openAiBody({
  fields: {
    ...commonFields,
    language: stringField(1, 64).optional().describe("The language that is spoken, such as `en`."),
    stream: choiceField(["true", "false"]).optional(),
  },
  forwarded: {
    timestamp_granularities: listField(2, choiceField(["word", "segment"]))
      .optional()
      .describe("With `verbose_json`: fields `timestamp_granularities[]` of the form."),
  },
});
const translationBody = openAiBody({ fields: commonFields });

const usageSchema = z.union([
  z.object({ type: z.literal("duration"), seconds: z.number() }),
  z.object({
    type: z.literal("tokens"),
    input_tokens: z.number(),
    output_tokens: z.number(),
    total_tokens: z.number(),
  }),
]);

const transcriptSchema = {
  text: z.string(),
  usage: usageSchema,
  language: z.string().optional(),
  duration: z.number().optional(),
  segments: z.array(z.looseObject({})).optional().describe("As the provider gives them, with `verbose_json`."),
  words: z.array(z.looseObject({})).optional(),
};

/** `POST /openai/v1/audio/transcriptions` */
export const transcriptionsEndpoint: InferenceEndpoint = {
  ...openAiInferenceDefaults,
  path: "/openai/v1/audio/transcriptions",
  summary: "Write down what is said, in OpenAI's form",
  bodyFormat: "multipart",
  alternativeContentTypes: ["text/plain"],
  body: transcriptionBody.schema.loose(),
  response: z.object({
    ...transcriptSchema,
    task: z.literal("transcribe").optional(),
  }),
  event: z.union([
    z.object({ type: z.literal("transcript.text.delta"), delta: z.string() }),
    z.object({ type: z.literal("transcript.text.done"), text: z.string(), usage: usageSchema }),
  ]),
  answerFields: ["response_format", "language"],
  read: readTranscription,
  whole: toTranscriptionResponse,
  stream() {
    let text = "";
    return {
      contentType: EVENT_STREAM_TYPE,
      write(part) {
        if (part.type === "text") {
          text += part.text;
          return formatEvent({ type: "transcript.text.delta", delta: part.text });
        }
        if (part.type !== "receipt") return "";
        return formatEvent({ type: "transcript.text.done", text, usage: toTranscriptionUsage(part) });
      },
      fail: (fault) => formatEvent(toOpenAiError(fault)),
    };
  },
};

/** `POST /openai/v1/audio/translations` */
export const translationsEndpoint: InferenceEndpoint = {
  ...openAiInferenceDefaults,
  path: "/openai/v1/audio/translations",
  summary: "Write down in English what is said, in OpenAI's form",
  description: "For models with the capability `transcription` of OpenAI's format.",
  bodyFormat: "multipart",
  alternativeContentTypes: ["text/plain"],
  body: translationBody.schema.loose(),
  response: z.object({ ...transcriptSchema, task: z.literal("translate").optional() }),
  answerFields: ["response_format"],
  read: (body) => readSound(readObject(body, ""), SPEECH_TRANSLATION, translationBody),
  whole: (answer) => toResponse(answer, "translate", "english"),
};

function readTranscription(body: unknown): Inference {
  const fields = readObject(body, "");
  const { read } = transcriptionBody;
  const inference = readSound(fields, "transcription", transcriptionBody);
  const language = read.language(fields);
  // Providers refuse them beside any other format.
  const lacksTimings = inference.extras !== undefined && fields.response_format !== "verbose_json";
  return {
    ...inference,
    ...(lacksTimings
      ? { extras: undefined, dropped: [...(inference.dropped ?? []), ...Object.keys(inference.extras?.fields ?? {})] }
      : {}),
    parameters: { ...inference.parameters, others: language === undefined ? {} : { language } },
    streaming: read.stream(fields) === "true",
  };
}

function readSound(
  fields: Fields,
  task: string,
  { read, partition }: Pick<typeof translationBody, "read" | "partition">,
): Inference {
  const file = read.file(fields);
  const { model, strategy } = read.model(fields);
  const routingOptions = readRoutingOptions({ route: fields.route, fallbacks: fields.fallbacks });
  const prompt = read.prompt(fields) ?? "";
  const content: Content[] = [
    { type: "attachment", kind: "audio", url: file.url, name: file.name },
    ...(prompt === "" ? [] : [{ type: "text", text: prompt } as const]),
  ];
  const format = read.response_format(fields) ?? "json";
  return toInference({
    task: normaliseTask(task),
    conversation: { messages: [{ role: "user", content }], tools: [] },
    model,
    strategy,
    routingOptions,
    parameters: {
      ...EMPTY_PARAMETERS,
      temperature: read.temperature(fields),
      // A text is all that the other two forms need, and every provider gives it.
      format: format === "json" || format === "text" ? undefined : format,
    },
    streaming: false,
    ...partition(fields),
  });
}

function toTranscriptionResponse(answer: WholeAnswer): unknown {
  const fields = readObject(answer.requestBody, "");
  return toResponse(answer, "transcribe", transcriptionBody.read.language(fields) ?? "unknown");
}

function toResponse(answer: WholeAnswer, task: "transcribe" | "translate", language: string): unknown {
  const { parts, text, receipt, trace, requestBody } = answer;
  const fields = readObject(requestBody, "");
  const format: Format = translationBody.read.response_format(fields) ?? "json";
  const usage = toTranscriptionUsage(receipt);
  switch (format) {
    case "json":
      return { text, usage };
    case "text":
      return plainReply(text);
    case "srt":
    case "vtt":
      if (text.includes("-->")) return plainReply(text);
      // Not every model knows when something was said.
      trace.unsupportedFields = [...trace.unsupportedFields, "response_format"];
      return plainReply(toSingleSubtitle(text, secondsOf(receipt), format));
    case "verbose_json": {
      const timings = parts.find((part) => part.type === "timings");
      return {
        task,
        // Few models say which language they heard; otherwise it is known where the client named it.
        language: timings?.language ?? language,
        duration: secondsOf(receipt),
        text,
        ...(timings?.segments === undefined ? {} : { segments: timings.segments }),
        ...(timings?.words === undefined ? {} : { words: timings.words }),
        usage,
      };
    }
  }
}

function plainReply(text: string): Reply {
  return new Reply(200, `${text}\n`, "text/plain; charset=utf-8");
}

/** One subtitle for the whole time. */
function toSingleSubtitle(text: string, seconds: number, format: "srt" | "vtt"): string {
  const clock = new Date(Math.round(seconds * 1_000)).toISOString().slice(11, 23);
  return format === "srt"
    ? `1\n00:00:00,000 --> ${clock.replace(".", ",")}\n${text}\n`
    : `WEBVTT\n\n00:00:00.000 --> ${clock}\n${text}\n`;
}

function secondsOf({ audioMs = 0 }: Receipt): number {
  return audioMs / 1_000;
}

function toTranscriptionUsage(receipt: Receipt): z.infer<typeof usageSchema> {
  const { inputTokens, outputTokens, audioMs } = receipt;
  if (audioMs !== undefined) return { type: "duration", seconds: secondsOf(receipt) };
  return {
    type: "tokens",
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
}
