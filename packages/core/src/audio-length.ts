import { attachmentsOf, type Conversation, textOf } from "./conversation.ts";
import type { Inference } from "./inference.ts";
import type { Model } from "./model.ts";
import type { AudioLength } from "./route.ts";

/** A usual voice says some fifteen letters in a second. */
const MS_PER_LETTER = 65;
/** A digit is a word when it is said, and so is a character of Chinese, or a syllable. */
const MS_PER_WORDLIKE = 300;
/** The slowest speech that is paid for takes three times as long as usual, and a pause of ten seconds more. */
const SLOW_FACTOR = 3;
const PAUSE_MS = 10_000;

/** Of attached audio that can't be measured: what a good recording takes, and what the thinnest telephone line does. */
const USUAL_BYTES_PER_MS = 16;
const BYTES_PER_MS_MIN = 1;
/** Providers round up to the second. */
const ROUNDING_MS = 1_000;
/** The most that is paid for of an audio file that only the provider sees. */
const REMOTE_AUDIO_MS = 10 * 60_000;

type InputAudio = Pick<AudioLength, "heardMs" | "maxHeardMs" | "heardIsExact">;

const NO_AUDIO: AudioLength = {
  spokenMs: 0,
  maxSpokenMs: 0,
  heardMs: 0,
  maxHeardMs: 0,
  heardIsExact: true,
};

/** Reckons the audio of one request for any model. There are two answers at most, and each is found once, if it is asked for. */
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

/** Nearly every request has nothing attached, and is asked about for every model: it gets by without making anything. */
function measureAttachedAudio(conversation: Conversation): AudioLength {
  const attached = attachmentsOf(conversation).filter(({ kind }) => kind === "audio");
  if (attached.length === 0) return NO_AUDIO;
  return { ...NO_AUDIO, ...attached.map(({ url }) => measureAudio(url)).reduce(addInputAudio) };
}

function withSpeech(heard: AudioLength, spokenMs: number): AudioLength {
  return { ...heard, spokenMs, maxSpokenMs: spokenMs * SLOW_FACTOR + PAUSE_MS };
}

/** How long a text usually takes to say. */
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

/** How much of a file is looked at to find where its samples begin. */
const HEAD_BYTES = 64 * 1024;
const CHUNK_HEAD_BYTES = 8;
const FIRST_CHUNK_OFFSET = 12;
/** Below this many bytes a `fmt ` chunk says too little. */
const FORMAT_BYTES_MIN = 16;
/** Plain samples of whole bytes: here a second is so many of them, and a header that says otherwise is wrong. */
const PLAIN_FORMATS: readonly number[] = [1, 3, 6, 7, 0xff_fe];
/** Whoever writes a file before its length is known says so with one of these. */
const UNKNOWN_SIZES: readonly number[] = [0, 0xff_ff_ff_ff];

/** How many milliseconds of audio a data URL holds, where it is a WAV file whose header says so; a started one counts. */
export function wavDurationMs(url: string): number | undefined {
  const start = /^data:[^,]{0,256};base64,/i.exec(url.slice(0, 300))?.[0].length;
  if (start === undefined) return undefined;
  const head = Buffer.from(url.slice(start, start + Math.ceil(HEAD_BYTES / 3) * 4), "base64");
  if (head.toString("latin1", 0, 4) !== "RIFF" || head.toString("latin1", 8, 12) !== "WAVE") return undefined;
  return durationOf(head, base64ByteLength(url, start));
}

/** How many bytes a data URL holds, without decoding them. */
export function base64ByteLength(url: string, start = url.indexOf(",") + 1): number {
  const padding = url.endsWith("==") ? 2 : url.endsWith("=") ? 1 : 0;
  return Math.floor(((url.length - start - padding) * 3) / 4);
}

/** Walks from chunk to chunk until the samples are reached; the format stands before them. */
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
      const there = Math.max(0, totalBytes - body);
      // What a header claims beyond the end of the file is not there to be heard.
      const bytes = UNKNOWN_SIZES.includes(size) ? there : Math.min(size, there);
      return Math.ceil((bytes * 1_000) / bytesPerSecond);
    }
    // Chunks begin at even places.
    at = body + size + (size % 2);
  }
  return undefined;
}

/** 0 where the format contradicts itself: then it measures nothing. */
function bytesPerSecondOf(format: Buffer): number {
  const bytesPerSecond = format.readUInt32LE(8);
  if (!PLAIN_FORMATS.includes(format.readUInt16LE(0))) return bytesPerSecond;
  const samplesPerSecond = format.readUInt32LE(4);
  const bytesPerSample = format.readUInt16LE(12);
  return samplesPerSecond * bytesPerSample === bytesPerSecond ? bytesPerSecond : 0;
}
