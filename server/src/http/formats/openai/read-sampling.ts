import type { Parameters } from "@trunkline/core/inference.ts";
import {
  type Fields,
  readBoolean,
  readInteger,
  readList,
  readNumber,
  readObject,
  readOptional,
  readString,
} from "../../requests/fields.ts";
import { MAX_TOKENS_MAX } from "../../requests/read-inference.ts";

const CHOICES_MAX = 8;
const STOPS_MAX = 4;

type SamplingParameters = Omit<Parameters, "logprobs" | "thinking">;

/** The fields that `readSampling` makes something of. */
export const SAMPLING_FIELDS = [
  "max_tokens",
  "temperature",
  "top_p",
  "n",
  "stop",
  "seed",
  "frequency_penalty",
  "presence_penalty",
] as const;

/** How an answer's words are to be drawn, as every operation of OpenAI's that gives words takes it. */
export function readSampling(fields: Fields): SamplingParameters {
  const number = (name: string, min: number, max: number) =>
    readOptional(fields[name], (value) => readNumber(value, name, min, max));
  const choices = readOptional(fields.n, (value) => readInteger(value, "n", 1, CHOICES_MAX));
  return {
    maxTokens: readMaxTokens(fields.max_tokens, "max_tokens"),
    temperature: number("temperature", 0, 2),
    topP: number("top_p", 0, 1),
    choices: choices === 1 ? undefined : choices,
    stop: readOptional(fields.stop, readStop),
    seed: readOptional(fields.seed, (value) =>
      readInteger(value, "seed", Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
    ),
    frequencyPenalty: number("frequency_penalty", -2, 2),
    presencePenalty: number("presence_penalty", -2, 2),
    size: undefined,
    voice: undefined,
    format: undefined,
    others: {},
  };
}

export function readMaxTokens(value: unknown, param: string): number | undefined {
  return readOptional(value, (given) => readInteger(given, param, 1, MAX_TOKENS_MAX));
}

function readStop(value: unknown): readonly string[] | undefined {
  const words =
    typeof value === "string"
      ? [readString(value, "stop", 1, 256)]
      : readList(value, "stop", STOPS_MAX, (item, param) => readString(item, param, 1, 256));
  return words.length === 0 ? undefined : words;
}

/** Whether the answer is to come piece by piece. */
export function readStreaming(fields: Fields): boolean {
  readIncludeUsage(fields);
  return readOptional(fields.stream, (value) => readBoolean(value, "stream")) ?? false;
}

/** Whether the last event of a stream is to say what was used. */
export function readIncludeUsage(fields: Fields): boolean {
  const options = readOptional(fields.stream_options, (value) => readObject(value, "stream_options"));
  return (
    readOptional(options?.include_usage, (value) => readBoolean(value, "stream_options.include_usage")) ??
    false
  );
}
