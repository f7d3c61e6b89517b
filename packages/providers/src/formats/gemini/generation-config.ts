import type { ProviderCall } from "@trunkline/core/adapter.ts";
import { toThinkingConfig } from "./thinking-config.ts";

const STOP_MAX = 5;
const SEED_MAX = 2 ** 31;
const LOGPROBS_MAX = 20;
const ASPECT_RATIOS = ["2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"] as const;

/** How the model answers, in Gemini's words. What it has no place for is told. */
export function toGenerationConfig(call: ProviderCall, name: string): Readonly<Record<string, unknown>> {
  const { inference, model, onUnsupported: onDropped } = call;
  const { parameters } = inference;
  const { stop, seed, thinking, logprobs } = parameters;
  const isSeedKnown = seed === undefined || (seed >= -SEED_MAX && seed < SEED_MAX);
  if (!isSeedKnown) onDropped?.("seed");
  if ((stop?.length ?? 0) > STOP_MAX) onDropped?.("stop");
  const thinkingConfig = thinking === undefined ? undefined : toThinkingConfig(thinking, name);
  if (thinking !== undefined && thinkingConfig === undefined) onDropped?.("thinking");
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
    ...(model.type === "image" ? toImageConfig(parameters.size, onDropped) : {}),
  };
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
}

/** A picture's size is only told as its shape; a square is what it is anyway. */
function toImageConfig(size: string | undefined, onDropped: ProviderCall["onUnsupported"]) {
  const modalities = { responseModalities: ["TEXT", "IMAGE"] };
  const [width, height] = (size ?? "").split("x").map(Number);
  if (width === undefined || height === undefined || width === height) return modalities;
  const aspectRatio = ASPECT_RATIOS.find((ratio) => {
    const [across = 1, down = 1] = ratio.split(":").map(Number);
    return Math.abs(width / height - across / down) < 0.02;
  });
  if (aspectRatio === undefined) onDropped?.("size");
  return aspectRatio === undefined ? modalities : { ...modalities, imageConfig: { aspectRatio } };
}
