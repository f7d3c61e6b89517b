import type { Parameters, Strategy } from "@trunkline/core/inference.ts";
import { z } from "zod";
import { invalidField, readString } from "../requests/fields.ts";
import {
  answerCheckSchema,
  continueSchema,
  fallbacksSchema,
  hedgeSchema,
  preferencesSchema,
  routeSchema,
  sessionSchema,
} from "../requests/inference-schema.ts";

const MODEL_NAME_MAX = 256;

/** The strategies that can be asked for by a model's name, as these clients have no other place for one. */
const AUTO_STRATEGIES: Readonly<Record<string, Strategy | undefined>> = {
  auto: undefined,
  "auto:cost": "cost-optimized",
  "auto:speed": "speed-optimized",
  "auto:quality": "quality-optimized",
};

/** Every name by which a client leaves the choice of a model to the service. */
export const AUTO_MODEL_NAMES: readonly string[] = Object.keys(AUTO_STRATEGIES);

interface RequestedModel {
  /** undefined: the service chooses. */
  readonly model: string | undefined;
  /** undefined: as the rest of the request, or the account, says. */
  readonly strategy: Strategy | undefined;
}

/** What a client means by `model`. A colon belongs to many an ordinary name; only those after `auto` are ours. */
export function readModel(value: unknown, param = "model"): RequestedModel {
  const name = readString(value, param, 1, MODEL_NAME_MAX);
  if (Object.hasOwn(AUTO_STRATEGIES, name)) return { model: undefined, strategy: AUTO_STRATEGIES[name] };
  if (name.startsWith("auto:"))
    throw invalidField(param, `\`${param}\` must be one of ${AUTO_MODEL_NAMES.join(", ")}, or the name of a model.`);
  return { model: name, strategy: undefined };
}

/** Where nothing is said of how the answer should be made. */
export const EMPTY_PARAMETERS: Parameters = {
  maxTokens: undefined,
  temperature: undefined,
  size: undefined,
  voice: undefined,
  format: undefined,
  others: {},
};

/** What every operation takes beside OpenAI's own fields: our words for who should serve it. */
export const ROUTING_FIELDS = [
  "route",
  "check",
  "preferences",
  "fallbacks",
  "cache",
  "session",
  "continue",
  "hedge",
] as const;

/** What the bodies of several operations have in common, for the OpenAPI document. The reading is hand-written. */
export const modelField = z
  .string()
  .describe(
    "A name from GET /openai/v1/models, the short name of a model, or `auto`, `auto:cost`, `auto:speed`, `auto:quality`.",
  );

export const samplingFields = {
  max_tokens: z.int().min(1).max(1_000_000).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  n: z.int().min(1).max(8).nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(4)]).nullish(),
  seed: z.int().nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().optional() }).nullish(),
};

/** Ours, and of no other service. */
export const extensionFields = {
  route: routeSchema,
  check: answerCheckSchema,
  preferences: preferencesSchema,
  fallbacks: fallbacksSchema,
  session: sessionSchema,
  continue: continueSchema,
  hedge: hedgeSchema,
};
