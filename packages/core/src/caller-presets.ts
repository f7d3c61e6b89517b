import type { Caller } from "./caller.ts";
import type { Inference } from "./inference.ts";

/** Callers with the models of a preset that their key lists by its name, made once for each. */
const callersOfPresets = new WeakMap<Caller, Map<string, Caller>>();

/**
 * The caller as a request is routed for: a key whose list of models has the name of the preset may use what the preset
 * leads to, for this request.
 */
export function callerForPreset(caller: Caller, { preset }: Pick<Inference, "preset">): Caller {
  const { models, presets } = caller;
  if (preset === undefined || models?.has(preset) !== true) return caller;
  const known = callersOfPresets.get(caller)?.get(preset);
  if (known !== undefined) return known;
  const led = presets?.get(preset)?.models;
  const widened = { ...caller, models: led === undefined ? undefined : new Set([...models, ...led]) };
  const ofCaller = callersOfPresets.get(caller) ?? new Map<string, Caller>();
  callersOfPresets.set(caller, ofCaller.set(preset, widened));
  return widened;
}

/** The names of the presets that a key may use, in order: all, or those that its list of models has or leads to. */
export function usablePresetsOf({ presets, models }: Pick<Caller, "presets" | "models">): string[] {
  if (presets === undefined) return [];
  const names: string[] = [];
  for (const [name, { models: led }] of presets)
    if (models === undefined || models.has(name) || led === undefined || led.some((model) => mayLead(model, models)))
      names.push(name);
  return names.sort();
}

function mayLead(model: string, models: ReadonlySet<string>): boolean {
  const bare = model.slice(model.indexOf("/") + 1);
  if (models.has(model) || models.has(bare)) return true;
  if (bare !== model) return false;
  for (const name of models) if (name.endsWith(`/${model}`)) return true;
  return false;
}
