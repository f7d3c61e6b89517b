import type { ProviderCall } from "@trunkline/core/adapter.ts";
import { attachmentsOf, textOf } from "@trunkline/core/conversation.ts";
import { isObject, type JsonObject, nonEmptyText, objectItems } from "@trunkline/core/json-object.ts";
import { type Model, upstreamNameOf } from "@trunkline/core/model.ts";
import type { MediaPart, Part } from "@trunkline/core/parts.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { readMediaUrl } from "../../http/media-url.ts";
import type { AnswerReader, WireResponseHead } from "../../http/wire-format.ts";
import { toFormFile, toMultipart } from "./multipart.ts";
import type { PassthroughFields } from "./parameters.ts";
import { SingleObjectReader, toUsage } from "./response.ts";

/** How the base64 of an image begins, which is more reliable than the requested type. */
const BASE64_SIGNATURES: Readonly<Record<string, string>> = {
  iVBOR: "image/png",
  "/9j/": "image/jpeg",
  UklGR: "image/webp",
  R0lGO: "image/gif",
};

/** The body of an image request. */
export function toImagesBody(
  { model, inference }: Pick<ProviderCall, "model" | "inference">,
  passed: PassthroughFields,
): Readonly<Record<string, unknown>> {
  const { size, choices, format } = inference.parameters;
  // The format is either how the image is returned, or its file type.
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

/** The form of a request to change images, or to vary one. */
export function toImagesForm(
  call: Pick<ProviderCall, "model" | "inference">,
  passed: PassthroughFields,
): ReturnType<typeof toMultipart> {
  const attached = attachmentsOf(call.inference.conversation);
  const images = attached.filter(({ isMask }) => isMask !== true);
  const files = attached.map((attachment) =>
    toFormFile(attachment.isMask === true ? "mask" : images.length === 1 ? "image" : "image[]", attachment),
  );
  const { prompt, ...fields } = toImagesBody(call, passed);
  return toMultipart({ ...fields, prompt: prompt === "" ? undefined : prompt }, files);
}

/** Reads images, each as a URL or as bytes. */
export function imagesReader({
  credential,
  mayDialPrivate,
}: Pick<Model, "credential" | "mayDialPrivate">): SingleObjectReader {
  return new SingleObjectReader(credential, (body): readonly Part[] => {
    const pictures = objectItems(body.data).map((picture) => toImage(picture, mayDialPrivate));
    if (pictures.length === 0) throw new ProviderFailure("broken", "the answer has no output");
    return [...(isObject(body.usage) ? [toUsage(body.usage)] : []), ...pictures];
  });
}

function toImage(picture: JsonObject, mayBePrivate: boolean): MediaPart {
  const base64 = nonEmptyText(picture.b64_json);
  const given = base64 === undefined ? nonEmptyText(picture.url) : `data:${mediaTypeOf(base64)};base64,${base64}`;
  if (given === undefined || !/^(data:image\/|https?:\/\/)/i.test(given))
    throw new ProviderFailure("broken", "answered with an image URL that is neither http nor data");
  const url = readMediaUrl(given, "image", mayBePrivate);
  const revised = nonEmptyText(picture.revised_prompt);
  const source = { image_url: url, ...(revised === undefined ? {} : { revised_prompt: revised }) };
  return { type: "media", kind: "image", url, source };
}

function mediaTypeOf(base64: string): string {
  const beginning = Object.keys(BASE64_SIGNATURES).find((known) => base64.startsWith(known));
  return (beginning === undefined ? undefined : BASE64_SIGNATURES[beginning]) ?? "image/png";
}

/** The default voice: one is required, and all providers have this one. */
const DEFAULT_VOICE = "alloy";
const DEFAULT_FORMAT = "mp3";

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  mp3: "audio/mpeg",
  opus: "audio/ogg",
  aac: "audio/aac",
  flac: "audio/flac",
  wav: "audio/wav",
  pcm: "audio/pcm",
};

/** The body of a speech request. */
export function toSpeechBody(
  { model, inference }: Pick<ProviderCall, "model" | "inference">,
  passed: PassthroughFields,
): object {
  const { voice, format, pace } = inference.parameters;
  return {
    ...passed,
    model: upstreamNameOf(model),
    input: textOf(inference.conversation),
    voice: voice ?? DEFAULT_VOICE,
    response_format: format,
    speed: pace,
  };
}

/** Reads speech, which is returned as bytes, of the content type of the response or of the requested type. */
export function speechReader({ inference }: Pick<ProviderCall, "inference">, head: WireResponseHead): AnswerReader {
  const pieces: Buffer[] = [];
  return {
    done: false,
    push(bytes) {
      pieces.push(Buffer.from(bytes));
    },
    end() {
      const bytes = Buffer.concat(pieces);
      const announced = head.headers["content-type"]?.split(";")[0]?.trim().toLowerCase() ?? "";
      if (bytes.length === 0) throw new ProviderFailure("broken", "the answer has no output");
      if (/^(application\/json|text\/)/.test(announced))
        throw new ProviderFailure("broken", "answered with text where an audio was asked for");
      const asked = inference.parameters.format ?? DEFAULT_FORMAT;
      const mediaType = announced.startsWith("audio/") ? announced : (MEDIA_TYPES[asked] ?? "audio/mpeg");
      const url = `data:${mediaType};base64,${bytes.toString("base64")}`;
      return [
        { type: "media", kind: "audio", url, source: { audio_url: url } },
        { type: "finish", reason: "stop" },
      ];
    },
  };
}
