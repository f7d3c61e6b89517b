import type { Extras, Inference, Parameters } from "@trunkline/core/inference.ts";
import {
  type Fields,
  invalidField,
  readBoolean,
  readChoice,
  readInteger,
  readList,
  readNumber,
  readObject,
  readOptional,
  readString,
} from "../../requests/fields.ts";
import { MAX_TOKENS_MAX } from "../../requests/read-inference.ts";

/** How an operation goes about the fields at the top of its body. */
export interface FieldRules {
  /** Those that it makes something of itself. */
  readonly understood: ReadonlySet<string>;
  /**
   * Those that only OpenAI's own format knows and that change no price, each with what checks it. Whatever could make
   * a request cost more than its quote is in neither list.
   */
  readonly extras: Readonly<Record<string, (value: unknown, param: string) => unknown>>;
  /** Values that mean no more than leaving the field out. */
  readonly harmless: Readonly<Record<string, (value: unknown) => boolean>>;
}

/** Parts the fields that are kept for a provider of this very format from those that nothing is made of. */
export function partitionFields(
  fields: Fields,
  { understood, extras, harmless }: FieldRules,
): Pick<Inference, "extras" | "dropped"> {
  const kept: Record<string, unknown> = {};
  const dropped: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (value === null || understood.has(name)) continue;
    const check = Object.hasOwn(extras, name) ? extras[name] : undefined;
    const isHarmless = Object.hasOwn(harmless, name) && harmless[name]?.(value) === true;
    if (check !== undefined) kept[name] = check(value, name);
    else if (!isHarmless) dropped.push(name);
  }
  const found: Extras = { wire: "openai", fields: kept };
  return { ...(Object.keys(kept).length === 0 ? {} : { extras: found }), dropped };
}

const TOKEN_BIASES_MAX = 1_024;
const METADATA_MAX = 16;

/** A word or a name of the application's own. */
export const readShortString = (value: unknown, param: string) => readString(value, param, 1, 512);

function readLogitBias(value: unknown, param: string): Record<string, number> {
  const entries = Object.entries(readObject(value, param));
  if (entries.length > TOKEN_BIASES_MAX)
    throw invalidField(param, `\`${param}\` may hold at most ${TOKEN_BIASES_MAX} tokens.`);
  return Object.fromEntries(entries.map(([token, bias]) => [token, readNumber(bias, `${param}.${token}`, -100, 100)]));
}

/** Up to sixteen words of the application's own. */
export function readMetadata(value: unknown, param: string): Record<string, string> {
  const entries = Object.entries(readObject(value, param));
  if (entries.length > METADATA_MAX) throw invalidField(param, `\`${param}\` may hold at most ${METADATA_MAX} pairs.`);
  return Object.fromEntries(
    entries.map(([name, text]) => {
      if (name.length > 64) throw invalidField(param, `The names in \`${param}\` may have at most 64 characters.`);
      return [name, readString(text, `${param}.${name}`, 0, 512)];
    }),
  );
}

/** What chats may say that only a provider of OpenAI's own format understands. */
export const CHAT_EXTRAS: FieldRules["extras"] = {
  logit_bias: readLogitBias,
  user: readShortString,
  metadata: readMetadata,
  store: readBoolean,
  prompt_cache_key: readShortString,
  safety_identifier: readShortString,
  verbosity: (value, param) => readChoice(value, param, ["low", "medium", "high"]),
};

/** The same of the old completions. */
export const COMPLETION_EXTRAS: FieldRules["extras"] = { logit_bias: readLogitBias, user: readShortString };

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
  return readOptional(options?.include_usage, (value) => readBoolean(value, "stream_options.include_usage")) ?? false;
}

/**
 * The session that a request names, else the key under which its client has OpenAI look into its cache. Whoever sends
 * that key wants a cache to be used, and has not said that it pays for one model rather than another.
 */
export function sessionOf(
  { session }: Pick<Inference, "session">,
  { extras }: Pick<Inference, "extras">,
): Pick<Inference, "session" | "sessionIsImplied"> {
  if (session !== undefined) return { session };
  const key = extras?.fields.prompt_cache_key;
  return typeof key === "string" ? { session: key, sessionIsImplied: true } : {};
}
