import { readCheck } from "./answer-check.ts";
import { compact, FIRST_SETTINGS, ROUTES, type Settings, type Side } from "./settings.ts";

/** Settings from storage, which may hold anything. */
export function readSettings(kept: unknown): Settings {
  if (typeof kept !== "object" || kept === null) return FIRST_SETTINGS;
  const fields = kept as Partial<Record<keyof Settings, unknown>>;
  const sides = Array.isArray(fields.sides) ? fields.sides : [];
  return {
    task: textOf(fields.task) ?? FIRST_SETTINGS.task,
    input: textOf(fields.input) ?? "",
    isSideBySide: fields.isSideBySide === true,
    sides: [readSide(sides[0]), readSide(sides[1])],
    ...compact({
      maxTokens: numberOf(fields.maxTokens),
      temperature: numberOf(fields.temperature),
      size: textOf(fields.size),
      voice: textOf(fields.voice),
      format: textOf(fields.format),
      session: textOf(fields.session)?.slice(0, 256),
    }),
    check: readCheck(fields.check),
    hedges: fields.hedges === true,
    continues: fields.continues !== false,
    preferences: readPreferences(fields.preferences),
    fallbacks: Array.isArray(fields.fallbacks)
      ? fields.fallbacks.filter((name) => typeof name === "string").slice(0, 16)
      : [],
  };
}

function readSide(kept: unknown): Side {
  const fields = (typeof kept === "object" ? kept : null) as Partial<Record<keyof Side, unknown>> | null;
  return {
    model: textOf(fields?.model) ?? "auto",
    route: ROUTES.find((route) => route === fields?.route) ?? "auto",
  };
}

function readPreferences(kept: unknown): Settings["preferences"] {
  const fields = (typeof kept === "object" ? kept : null) as Record<string, unknown> | null;
  return compact({
    speed: oneOf(["fast", "balanced", "any"], fields?.speed),
    cost: oneOf(["low", "balanced", "any"], fields?.cost),
    quality: oneOf(["high", "balanced", "any"], fields?.quality),
    max_cost: numberOf(fields?.max_cost),
    max_latency_ms: numberOf(fields?.max_latency_ms),
    min_quality: numberOf(fields?.min_quality),
  });
}

function oneOf<const Choice extends string>(choices: readonly Choice[], value: unknown): Choice | undefined {
  return choices.find((choice) => choice === value);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
