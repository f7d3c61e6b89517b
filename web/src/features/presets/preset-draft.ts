import type { AnswerOf, BodyOf } from "@trunkline/sdk";

export type Preset = AnswerOf<"GET /v1/presets">["data"][number];
type PresetBody = BodyOf<"PUT /v1/presets/{name}">;

export const STRATEGIES = ["cost-optimized", "speed-optimized", "quality-optimized", "hybrid"] as const;
type Strategy = (typeof STRATEGIES)[number];
export const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh"] as const;
type Effort = (typeof EFFORTS)[number];

/** What the form of a preset holds while it is filled in. */
export interface PresetDraft {
  readonly name: string;
  readonly description: string;
  readonly models: readonly string[];
  readonly route: Strategy | "";
  readonly system: string;
  readonly maxTokens: number | undefined;
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  /** One on each line. */
  readonly stop: string;
  readonly effort: Effort | "";
  readonly maxCost: number | undefined;
  readonly maxLatencyMs: number | undefined;
  readonly minQuality: number | undefined;
}

/** The draft that a form begins with. */
export function draftOf(preset: Preset | undefined): PresetDraft {
  const { parameters = {}, preferences = {} } = preset ?? {};
  return {
    name: preset?.name ?? "",
    description: preset?.description ?? "",
    models: preset?.models ?? [],
    route: preset?.route ?? "",
    system: preset?.system ?? "",
    maxTokens: parameters.max_tokens,
    temperature: parameters.temperature,
    topP: parameters.top_p,
    stop: (parameters.stop ?? []).join("\n"),
    effort: parameters.reasoning_effort ?? "",
    maxCost: preferences.max_cost,
    maxLatencyMs: preferences.max_latency_ms,
    minQuality: preferences.min_quality,
  };
}

/** What is sent. What was left empty is left out: a preset is replaced as a whole. */
export function bodyOf(draft: PresetDraft): PresetBody {
  const stop = draft.stop.split("\n").filter((line) => line !== "");
  const parameters = given({
    max_tokens: draft.maxTokens,
    temperature: draft.temperature,
    top_p: draft.topP,
    stop: stop.length === 0 ? undefined : stop,
    reasoning_effort: draft.effort === "" ? undefined : draft.effort,
  });
  const preferences = given({
    max_cost: draft.maxCost,
    max_latency_ms: draft.maxLatencyMs,
    min_quality: draft.minQuality,
  });
  return given({
    description: draft.description.trim() || undefined,
    models: draft.models.length === 0 ? undefined : draft.models,
    route: draft.route === "" ? undefined : draft.route,
    system: draft.system.trim() === "" ? undefined : draft.system,
    parameters: Object.keys(parameters).length === 0 ? undefined : parameters,
    preferences: Object.keys(preferences).length === 0 ? undefined : preferences,
  });
}

/** Whether a name can be one of a preset. */
export function isPresetName(name: string): boolean {
  return /^(?!auto$)[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name);
}

function given<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}
