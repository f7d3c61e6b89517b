import type { Strategy } from "@trunkline/core/inference.ts";
import { invalidField, readString } from "../requests/fields.ts";

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

export interface RequestedModel {
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
    throw invalidField(
      param,
      `\`${param}\` must be one of ${AUTO_MODEL_NAMES.join(", ")}, or the name of a model.`,
    );
  return { model: name, strategy: undefined };
}
