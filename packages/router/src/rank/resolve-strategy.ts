import type { Caller } from "@trunkline/core/caller.ts";
import type { Inference, Preferences, Strategy } from "@trunkline/core/inference.ts";
import type { Route } from "@trunkline/core/route.ts";
import { DEFAULT_WEIGHTS } from "@trunkline/core/weights.ts";

/** By what the models are put in order, and who said so. */
export type RoutingPolicy = Pick<Route, "strategy" | "weights" | "qualityFloor" | "chosenBy">;

/** What holds where neither the request nor its account says anything. */
export interface RoutingDefaults {
  readonly strategy: Strategy;
  readonly qualityFloor: number;
}

/** The strategy of one request: its own, else what it prefers, else its account's, else the service's. */
export function resolveStrategy(
  inference: Pick<Inference, "strategy" | "preferences">,
  caller: Pick<Caller, "strategy">,
  serviceDefault: Strategy,
): Strategy {
  return ownStrategy(inference) ?? caller.strategy ?? serviceDefault;
}

/** Everything that decides the order of what can serve a request. */
export function resolveRoutingPolicy(
  inference: Pick<Inference, "strategy" | "preferences" | "model">,
  caller: Pick<Caller, "strategy" | "weights" | "minQuality">,
  defaults: RoutingDefaults,
): RoutingPolicy {
  const isOwn = ownStrategy(inference) !== undefined;
  return {
    strategy: resolveStrategy(inference, caller, defaults.strategy),
    weights: caller.weights ?? DEFAULT_WEIGHTS,
    qualityFloor: inference.preferences.minQuality ?? caller.minQuality ?? defaults.qualityFloor,
    chosenBy: inference.model !== undefined ? "name" : isOwn ? "request" : "account",
  };
}

function ownStrategy({ strategy, preferences }: Pick<Inference, "strategy" | "preferences">) {
  return strategy ?? preferredStrategy(preferences);
}

/** One clear wish is a strategy; several wishes at once, or a wish for balance, can only be balanced. */
function preferredStrategy({ speed, cost, quality }: Preferences): Strategy | undefined {
  const wishes: Strategy[] = [];
  if (speed === "fast") wishes.push("speed-optimized");
  if (cost === "low") wishes.push("cost-optimized");
  if (quality === "high") wishes.push("quality-optimized");
  if (wishes.length === 1) return wishes[0];
  if (wishes.length > 1) return "hybrid";
  return speed === "balanced" || cost === "balanced" || quality === "balanced" ? "hybrid" : undefined;
}
