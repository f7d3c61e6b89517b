import { toAbortSignal } from "@trunkline/core/cancellation.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { type Builtin, builtinModel } from "../builtin/builtin.ts";
import { estimateTokens, lastUserTextOf, splitSentences } from "../builtin/text.ts";
import { FliteWorker } from "./flite-worker.ts";

/** The voices inside the package, the best first. A sixth, awb_time, can only tell the time. */
export const VOICES = ["slt", "rms", "awb", "kal16", "kal"] as const;

/** About three and a half minutes of speech. */
const CHARACTERS_MAX = 3_000;
/** As a data URL this is just within the 10 MiB limit of answers. */
const WAV_BYTES_MAX = 7.5 * 1024 * 1024;

/** Some texts, such as long numbers, take much longer to speak than their length suggests. */
const WORK_MS_MAX = 30_000;
const IN_PARTS = "send it in parts";

export function createVoice(wasmPath: string): Builtin {
  const fliteWorker = new FliteWorker(wasmPath);
  return {
    model: builtinModel({
      id: "0b1de000-0000-4000-8000-000000000004",
      name: "voice",
      type: "audio",
      description: `Reads English text aloud with the CMU Flite synthesizer, as a WAV file: clear, and audibly a machine. Voices: ${VOICES.join(", ")}.`,
      capabilities: ["audio", "tts", "speech", "voice"],
      specialties: ["english", "text-to-speech"],
      avgLatencyMs: 300,
      accuracyScore: 0.3,
    }),
    async *answer(inference, signal) {
      const { asked, text, voice } = speechRequestOf(inference);
      const deadline = AbortSignal.timeout(WORK_MS_MAX);
      const order = { options: ["-voice", voice], text, bytesMax: WAV_BYTES_MAX };
      const run = await fliteWorker
        .run(order, AbortSignal.any([toAbortSignal(signal), deadline]))
        .catch((error: unknown) => {
          throw error === deadline.reason ? rejected(`This text takes too long to read aloud; ${IN_PARTS}.`) : error;
        });
      if (run.tooLong) throw rejected(`This text takes more than four minutes to read aloud; ${IN_PARTS}.`);
      if (run.wav === undefined) throw new ProviderFailure("broken", "The built-in voice gave no sound.");
      const url = `data:audio/wav;base64,${Buffer.from(run.wav.buffer).toString("base64")}`;
      yield { type: "media", kind: "audio", url, source: { audio_url: url } };
      yield { type: "usage", inputTokens: estimateTokens(asked), outputTokens: 0 };
      yield { type: "finish", reason: "stop" };
    },
  };
}

function speechRequestOf({ conversation, parameters }: Inference): {
  asked: string;
  text: string;
  voice: string;
} {
  const format = parameters.format?.toLowerCase() ?? "wav";
  if (format !== "wav") throw rejected(`builtin/voice makes wav only, not ${format}.`);

  const voice = parameters.voice?.toLowerCase() ?? VOICES[0];
  if (!VOICES.some((known) => known === voice)) {
    throw rejected(`builtin/voice has no voice "${voice}"; it has ${VOICES.join(", ")}.`);
  }

  const asked = lastUserTextOf(conversation);
  if (asked.length > CHARACTERS_MAX) {
    throw rejected(
      `builtin/voice reads at most ${CHARACTERS_MAX} characters at a time, this text has ${asked.length}.`,
    );
  }
  const text = toSpeakableText(asked);
  if (text === undefined) throw rejected("builtin/voice reads English only, and finds nothing to read in this text.");
  return { asked, text, voice };
}

function rejected(sentence: string): ProviderFailure {
  return new ProviderFailure("rejected", sentence, { blamesEndpoint: false });
}

/** Characters with a replacement that removing accents does not give. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  "‘": "'",
  "’": "'",
  "“": '"',
  "”": '"',
  "–": " - ",
  "—": " - ",
  "…": "...",
  "•": ", ",
  ß: "ss",
  æ: "ae",
  Æ: "Ae",
  œ: "oe",
  ø: "o",
  Ø: "O",
  ł: "l",
  Ł: "L",
  "€": " euros ",
  "£": " pounds ",
  "¥": " yen ",
  "°": " degrees ",
  "×": " times ",
};

/** With a larger share of non-Latin letters, too little of the text would be spoken. */
const NON_LATIN_SHARE_MAX = 0.3;
/** The engine processes whole sentences, and its time grows faster than their length. */
const SENTENCE_CHARACTERS_MAX = 240;
const WORD_CHARACTERS_MAX = 30;

/** The text for an English voice, with an empty line after each sentence; undefined: it can't be read. */
export function toSpeakableText(text: string): string | undefined {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const foreign = letters - (text.match(/\p{Script=Latin}/gu)?.length ?? 0);
  if (foreign > letters * NON_LATIN_SHARE_MAX) return undefined;
  const plain = text
    .replace(/[^\p{ASCII}]/gu, (character) => REPLACEMENTS[character] ?? character)
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^\n\x20-\x7e]+/g, " ");
  if (!/[A-Za-z0-9]/.test(plain)) return undefined;
  return splitSentences(plain).flatMap(splitLongSentence).join("\n\n");
}

/** Splits a long sentence between words, and long words anywhere. */
function splitLongSentence(sentence: string): readonly string[] {
  const words = sentence.split(" ").flatMap((word) => word.match(new RegExp(`.{1,${WORD_CHARACTERS_MAX}}`, "g")) ?? []);
  const breaths: string[] = [];
  let breath = "";
  for (const word of words) {
    if (breath !== "" && breath.length + word.length >= SENTENCE_CHARACTERS_MAX) {
      breaths.push(breath);
      breath = "";
    }
    breath = breath === "" ? word : `${breath} ${word}`;
  }
  return [...breaths, breath];
}
