import type { ProviderCall } from "@trunkline/core/adapter.ts";
import { ProviderFailure } from "@trunkline/core/attempt.ts";
import { textOf } from "@trunkline/core/conversation.ts";
import { upstreamNameOf } from "@trunkline/core/model.ts";
import type { AnswerReader, WireResponseHead } from "../../http/wire-format.ts";
import type { PassthroughFields } from "./passed-fields.ts";

/** The voice of those who name none: there must be one, and this one is everywhere. */
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

/** The body that asks for speech. */
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

/** Reads speech, which is nothing but its own bytes, of the type that their head names or that was asked for. */
export function speechReader(
  { inference }: Pick<ProviderCall, "inference">,
  head: WireResponseHead,
): AnswerReader {
  const pieces: Buffer[] = [];
  return {
    done: false,
    push(bytes) {
      pieces.push(bytes);
      return [];
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
