import { conversationOf } from "@trunkline/core/conversation.ts";
import { type Inference, normaliseTask } from "@trunkline/core/inference.ts";
import type { MediaPart } from "@trunkline/core/parts.ts";
import { z } from "zod";
import type { InferenceEndpoint } from "../../endpoints/endpoint.ts";
import {
  type Fields,
  invalidField,
  readChoice,
  readInteger,
  readObject,
  readOptional,
  readString,
} from "../../requests/fields.ts";
import { readSize } from "../../requests/read-inference.ts";
import { readRoutingOptions } from "../../requests/read-routing-options.ts";
import { EMPTY_PARAMETERS, extensionFields, modelField, ROUTING_FIELDS, readModel } from "../shared-fields.ts";
import { openAiInferenceDefaults } from "./dialect.ts";
import { type FieldRules, partitionFields, readShortString } from "./fields.ts";
import { parseDataUrl } from "./response-parts.ts";

const PROMPT_MAX = 32_000;
const IMAGES_MAX = 8;
const FORMATS = ["url", "b64_json"] as const;

const readOneOf = (choices: readonly string[]) => (value: unknown, param: string) => readChoice(value, param, choices);

/** The quality is not among them: a finer picture costs a multiple, and a picture is quoted at one price. */
const EXTRAS: FieldRules["extras"] = {
  style: readOneOf(["vivid", "natural"]),
  background: readOneOf(["transparent", "opaque", "auto"]),
  output_format: readOneOf(["png", "jpeg", "webp"]),
  output_compression: (value, param) => readInteger(value, param, 0, 100),
  moderation: readOneOf(["low", "auto"]),
  user: readShortString,
};

const RULES: FieldRules = {
  understood: new Set([...ROUTING_FIELDS, "model", "prompt", "n", "size", "response_format"]),
  extras: EXTRAS,
  harmless: { stream: (value) => value === false, partial_images: (value) => value === 0 },
};

/** `POST /openai/v1/images/generations` */
export const imagesEndpoint: InferenceEndpoint = {
  ...openAiInferenceDefaults,
  path: "/openai/v1/images/generations",
  summary: "Make images, in OpenAI's form",
  body: z.looseObject({
    prompt: z.string().min(1).max(PROMPT_MAX),
    model: modelField.nullish(),
    n: z.int().min(1).max(IMAGES_MAX).nullish(),
    size: z.string().nullish().describe("<width>x<height>, each 16 to 8192, or auto."),
    response_format: z
      .enum(FORMATS)
      .nullish()
      .describe("Left out: b64_json where the image itself came, url where its address came."),
    style: z.string().nullish(),
    background: z.string().nullish(),
    output_format: z.string().nullish(),
    output_compression: z.int().nullish(),
    moderation: z.string().nullish(),
    user: z.string().nullish(),
    ...extensionFields,
  }),
  response: z.object({
    created: z.number(),
    data: z.array(z.object({ b64_json: z.string().optional(), url: z.string().optional() })),
    usage: z.object({
      input_tokens: z.number(),
      output_tokens: z.number(),
      total_tokens: z.number(),
      input_tokens_details: z.object({ text_tokens: z.number(), image_tokens: z.number() }),
    }),
  }),
  read: readImages,
  whole({ parts, receipt, trace: requestTrace, requestBody: asked }) {
    const wanted = readFormat(readObject(asked, ""));
    const made = parts.flatMap((part) => (part.type === "media" && part.kind === "image" ? [part] : []));
    const data = made.map((image) => toImage(image, wanted));
    // The image is paid for, so its address is given; that it is not what was asked for is said.
    if (wanted === "b64_json" && data.some(({ url }) => url !== undefined))
      requestTrace.unsupportedFields = [...requestTrace.unsupportedFields, "response_format"];
    const { inputTokens, outputTokens } = receipt;
    return {
      created: Math.floor(requestTrace.receivedAt.getTime() / 1_000),
      data,
      usage: {
        input_tokens: inputTokens,
        output_tokens: outputTokens,
        total_tokens: inputTokens + outputTokens,
        input_tokens_details: { text_tokens: inputTokens, image_tokens: 0 },
      },
    };
  },
};

function readImages(body: unknown): Inference {
  const fields = readObject(body, "");
  const prompt = readString(fields.prompt, "prompt", 1, PROMPT_MAX);
  const { model, strategy } = readOptional(fields.model, (value) => readModel(value)) ?? {};
  const routingOptions = readRoutingOptions(fields, false);
  if (fields.stream === true) throw invalidField("stream", "Images come whole here. Leave `stream` out.");
  const choices = readOptional(fields.n, (value) => readInteger(value, "n", 1, IMAGES_MAX));
  const size = readOptional(fields.size, (value) => (value === "auto" ? undefined : readSize(value, "size")));
  return {
    task: normaliseTask("image"),
    conversation: conversationOf(prompt),
    model,
    ...routingOptions,
    strategy: strategy ?? routingOptions.strategy,
    parameters: {
      ...EMPTY_PARAMETERS,
      size,
      format: readFormat(fields),
      choices: choices === 1 ? undefined : choices,
    },
    streaming: false,
    ...partitionFields(fields, RULES),
  };
}

function readFormat(fields: Fields): (typeof FORMATS)[number] | undefined {
  return readOptional(fields.response_format, (value) => readChoice(value, "response_format", FORMATS));
}

/** An image as it came, unless its address was asked for: a data URL is one, too. */
function toImage(
  { url }: MediaPart,
  wanted: (typeof FORMATS)[number] | undefined,
): { readonly b64_json?: string; readonly url?: string } {
  const data = wanted === "url" ? undefined : parseDataUrl(url);
  return data === undefined ? { url } : { b64_json: data.base64 };
}
