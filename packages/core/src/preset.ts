import { z } from "zod";
import { creditsSchema, storableText, toNanoCredits } from "./field-schemas.ts";
import { type Inference, REASONING_EFFORTS, STRATEGIES } from "./inference.ts";

/** What a name of the account's own in `model` stands for. What a request says itself goes before it. */
export const presetSchema = z.strictObject({
  description: storableText(z.string().max(500)).optional(),
  models: z
    .array(storableText(z.string().min(1).max(256)))
    .min(1)
    .max(16)
    .optional()
    .describe("The model, and those to try after it; absent: the service chooses."),
  route: z.enum(STRATEGIES).optional().describe("The strategy by which the service chooses."),
  system: storableText(z.string().min(1).max(100_000))
    .optional()
    .describe("Instructions that come before those of the request. Not for images, sound and embeddings."),
  parameters: z
    .strictObject({
      max_tokens: z.int().min(1).max(1_000_000).optional(),
      temperature: z.number().min(0).max(2).optional(),
      top_p: z.number().min(0).max(1).optional(),
      stop: z
        .array(storableText(z.string().min(1).max(256)))
        .max(16)
        .optional(),
      reasoning_effort: z.enum(REASONING_EFFORTS).optional(),
    })
    .optional()
    .describe("For requests that do not set them."),
  preferences: z
    .strictObject({
      max_cost: creditsSchema(0, 1_000_000).optional(),
      max_latency_ms: z.number().min(1).max(3_600_000).optional(),
      min_quality: z.number().min(0).max(1).optional(),
    })
    .optional()
    .describe("Bounds for requests that do not set them."),
});

export type Preset = z.infer<typeof presetSchema>;

/** The name of a preset. Names of models may be among them: then the preset goes before. */
export const PRESET_NAME = /^(?!auto$)[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const PRESETS_MAX = 200;
/** Of all presets of an account as JSON: they are loaded with each of its keys. */
export const PRESETS_LENGTH_MAX = 256 * 1024;

const WITHOUT_SYSTEM: ReadonlySet<string> = new Set(["image", "audio", "transcription", "embedding"]);

/** The request that a preset makes of one which names it. */
function applyPreset(name: string, preset: Preset, inference: Inference): Inference {
  const { models = [], system, parameters = {}, preferences = {} } = preset;
  const { parameters: own, preferences: bounds, conversation, task } = inference;
  const [model, ...fallbacks] = models;
  const messages =
    system === undefined || WITHOUT_SYSTEM.has(task.kind)
      ? conversation.messages
      : [{ role: "system" as const, content: [{ type: "text" as const, text: system }] }, ...conversation.messages];
  const effort = parameters.reasoning_effort;
  return {
    ...inference,
    preset: name,
    model,
    fallbacks: [...fallbacks, ...inference.fallbacks],
    strategy: inference.strategy ?? preset.route,
    conversation: { ...conversation, messages },
    parameters: {
      ...own,
      maxTokens: own.maxTokens ?? parameters.max_tokens,
      temperature: own.temperature ?? parameters.temperature,
      topP: own.topP ?? parameters.top_p,
      stop: own.stop ?? parameters.stop,
      thinking: own.thinking ?? (effort === undefined ? undefined : { effort }),
    },
    preferences: {
      ...bounds,
      maxCost: bounds.maxCost ?? (preferences.max_cost === undefined ? undefined : toNanoCredits(preferences.max_cost)),
      maxLatencyMs: bounds.maxLatencyMs ?? preferences.max_latency_ms,
      minQuality: bounds.minQuality ?? preferences.min_quality,
    },
  };
}

/** The request as it is served: as it is, or as a preset of the caller's makes it. */
export function withPreset(presets: ReadonlyMap<string, Preset> | undefined, inference: Inference): Inference {
  if (presets === undefined || inference.model === undefined) return inference;
  const preset = presets.get(inference.model);
  return preset === undefined ? inference : applyPreset(inference.model, preset, inference);
}

/** Presets as they are stored; undefined: there are none. What a later version stored and this one can't read is left out. */
export function parseStoredPresets(stored: unknown): ReadonlyMap<string, Preset> | undefined {
  if (typeof stored !== "object" || stored === null) return undefined;
  const presets = new Map<string, Preset>();
  for (const [name, value] of Object.entries(stored)) {
    const parsed = presetSchema.safeParse(value);
    if (parsed.success) presets.set(name, parsed.data);
  }
  return presets.size === 0 ? undefined : presets;
}
