import type { ProviderCall } from "@trunkline/core/adapter.ts";
import type { JsonObject } from "@trunkline/core/json-object.ts";

/** OpenAI's voices, one of which its clients must name. Gemini refuses them, and then speaks with its usual voice. */
const OPENAI_VOICES = /^(?:alloy|ash|ballad|cedar|coral|echo|fable|marin|nova|onyx|sage|shimmer|verse)$/i;

/** The settings of a request for speech. */
export function toSpeechConfig({ inference, onUnsupported }: ProviderCall): JsonObject {
  const { voice, format } = inference.parameters;
  if (format !== undefined && format.toLowerCase() !== "wav") onUnsupported?.("format");
  const isKnown = voice !== undefined && !OPENAI_VOICES.test(voice);
  if (voice !== undefined && !isKnown) onUnsupported?.("voice");
  const voiceConfig = { prebuiltVoiceConfig: { voiceName: voice } };
  return { responseModalities: ["AUDIO"], ...(isKnown ? { speechConfig: { voiceConfig } } : {}) };
}

const PCM = /^audio\/(?:l16|pcm)\b/i;
const USUAL_RATE = 24_000;
const HEADER_BYTES = 44;
const BYTES_PER_SAMPLE = 2;

/** Bare samples, as Gemini sends them, as a file that can be played. Other sound stays as it is. */
export function toPlayable(mimeType: string, base64: string): { readonly mimeType: string; readonly base64: string } {
  if (!PCM.test(mimeType)) return { mimeType, base64 };
  const rate = Number(/rate=(\d{4,6})/i.exec(mimeType)?.[1] ?? USUAL_RATE);
  const samples = Buffer.from(base64, "base64");
  const header = Buffer.alloc(HEADER_BYTES);
  header.write("RIFF", 0);
  header.writeUInt32LE(HEADER_BYTES - 8 + samples.length, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  // Samples as whole numbers, in one channel.
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * BYTES_PER_SAMPLE, 28);
  header.writeUInt16LE(BYTES_PER_SAMPLE, 32);
  header.writeUInt16LE(8 * BYTES_PER_SAMPLE, 34);
  header.write("data", 36);
  header.writeUInt32LE(samples.length, 40);
  return { mimeType: "audio/wav", base64: Buffer.concat([header, samples]).toString("base64") };
}
