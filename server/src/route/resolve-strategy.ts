import type { Caller } from "../domain/caller.ts";
import type { Inference, Preferences, Strategy } from "../domain/inference.ts";

/** The strategy of one request: its own, else what it prefers, else its account's, else the service's. */
export function resolveStrategy(
  inference: Pick<Inference, "strategy" | "preferences">,
  caller: Pick<Caller, "strategy">,
  serviceDefault: Strategy,
): Strategy {
  return inference.strategy ?? preferredStrategy(inference.preferences) ?? caller.strategy ?? serviceDefault;
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
