import type { Extras, Inference } from "@trunkline/core/inference.ts";
import type { Fields } from "../../requests/fields.ts";

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
