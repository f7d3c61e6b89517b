import { attachmentsOf, type Conversation, textOf } from "./conversation.ts";
import { base64ByteLength } from "./data-url.ts";
import type { Inference } from "./inference.ts";
import type { Model } from "./model.ts";
import type { AudioLength } from "./route.ts";

/** A normal voice says about fifteen letters per second. */
const MS_PER_LETTER = 65;
/** A spoken digit is a word, and a Chinese character or a Korean syllable takes about as long. */
const MS_PER_WORDLIKE = 300;
/** The upper bound for speech: three times the usual length, plus ten seconds of pauses. */
const SLOW_FACTOR = 3;
const PAUSE_MS = 10_000;

/** For attached audio whose length can't be read: a good recording, and the lowest telephone bit rate. */
const USUAL_BYTES_PER_MS = 16;
const BYTES_PER_MS_MIN = 1;
/** Providers round up to whole seconds. */
const ROUNDING_MS = 1_000;
/** The upper bound for an audio file behind a URL, which only the provider fetches. */
const REMOTE_AUDIO_MS = 10 * 60_000;

type InputAudio = Pick<AudioLength, "heardMs" | "maxHeardMs" | "heardIsExact">;

export const NO_AUDIO: AudioLength = {
  spokenMs: 0,
  maxSpokenMs: 0,
  heardMs: 0,
  maxHeardMs: 0,
  heardIsExact: true,
};

/**
 * Estimates the audio of one request for any model. There are at most two different results; each is computed once,
 * when first needed.
 */
export function createAudioEstimator({ conversation, task }: Inference): (model: Model) => AudioLength {
  let heard: AudioLength | undefined;
  let spoken: AudioLength | undefined;
  return ({ type }) => {
    heard ??= measureAttachedAudio(conversation);
    const hearsOnly = task.kind === "transcription";
    if (hearsOnly || (type !== "audio" && (type !== "multimodal" || task.kind !== "audio"))) return heard;
    spoken ??= withSpeech(heard, estimateSpeechMs(textOf(conversation)));
    return spoken;
  };
}

/** Called for every model, and nearly every request has no audio attached: that case allocates nothing. */
function measureAttachedAudio(conversation: Conversation): AudioLength {
  const attachments = attachmentsOf(conversation);
  const attached = attachments.length === 0 ? attachments : attachments.filter(({ kind }) => kind === "audio");
  if (attached.length === 0) return NO_AUDIO;
  return { ...NO_AUDIO, ...attached.map(({ url }) => measureAudio(url)).reduce(addInputAudio) };
}

function withSpeech(heard: AudioLength, spokenMs: number): AudioLength {
  return { ...heard, spokenMs, maxSpokenMs: spokenMs * SLOW_FACTOR + PAUSE_MS };
}

/** How long a text usually takes to speak. */
export function estimateSpeechMs(text: string): number {
  let wordlike = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ((code >= 48 && code <= 57) || code >= 0x2e80) wordlike++;
  }
  return (text.length - wordlike) * MS_PER_LETTER + wordlike * MS_PER_WORDLIKE;
}

function measureAudio(url: string): InputAudio {
  const measured = wavDurationMs(url);
  if (measured !== undefined) return { heardMs: measured, maxHeardMs: measured + ROUNDING_MS, heardIsExact: true };
  if (!/^data:/i.test(url)) return { heardMs: 0, maxHeardMs: REMOTE_AUDIO_MS, heardIsExact: false };
  const bytes = base64ByteLength(url);
  return {
    heardMs: Math.ceil(bytes / USUAL_BYTES_PER_MS),
    maxHeardMs: Math.ceil(bytes / BYTES_PER_MS_MIN),
    heardIsExact: false,
  };
}

function addInputAudio(one: InputAudio, other: InputAudio): InputAudio {
  return {
    heardMs: one.heardMs + other.heardMs,
    maxHeardMs: one.maxHeardMs + other.maxHeardMs,
    heardIsExact: one.heardIsExact && other.heardIsExact,
  };
}

/** How many bytes are decoded to find the `fmt ` and `data` chunks. */
const HEAD_BYTES = 64 * 1024;
const CHUNK_HEAD_BYTES = 8;
const FIRST_CHUNK_OFFSET = 12;
/** A `fmt ` chunk shorter than this lacks the fields that are needed. */
const FORMAT_BYTES_MIN = 16;
/**
 * Uncompressed formats. For these the byte rate follows from the sample rate, so a header that says otherwise is wrong.
 */
const PLAIN_FORMATS: readonly number[] = [1, 3, 6, 7, 0xff_fe];
/** The size in the header of a file that was written before its length was known, such as a stream. */
const UNKNOWN_SIZES: readonly number[] = [0, 0xff_ff_ff_ff];

/**
 * The length of a WAV file in a data URL, from its header, rounded up to whole milliseconds; undefined for any other
 * URL.
 */
export function wavDurationMs(url: string): number | undefined {
  const start = /^data:[^,]{0,256};base64,/i.exec(url.slice(0, 300))?.[0].length;
  if (start === undefined) return undefined;
  const head = Buffer.from(url.slice(start, start + Math.ceil(HEAD_BYTES / 3) * 4), "base64");
  if (head.toString("latin1", 0, 4) !== "RIFF" || head.toString("latin1", 8, 12) !== "WAVE") return undefined;
  return durationOf(head, base64ByteLength(url, start));
}

/** Goes from chunk to chunk up to the samples. The format chunk comes before them. */
function durationOf(head: Buffer, totalBytes: number): number | undefined {
  let bytesPerSecond = 0;
  for (let at = FIRST_CHUNK_OFFSET; at + CHUNK_HEAD_BYTES <= head.length; ) {
    const name = head.toString("latin1", at, at + 4);
    const size = head.readUInt32LE(at + 4);
    const body = at + CHUNK_HEAD_BYTES;
    if (name === "fmt " && size >= FORMAT_BYTES_MIN && body + FORMAT_BYTES_MIN <= head.length)
      bytesPerSecond = bytesPerSecondOf(head.subarray(body, body + FORMAT_BYTES_MIN));
    if (name === "data") {
      if (bytesPerSecond === 0) return undefined;
      const available = Math.max(0, totalBytes - body);
      // A header may claim more than the file holds: only what is there counts.
      const bytes = UNKNOWN_SIZES.includes(size) ? available : Math.min(size, available);
      return Math.ceil((bytes * 1_000) / bytesPerSecond);
    }
    // Chunks start at even offsets.
    at = body + size + (size % 2);
  }
  return undefined;
}

/** 0 where the header contradicts itself. */
function bytesPerSecondOf(format: Buffer): number {
  const bytesPerSecond = format.readUInt32LE(8);
  if (!PLAIN_FORMATS.includes(format.readUInt16LE(0))) return bytesPerSecond;
  const samplesPerSecond = format.readUInt32LE(4);
  const bytesPerSample = format.readUInt16LE(12);
  return samplesPerSecond * bytesPerSample === bytesPerSecond ? bytesPerSecond : 0;
}
