import type { ProviderCall } from "@trunkline/core/adapter.ts";
import type { ReasoningEffort, Thinking } from "@trunkline/core/inference.ts";
import { toSpeechConfig } from "./speech.ts";

const STOP_MAX = 5;
const SEED_MAX = 2 ** 31;
const LOGPROBS_MAX = 20;
const ASPECT_RATIOS = ["2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"] as const;

/** The generation settings in Gemini's terms. Unsupported ones are reported. */
export function toGenerationConfig(call: ProviderCall, name: string): Readonly<Record<string, unknown>> {
  const { inference, model, onUnsupported } = call;
  const { parameters } = inference;
  const { stop, seed, thinking, logprobs } = parameters;
  const isSeedKnown = seed === undefined || (seed >= -SEED_MAX && seed < SEED_MAX);
  if (!isSeedKnown) onUnsupported?.("seed");
  if ((stop?.length ?? 0) > STOP_MAX) onUnsupported?.("stop");
  const thinkingConfig = thinking === undefined ? undefined : toThinkingConfig(thinking, name);
  if (thinking !== undefined && thinkingConfig === undefined) onUnsupported?.("thinking");
  const config = {
    temperature: parameters.temperature,
    topP: parameters.topP,
    topK: parameters.topK,
    maxOutputTokens: parameters.maxTokens,
    stopSequences: stop?.slice(0, STOP_MAX),
    seed: isSeedKnown ? seed : undefined,
    candidateCount: parameters.choices === 1 ? undefined : parameters.choices,
    presencePenalty: parameters.presencePenalty,
    frequencyPenalty: parameters.frequencyPenalty,
    ...(logprobs === undefined ? {} : { responseLogprobs: true }),
    ...(logprobs === undefined || logprobs === 0 ? {} : { logprobs: Math.min(logprobs, LOGPROBS_MAX) }),
    thinkingConfig,
    ...(model.type === "image" ? toImageConfig(parameters.size, onUnsupported) : {}),
    ...(model.type === "audio" ? toSpeechConfig(call) : {}),
  };
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
}

/** An image's size can only be set as its aspect ratio; a square is the default. */
function toImageConfig(size: string | undefined, onUnsupported: ProviderCall["onUnsupported"]) {
  const modalities = { responseModalities: ["TEXT", "IMAGE"] };
  const [width, height] = (size ?? "").split("x").map(Number);
  if (width === undefined || height === undefined || width === height) return modalities;
  const aspectRatio = ASPECT_RATIOS.find((ratio) => {
    const [across = 1, down = 1] = ratio.split(":").map(Number);
    return Math.abs(width / height - across / down) < 0.02;
  });
  if (aspectRatio === undefined) onUnsupported?.("size");
  return aspectRatio === undefined ? modalities : { ...modalities, imageConfig: { aspectRatio } };
}

/** The thinking budget for each effort, for models with budgets. */
const BUDGET_OF_EFFORT: Readonly<Record<ReasoningEffort, number>> = {
  none: 0,
  minimal: 512,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
  xhigh: 24_576,
};
/** The thinking level for each effort, for models with levels. Their thinking can't be turned off. */
const LEVEL_OF_EFFORT: Readonly<Record<ReasoningEffort, string>> = {
  none: "minimal",
  minimal: "minimal",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
};
/** The lowest budget of models whose thinking can't be turned off. */
const PRO_BUDGET_MIN = 128;

/** How much a model thinks, by level or budget as it supports; undefined where it does not think. */
function toThinkingConfig(
  { effort, budgetTokens }: Thinking,
  model: string,
): Readonly<Record<string, unknown>> | undefined {
  if (/gemini-(1\.|2\.0)|gemma/i.test(model)) return undefined;
  if (budgetTokens === undefined && effort === undefined) return { includeThoughts: true };
  const wanted = budgetTokens ?? BUDGET_OF_EFFORT[effort ?? "medium"];
  const includeThoughts = wanted > 0;
  if (hasThinkingLevels(model) && budgetTokens === undefined)
    return { thinkingLevel: LEVEL_OF_EFFORT[effort ?? "medium"], includeThoughts };
  const least = /gemini-2\.5-pro/i.test(model) ? PRO_BUDGET_MIN : 0;
  return { thinkingBudget: Math.max(wanted, least), includeThoughts };
}

/** Newer models have levels, and expect the signatures of their thinking back. */
export function hasThinkingLevels(model: string): boolean {
  const version = /gemini-(\d+)/i.exec(model)?.[1];
  return version !== undefined && Number(version) >= 3;
}
