import { type Extras, type Parameters, REASONING_EFFORTS, type Thinking } from "@trunkline/core/inference.ts";
import { z } from "zod";
import {
  booleanField,
  choiceField,
  Field,
  type FieldMap,
  type FieldTable,
  fieldTable,
  integerField,
  numberField,
  objectField,
  stringField,
} from "../../requests/field-table.ts";
import {
  type Fields,
  invalidField,
  readChoice,
  readList,
  readNumber,
  readObject,
  readString,
} from "../../requests/fields.ts";
import { MAX_TOKENS_MAX } from "../../requests/read-inference.ts";
import { modelField } from "../shared-fields.ts";

interface OpenAiBodyOptions<Map extends FieldMap> {
  /** The fields that the operation reads itself. */
  readonly fields: Map;
  /**
   * Fields that go unchanged to a provider of OpenAI's own format. A field that could make a request cost more than its
   * quote must not be among them.
   */
  readonly forwarded?: Readonly<Record<string, Field<unknown>>>;
  /** Values that mean the same as leaving the field out. The document does not list these fields. */
  readonly harmless?: Readonly<Record<string, (value: unknown) => boolean>>;
}

/** The body of one of OpenAI's operations. */
interface OpenAiBody<Map extends FieldMap> extends Pick<FieldTable<Map>, "read" | "schema"> {
  /** Separates the fields that are kept for a provider of this format from those that are dropped. */
  partition(fields: Fields): OtherFields;
}

/** The fields of a body that its operation does not read itself. */
interface OtherFields {
  readonly extras: Extras | undefined;
  readonly dropped: readonly string[];
}

const NO_OTHER_FIELDS: OtherFields = { extras: undefined, dropped: [] };

export function openAiBody<const Map extends FieldMap>(options: OpenAiBodyOptions<Map>): OpenAiBody<Map> {
  const { fields: own, forwarded = {}, harmless = {} } = options;
  const { read, names } = fieldTable(own);
  return {
    read,
    schema: fieldTable({ ...own, ...forwarded }).schema,
    partition(fields) {
      if (!hasOthersThan(fields, names)) return NO_OTHER_FIELDS;
      const extraFields: Record<string, unknown> = {};
      const dropped: string[] = [];
      for (const [name, value] of Object.entries(fields)) {
        if (value === null || names.has(name)) continue;
        const extra = Object.hasOwn(forwarded, name) ? forwarded[name] : undefined;
        const isHarmless = Object.hasOwn(harmless, name) && harmless[name]?.(value) === true;
        if (extra !== undefined) extraFields[name] = extra.read(value, name);
        else if (!isHarmless) dropped.push(name);
      }
      const extras: Extras = { wire: "openai", fields: extraFields };
      return { extras: Object.keys(extraFields).length === 0 ? undefined : extras, dropped };
    },
  };
}

function hasOthersThan(fields: Fields, names: ReadonlySet<string>): boolean {
  for (const name in fields) if (!names.has(name)) return true;
  return false;
}

const TOKEN_BIASES_MAX = 1_024;
const METADATA_MAX = 16;
const CHOICES_MAX = 8;
const STOPS_MAX = 4;
const STOP_LENGTH_MAX = 256;

export const openAiModelField = modelField.describe(
  "A name from GET /openai/v1/models, the short name of a model, or `auto`, `auto:cost`, `auto:speed`, `auto:quality`.",
);

/** A short text of the application's own, such as the id of its user. */
export const shortStringField = stringField(1, 512);

function readLogitBias(value: unknown, param: string): Record<string, number> {
  const entries = Object.entries(readObject(value, param));
  if (entries.length > TOKEN_BIASES_MAX)
    throw invalidField(param, `\`${param}\` may hold at most ${TOKEN_BIASES_MAX} tokens.`);
  return Object.fromEntries(entries.map(([token, bias]) => [token, readNumber(bias, `${param}.${token}`, -100, 100)]));
}

export const logitBiasField = new Field(readLogitBias, z.record(z.string(), z.number().min(-100).max(100))).nullish();

function readMetadata(value: unknown, param: string): Record<string, string> {
  const entries = Object.entries(readObject(value, param));
  if (entries.length > METADATA_MAX) throw invalidField(param, `\`${param}\` may hold at most ${METADATA_MAX} pairs.`);
  return Object.fromEntries(
    entries.map(([name, text]) => {
      if (name.length > 64) throw invalidField(param, `The names in \`${param}\` may have at most 64 characters.`);
      return [name, readString(text, `${param}.${name}`, 0, 512)];
    }),
  );
}

export const metadataField = new Field(readMetadata, z.record(z.string(), z.string().max(512))).nullish();

export const verbosityField = choiceField(["low", "medium", "high"]).nullish();

function readEffort(value: unknown, param: string): Thinking["effort"] {
  return value === "max" ? "xhigh" : readChoice(value, param, REASONING_EFFORTS);
}

export const effortField = new Field(readEffort, z.enum([...REASONING_EFFORTS, "max"])).nullish();

function readStop(value: unknown, param: string): readonly string[] | undefined {
  const words =
    typeof value === "string"
      ? [readString(value, param, 1, STOP_LENGTH_MAX)]
      : readList(value, param, STOPS_MAX, (item, path) => readString(item, path, 1, STOP_LENGTH_MAX));
  return words.length === 0 ? undefined : words;
}

const stopSchema = z.string().min(1).max(STOP_LENGTH_MAX);

export const maxTokensField = integerField(1, MAX_TOKENS_MAX).nullish();
export const temperatureField = numberField(0, 2).nullish();
export const topPField = numberField(0, 1).nullish();
export const streamField = booleanField().nullish();

const streamOptions = fieldTable({ include_usage: booleanField().optional() }, "stream_options");

const usageOptions = fieldTable({ include: booleanField().nullish() }, "usage");

export const usageOptionsField = objectField(usageOptions)
  .nullish()
  .describe("OpenRouter's: `include: true` does what `stream_options.include_usage` does.");

/** How chats and completions sample their answers. */
export const samplingFields = {
  max_tokens: maxTokensField,
  temperature: temperatureField,
  top_p: topPField,
  n: integerField(1, CHOICES_MAX).nullish(),
  stop: new Field(readStop, z.union([stopSchema, z.array(stopSchema).max(STOPS_MAX)])).nullish(),
  seed: integerField(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER).nullish(),
  frequency_penalty: numberField(-2, 2).nullish(),
  presence_penalty: numberField(-2, 2).nullish(),
  stream: streamField,
  stream_options: objectField(streamOptions).nullish(),
};

const { read } = fieldTable(samplingFields);

const NO_OTHERS: Parameters["others"] = {};

type SamplingParameters = { -readonly [Name in keyof Parameters]: Parameters[Name] };

/** How an answer is sampled; the operation adds what it alone has. Most fields are left out, and then not read. */
export function readSampling(fields: Fields): SamplingParameters {
  const choices = fields.n == null ? undefined : read.n(fields);
  return {
    maxTokens: fields.max_tokens == null ? undefined : read.max_tokens(fields),
    temperature: fields.temperature == null ? undefined : read.temperature(fields),
    size: undefined,
    voice: undefined,
    format: undefined,
    topP: fields.top_p == null ? undefined : read.top_p(fields),
    topK: undefined,
    stop: fields.stop == null ? undefined : read.stop(fields),
    seed: fields.seed == null ? undefined : read.seed(fields),
    frequencyPenalty: fields.frequency_penalty == null ? undefined : read.frequency_penalty(fields),
    presencePenalty: fields.presence_penalty == null ? undefined : read.presence_penalty(fields),
    choices: choices === 1 ? undefined : choices,
    logprobs: undefined,
    thinking: undefined,
    dimensions: undefined,
    pace: undefined,
    others: NO_OTHERS,
  };
}

/** Whether the answer comes piece by piece. */
export function readStreaming(fields: Fields): boolean {
  if (fields.stream_options != null || fields.usage != null) readIncludeUsage(fields);
  return fields.stream == null ? false : (read.stream(fields) ?? false);
}

/** Whether the last event of a stream says what was used. */
export function readIncludeUsage(fields: Fields): boolean {
  const isAsked = streamOptions.read.include_usage(read.stream_options(fields) ?? {}) ?? false;
  const usage = usageOptionsField.read(fields.usage, "usage");
  return isAsked || (usage !== undefined && usageOptions.read.include(usage) === true);
}

/**
 * The prompt cache key of a request. A client that sends such a key wants a cache to be used, so the request stays with
 * a model, but it has not asked to do so at a higher price.
 */
export function impliedSessionOf(extras: Extras | undefined): string | undefined {
  const key = extras?.fields.prompt_cache_key;
  return typeof key === "string" ? key : undefined;
}
