import { conversationOf } from "@trunkline/core/conversation.ts";
import { readDataUrl } from "@trunkline/core/data-url.ts";
import { type Inference, normaliseTask } from "@trunkline/core/inference.ts";
import type { MediaPart } from "@trunkline/core/parts.ts";
import { z } from "zod";
import type { InferenceEndpoint, WholeAnswer } from "../../endpoints/endpoint.ts";
import { choiceField, Field, integerField, stringField } from "../../requests/field-table.ts";
import { invalidField, readObject } from "../../requests/fields.ts";
import { readSize } from "../../requests/read-inference.ts";
import { readRoutingOptions, routingFields } from "../../requests/read-routing-options.ts";
import { toInference } from "../../requests/to-inference.ts";
import { EMPTY_PARAMETERS } from "../shared-fields.ts";
import { openAiInferenceDefaults } from "./dialect.ts";
import { openAiBody, openAiModelField, shortStringField } from "./fields.ts";

export const IMAGE_PROMPT_MAX = 32_000;
export const IMAGES_MAX = 8;

function readImageSize(value: unknown, param: string): string | undefined {
  return value === "auto" ? undefined : readSize(value, param);
}

export const imageSizeField = new Field(readImageSize, z.string())
  .nullish()
  .describe("<width>x<height>, each 16 to 8192, or auto.");
export const imageFormatField = choiceField(["url", "b64_json"])
  .nullish()
  .describe("Left out: b64_json where the image itself came, url where its address came.");
/** The quality is not among them: a finer image costs a multiple, and an image is quoted at one price. */
export const imageFileFields = {
  background: choiceField(["transparent", "opaque", "auto"]).nullish(),
  output_format: choiceField(["png", "jpeg", "webp"]).nullish(),
};

export const imagesResponseSchema = z.object({
  created: z.number(),
  data: z.array(z.object({ b64_json: z.string().optional(), url: z.string().optional() })),
  usage: z.object({
    input_tokens: z.number(),
    output_tokens: z.number(),
    total_tokens: z.number(),
    input_tokens_details: z.object({ text_tokens: z.number(), image_tokens: z.number() }),
  }),
});

const imagesBody = openAiBody({
  fields: {
    prompt: stringField(1, IMAGE_PROMPT_MAX),
    model: openAiModelField.nullish(),
    n: integerField(1, IMAGES_MAX).nullish(),
    size: imageSizeField,
    response_format: imageFormatField,
    ...routingFields,
  },
  forwarded: {
    style: choiceField(["vivid", "natural"]).nullish(),
    ...imageFileFields,
    output_compression: integerField(0, 100).nullish(),
    moderation: choiceField(["low", "auto"]).nullish(),
    user: shortStringField.nullish(),
  },
  harmless: { stream: (value) => value === false, partial_images: (value) => value === 0 },
});

const { read } = imagesBody;

/** `POST /openai/v1/images/generations` */
export const imagesEndpoint: InferenceEndpoint = {
  ...openAiInferenceDefaults,
  path: "/openai/v1/images/generations",
  summary: "Make images, in OpenAI's form",
  body: imagesBody.schema.loose(),
  response: imagesResponseSchema,
  answerFields: ["response_format"],
  read: readImages,
  whole: toImagesResponse,
};

/** The images of an answer. */
export function toImagesResponse({
  parts,
  receipt,
  trace,
  requestBody,
}: WholeAnswer): z.infer<typeof imagesResponseSchema> {
  const wanted = imageFormatField.read(readObject(requestBody, "").response_format, "response_format");
  const made = parts.flatMap((part) => (part.type === "media" && part.kind === "image" ? [part] : []));
  const data = made.map((image) => toImage(image, wanted));
  // The image is paid for, so its address is given, and the format is reported as dropped.
  if (wanted === "b64_json" && data.some(({ url }) => url !== undefined))
    trace.unsupportedFields = [...trace.unsupportedFields, "response_format"];
  const { inputTokens, outputTokens } = receipt;
  return {
    created: Math.floor(trace.receivedAt.getTime() / 1_000),
    data,
    usage: {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
      input_tokens_details: { text_tokens: inputTokens, image_tokens: 0 },
    },
  };
}

function readImages(body: unknown): Inference {
  const fields = readObject(body, "");
  const prompt = read.prompt(fields);
  const { model, strategy } = read.model(fields) ?? {};
  const routingOptions = readRoutingOptions(fields, false);
  if (fields.stream === true) throw invalidField("stream", "Images come whole here. Leave `stream` out.");
  const choices = read.n(fields);
  const size = read.size(fields);
  return toInference({
    task: normaliseTask("image"),
    conversation: conversationOf(prompt),
    model,
    strategy,
    routingOptions,
    parameters: {
      ...EMPTY_PARAMETERS,
      size,
      format: read.response_format(fields),
      choices: choices === 1 ? undefined : choices,
    },
    streaming: false,
    ...imagesBody.partition(fields),
  });
}

/** The image in base64 where it came as a data URL, unless the client wants a URL. */
function toImage(
  { url }: MediaPart,
  wanted: ReturnType<typeof imageFormatField.read>,
): { readonly b64_json?: string; readonly url?: string } {
  const data = wanted === "url" ? undefined : readDataUrl(url);
  return data === undefined ? { url } : { b64_json: data.base64 };
}
