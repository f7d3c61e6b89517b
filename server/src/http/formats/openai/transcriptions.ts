import type { Content } from "@trunkline/core/conversation.ts";
import { type Inference, normaliseTask } from "@trunkline/core/inference.ts";
import type { Receipt } from "@trunkline/core/parts.ts";
import { z } from "zod";
import { type InferenceEndpoint, Reply, type WholeAnswer } from "../../endpoints/endpoint.ts";
import { choiceField, Field, stringField } from "../../requests/field-table.ts";
import { invalidField, readObject } from "../../requests/fields.ts";
import { FormFile } from "../../requests/read-body.ts";
import { readRoutingOptions, routingFields } from "../../requests/read-routing-options.ts";
import { toInference } from "../../requests/to-inference.ts";
import { EMPTY_PARAMETERS } from "../shared-fields.ts";
import { openAiInferenceDefaults, toOpenAiError } from "./dialect.ts";
import { openAiBody, openAiModelField } from "./fields.ts";
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

function readFile(value: unknown, param: string): { readonly url: string; readonly name: string } {
  if (!(value instanceof FormFile))
    throw invalidField(param, `\`${param}\` ${value === undefined ? "is required" : "must be a file with a name"}.`);
  if (value.bytes.length === 0) throw invalidField(param, `\`${param}\` must not be empty.`);
  const extension = /\.([a-z0-9]+)$/i.exec(value.name)?.[1]?.toLowerCase() ?? "";
  const given = /^(audio|video)\/[\w.+-]+$/i.test(value.mediaType) ? value.mediaType : undefined;
  const type = given ?? (Object.hasOwn(MEDIA_TYPES, extension) ? MEDIA_TYPES[extension] : undefined);
  if (type === undefined) {
    throw invalidField(
      param,
      `\`${param}\` must be a sound. Give it a name that ends in one of: ${Object.keys(MEDIA_TYPES).join(", ")}.`,
    );
  }
  return { url: `data:${type};base64,${value.bytes.toString("base64")}`, name: value.name };
}

function readTemperature(value: unknown, param: string): number {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;
  if (!(number >= 0 && number <= 1)) throw invalidField(param, `\`${param}\` must be from 0 to 1.`);
  return number;
}

const transcriptionBody = openAiBody({
  fields: {
    file: new Field(readFile, z.string()).describe(
      "The sound itself, up to the size limit of bodies with attachments.",
    ),
    model: openAiModelField,
    language: stringField(1, 64).optional().describe("The language that is spoken, such as `en`."),
    prompt: stringField(0, PROMPT_MAX).optional(),
    response_format: choiceField(["json", "text", "verbose_json"]).optional(),
    // Every field of a form is a text.
    temperature: new Field(readTemperature, z.string()).optional().describe("A number from 0 to 1."),
    stream: choiceField(["true", "false"]).optional(),
    route: routingFields.route,
    fallbacks: routingFields.fallbacks.describe("Models to try next, each as a field `fallbacks[]` of the form."),
  },
});

const { read } = transcriptionBody;

const usageSchema = z.union([
  z.object({ type: z.literal("duration"), seconds: z.number() }),
  z.object({
    type: z.literal("tokens"),
    input_tokens: z.number(),
    output_tokens: z.number(),
    total_tokens: z.number(),
  }),
]);

/** `POST /openai/v1/audio/transcriptions` */
export const transcriptionsEndpoint: InferenceEndpoint = {
  ...openAiInferenceDefaults,
  path: "/openai/v1/audio/transcriptions",
  summary: "Write down what is said, in OpenAI's form",
  bodyFormat: "multipart",
  alternativeContentTypes: ["text/plain"],
  body: transcriptionBody.schema.loose(),
  response: z.object({
    text: z.string(),
    usage: usageSchema,
    task: z.literal("transcribe").optional(),
    language: z.string().optional(),
    duration: z.number().optional(),
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

function readTranscription(body: unknown): Inference {
  const fields = readObject(body, "");
  const file = read.file(fields);
  const { model, strategy } = read.model(fields);
  const routingOptions = readRoutingOptions({ route: fields.route, fallbacks: fields.fallbacks });
  const language = read.language(fields);
  const prompt = read.prompt(fields) ?? "";
  const content: Content[] = [
    { type: "attachment", kind: "audio", url: file.url, name: file.name },
    ...(prompt === "" ? [] : [{ type: "text", text: prompt } as const]),
  ];
  read.response_format(fields);
  return toInference({
    task: normaliseTask("transcription"),
    conversation: { messages: [{ role: "user", content }], tools: [] },
    model,
    strategy,
    routingOptions,
    parameters: {
      ...EMPTY_PARAMETERS,
      temperature: read.temperature(fields),
      others: language === undefined ? {} : { language },
    },
    streaming: read.stream(fields) === "true",
    ...transcriptionBody.partition(fields),
  });
}

function toTranscriptionResponse({ text, receipt, requestBody }: WholeAnswer): unknown {
  const fields = readObject(requestBody, "");
  const format = read.response_format(fields) ?? "json";
  if (format === "text") return new Reply(200, `${text}\n`, "text/plain; charset=utf-8");
  if (format === "json") return { text, usage: toTranscriptionUsage(receipt) };
  return {
    task: "transcribe",
    // Models do not say which language they heard, so it is known only where the client named it.
    language: read.language(fields) ?? "unknown",
    duration: secondsOf(receipt),
    text,
    usage: toTranscriptionUsage(receipt),
  };
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
