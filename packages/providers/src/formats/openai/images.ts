import type { ProviderCall } from "@trunkline/core/adapter.ts";
import type { MediaPart, Part } from "@trunkline/core/answer.ts";
import { ProviderFailure } from "@trunkline/core/attempt.ts";
import { textOf } from "@trunkline/core/conversation.ts";
import { type Model, upstreamNameOf } from "@trunkline/core/model.ts";
import type { JsonObject } from "../../http/json-frames.ts";
import { isObject, nonEmptyText, objectItems } from "../../http/json-object.ts";
import type { PassthroughFields } from "./passed-fields.ts";
import { toUsage } from "./usage.ts";
import { SingleObjectReader } from "./whole-object.ts";

/** How the base64 of a picture begins, which says more surely what it is than what was asked for. */
const BASE64_SIGNATURES: Readonly<Record<string, string>> = {
  iVBOR: "image/png",
  "/9j/": "image/jpeg",
  UklGR: "image/webp",
  R0lGO: "image/gif",
};

/** The body that asks for pictures. */
export function toImagesBody(
  { model, inference }: Pick<ProviderCall, "model" | "inference">,
  passed: PassthroughFields,
): object {
  const { size, choices, format } = inference.parameters;
  // A format is how the picture is handed over, or which kind of file it is.
  const isHandOver = format === "url" || format === "b64_json";
  return {
    ...passed,
    model: upstreamNameOf(model),
    prompt: textOf(inference.conversation),
    n: choices,
    size,
    response_format: isHandOver ? format : undefined,
    ...(format === undefined || isHandOver ? {} : { output_format: format }),
  };
}

/** Reads pictures, each as a URL or as its own bytes. */
export function imagesReader({ credential }: Pick<Model, "credential">): SingleObjectReader {
  return new SingleObjectReader(credential, (body): readonly Part[] => {
    const pictures = objectItems(body.data).map(toImage);
    if (pictures.length === 0) throw new ProviderFailure("broken", "the answer has no output");
    return [...(isObject(body.usage) ? [toUsage(body.usage)] : []), ...pictures];
  });
}

function toImage(picture: JsonObject): MediaPart {
  const base64 = nonEmptyText(picture.b64_json);
  const url =
    base64 === undefined ? nonEmptyText(picture.url) : `data:${mediaTypeOf(base64)};base64,${base64}`;
  if (url === undefined || !/^(data:image\/|https?:\/\/)/i.test(url))
    throw new ProviderFailure("broken", "answered with an image URL that is neither http nor data");
  const revised = nonEmptyText(picture.revised_prompt);
  const source = { image_url: url, ...(revised === undefined ? {} : { revised_prompt: revised }) };
  return { type: "media", kind: "image", url, source };
}

function mediaTypeOf(base64: string): string {
  const beginning = Object.keys(BASE64_SIGNATURES).find((known) => base64.startsWith(known));
  return (beginning === undefined ? undefined : BASE64_SIGNATURES[beginning]) ?? "image/png";
}
