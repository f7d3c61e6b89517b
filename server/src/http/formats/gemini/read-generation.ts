import type { AnswerForm } from "@trunkline/core/conversation.ts";
import { type Parameters, REASONING_EFFORTS, type Thinking } from "@trunkline/core/inference.ts";
import {
  type Fields,
  invalidField,
  readChoice,
  readInteger,
  readList,
  readNumber,
  readObject,
  readOptional,
  readString,
} from "../../requests/fields.ts";
import { toJsonSchema } from "./json-schema.ts";
import { toCamelCase } from "./to-camel.ts";

const KNOWN_CONFIG_FIELDS = new Set([
  "temperature",
  "topP",
  "topK",
  "candidateCount",
  "maxOutputTokens",
  "stopSequences",
  "responseLogprobs",
  "logprobs",
  "presencePenalty",
  "frequencyPenalty",
  "seed",
  "responseMimeType",
  "responseSchema",
  "responseJsonSchema",
  "responseFormat",
  "thinkingConfig",
]);
const THINKING_LEVELS = ["THINKING_LEVEL_UNSPECIFIED", "MINIMAL", "LOW", "MEDIUM", "HIGH"] as const;

export interface GenerationSettings {
  readonly parameters: Parameters;
  readonly answerForm: AnswerForm | undefined;
}

/** How an answer is to be made, in Google's words. */
export function readGenerationConfig(value: unknown, dropped: Set<string>): GenerationSettings {
  const fields = readOptional(value, (given) => toCamelCase(readObject(given, "generationConfig"))) ?? {};
  for (const name of Object.keys(fields)) {
    if (!KNOWN_CONFIG_FIELDS.has(name) && fields[name] != null && !isDefaultValue(name, fields[name]))
      dropped.add(`generationConfig.${name}`);
  }
  const thinking = readThinking(fields);
  const number = (name: string, min: number, max: number) =>
    readOptional(fields[name], (given) => readNumber(given, `generationConfig.${name}`, min, max));
  const integer = (name: string, min: number, max: number) =>
    readOptional(fields[name], (given) => readInteger(given, `generationConfig.${name}`, min, max));
  const topK = number("topK", 0, 1_000_000);
  const choices = integer("candidateCount", 1, 8);
  return {
    parameters: {
      maxTokens: integer("maxOutputTokens", 1, 1_000_000),
      temperature: number("temperature", 0, 2),
      size: undefined,
      voice: undefined,
      format: undefined,
      topP: number("topP", 0, 1),
      topK: topK === undefined || topK < 1 ? undefined : Math.round(topK),
      stop: readOptional(fields.stopSequences, (given) =>
        readList(given, "generationConfig.stopSequences", 64, (item, param) =>
          readString(item, param, 1, 1_000),
        ),
      ),
      seed: integer("seed", Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
      frequencyPenalty: number("frequencyPenalty", -2, 2),
      presencePenalty: number("presencePenalty", -2, 2),
      choices: choices === 1 ? undefined : choices,
      logprobs: fields.responseLogprobs === true ? (integer("logprobs", 0, 20) ?? 0) : undefined,
      ...(thinking === undefined ? {} : { thinking }),
      others: {},
    },
    answerForm: readResponseFormat(fields),
  };
}

/** Asking for words alone asks for nothing. */
function isDefaultValue(name: string, value: unknown): boolean {
  return name === "responseModalities" && Array.isArray(value) && value.join().toUpperCase() === "TEXT";
}

function readThinking(fields: Fields): Thinking | undefined {
  const param = "generationConfig.thinkingConfig";
  const config = readOptional(fields.thinkingConfig, (given) => toCamelCase(readObject(given, param)));
  if (config === undefined) return undefined;
  // -1: the model decides.
  const budget = readOptional(config.thinkingBudget, (given) =>
    readInteger(given, `${param}.thinkingBudget`, -1, 1_000_000),
  );
  const level = readOptional(config.thinkingLevel, (given) =>
    readChoice(
      typeof given === "string" ? given.toUpperCase() : given,
      `${param}.thinkingLevel`,
      THINKING_LEVELS,
    ),
  );
  const effort = REASONING_EFFORTS.find((known) => known === level?.toLowerCase());
  const asked = {
    ...(effort === undefined ? {} : { effort }),
    ...(budget === undefined || budget < 0 ? {} : { budgetTokens: budget }),
  };
  return Object.keys(asked).length > 0 || config.includeThoughts === true ? asked : undefined;
}

function readResponseFormat(fields: Fields): AnswerForm | undefined {
  const mimeType = readOptional(fields.responseMimeType, (given) =>
    readString(given, "generationConfig.responseMimeType", 1, 128),
  );
  const [schema, param] =
    fields.responseJsonSchema == null
      ? [toJsonSchema(fields.responseSchema), "generationConfig.responseSchema"]
      : [fields.responseJsonSchema, "generationConfig.responseJsonSchema"];
  if (schema != null)
    return { type: "schema", name: "answer", schema: readObject(schema, param), strict: true };
  if (mimeType === undefined || mimeType === "text/plain") return undefined;
  if (mimeType === "application/json") return { type: "json" };
  throw invalidField(
    "generationConfig.responseMimeType",
    "`generationConfig.responseMimeType` must be text/plain or application/json.",
  );
}
