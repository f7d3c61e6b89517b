import type { Attachment, Content } from "@trunkline/core/conversation.ts";
import { type Inference, normaliseTask } from "@trunkline/core/inference.ts";
import { z } from "zod";
import type { InferenceEndpoint } from "../../endpoints/endpoint.ts";
import { choiceField, Field, fieldTable, stringField } from "../../requests/field-table.ts";
import { type Fields, invalidField, readList, readObject } from "../../requests/fields.ts";
import { readRoutingOptions, routingFields } from "../../requests/read-routing-options.ts";
import { toInference } from "../../requests/to-inference.ts";
import { EMPTY_PARAMETERS } from "../shared-fields.ts";
import { openAiInferenceDefaults } from "./dialect.ts";
import { openAiBody, openAiModelField, shortStringField } from "./fields.ts";
import { fileField, formNumberField, type UploadedFile } from "./form-fields.ts";
import {
  IMAGE_PROMPT_MAX,
  IMAGES_MAX,
  imageFileFields,
  imageFormatField,
  imageSizeField,
  imagesResponseSchema,
  toImagesResponse,
} from "./images.ts";

const INPUT_IMAGES_MAX = 16;

const imageField = fileField("an image", /^image\/(png|jpeg|webp|gif)$/i, {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  webp: "image/webp",
  gif: "image/gif",
});

function readImages(value: unknown, param: string): readonly UploadedFile[] {
  if (!Array.isArray(value)) return [imageField.read(value, param)];
  const images = readList(value, param, INPUT_IMAGES_MAX, (item, at) => imageField.read(item, at));
  if (images.length === 0) throw invalidField(param, `\`${param}\` is required.`);
  return images;
}

/** What both operations take. */
const commonFields = {
  model: openAiModelField.optional(),
  n: formNumberField(1, IMAGES_MAX, true).optional(),
  size: imageSizeField,
  response_format: imageFormatField,
  route: routingFields.route,
  fallbacks: routingFields.fallbacks.describe("Models to try next, each as a field `fallbacks[]` of the form."),
};

const { read } = fieldTable(commonFields);

const editsBody = openAiBody({
  fields: {
    image: new Field(readImages, z.union([z.string(), z.array(z.string()).max(INPUT_IMAGES_MAX)])).describe(
      "The image to change as a file, or several as fields `image[]`.",
    ),
    mask: imageField.optional().describe("An image whose transparent area shows what to change."),
    prompt: stringField(1, IMAGE_PROMPT_MAX),
    ...commonFields,
  },
  forwarded: {
    ...imageFileFields,
    output_compression: formNumberField(0, 100, true).optional(),
    input_fidelity: choiceField(["high", "low"]).optional(),
    user: shortStringField.optional(),
  },
  harmless: { stream: (value) => value === "false", partial_images: (value) => value === "0" },
});

const variationsBody = openAiBody({
  fields: { image: imageField.describe("The image itself."), ...commonFields },
  forwarded: { user: shortStringField.optional() },
});

function readEdit(body: unknown): Inference {
  const fields = readObject(body, "");
  const images = editsBody.read.image(fields).map((image) => toAttachment(image));
  const mask = editsBody.read.mask(fields);
  const prompt = editsBody.read.prompt(fields);
  if (fields.stream === "true") throw invalidField("stream", "Images come whole here. Leave `stream` out.");
  const masks = mask === undefined ? [] : [{ ...toAttachment(mask), isMask: true }];
  return toImageInference(fields, [...images, ...masks, { type: "text", text: prompt }], editsBody.partition(fields));
}

function readVariation(body: unknown): Inference {
  const fields = readObject(body, "");
  return toImageInference(fields, [toAttachment(variationsBody.read.image(fields))], variationsBody.partition(fields));
}

function toAttachment({ url, name }: UploadedFile): Attachment {
  return { type: "attachment", kind: "image", url, name };
}

function toImageInference(
  fields: Fields,
  content: readonly Content[],
  otherFields: ReturnType<typeof variationsBody.partition>,
): Inference {
  const { model, strategy } = read.model(fields) ?? {};
  const routingOptions = readRoutingOptions({ route: fields.route, fallbacks: fields.fallbacks }, false);
  const choices = read.n(fields);
  return toInference({
    task: IMAGE,
    conversation: { messages: [{ role: "user", content }], tools: [] },
    model,
    strategy,
    routingOptions,
    parameters: {
      ...EMPTY_PARAMETERS,
      size: read.size(fields),
      format: read.response_format(fields),
      choices: choices === 1 ? undefined : choices,
    },
    streaming: false,
    ...otherFields,
  });
}

const IMAGE = normaliseTask("image");

const imageFormDefaults = {
  ...openAiInferenceDefaults,
  bodyFormat: "multipart",
  response: imagesResponseSchema,
  answerFields: ["response_format"],
  whole: toImagesResponse,
} as const;

/** `POST /openai/v1/images/edits` */
export const imageEditsEndpoint: InferenceEndpoint = {
  ...imageFormDefaults,
  path: "/openai/v1/images/edits",
  summary: "Change images, in OpenAI's form",
  description: "For models of type `image` of OpenAI's format; without a mask also for Gemini's.",
  body: editsBody.schema.loose(),
  read: readEdit,
};

/** `POST /openai/v1/images/variations` */
export const imageVariationsEndpoint: InferenceEndpoint = {
  ...imageFormDefaults,
  path: "/openai/v1/images/variations",
  summary: "Vary an image, in OpenAI's form",
  description: "For models of type `image` of OpenAI's format.",
  body: variationsBody.schema.loose(),
  read: readVariation,
};
