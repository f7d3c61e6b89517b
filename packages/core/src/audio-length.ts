import { attachmentsOf, type Conversation, textOf } from "./conversation.ts";
import type { Inference } from "./inference.ts";
import { base64ByteLength, wavDurationMs } from "./measure-wav.ts";
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
  if (measured !== undefined)
    return { heardMs: measured, maxHeardMs: measured + ROUNDING_MS, heardIsExact: true };
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
