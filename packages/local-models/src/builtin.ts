import { setImmediate } from "node:timers/promises";
import type { Adapter } from "@trunkline/core/adapter.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { DEFAULT_CALL_LIMITS, FREE_PRICE, type Model } from "@trunkline/core/model.ts";
import type { Part } from "@trunkline/core/parts.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";

/** A model that lives inside the service: no key, no network, no price. */
export interface Builtin {
  readonly model: Model;
  answer(inference: Inference, signal: AbortSignal): AsyncIterable<Part>;
}

/** What differs between the built-in models; everything else about them is the same. */
type OwnTraits = Pick<
  Model,
  "id" | "name" | "type" | "description" | "capabilities" | "specialties" | "avgLatencyMs" | "accuracyScore"
> &
  Partial<Pick<Model, "contextWindow" | "maxOutputTokens">>;

/** The listing of a built-in model. Free by an explicit price of zero, not by a missing one. */
export function builtinModel(own: OwnTraits): Model {
  return {
    contextWindow: undefined,
    maxOutputTokens: undefined,
    ...own,
    provider: "builtin",
    accountId: undefined,
    wire: "builtin",
    endpoint: `builtin:${own.name}`,
    authType: "none",
    credential: undefined,
    mayDialPrivate: false,
    price: { version: "builtin", ...FREE_PRICE },
    costEfficiency: "free",
    streaming: own.type === "text",
    backups: [],
    limits: DEFAULT_CALL_LIMITS,
    state: "active",
  };
}

/** Calls the built-in models by their name. */
export function builtinAdapter(builtins: readonly Builtin[]): Adapter {
  const byName = new Map(builtins.map((builtin) => [builtin.model.name, builtin]));
  return {
    async *call({ model, inference, signal }) {
      const builtin = byName.get(model.name);
      if (builtin === undefined) {
        throw new ProviderFailure("rejected", `There is no built-in model named ${model.name} here.`);
      }
      signal.throwIfAborted();
      yield* builtin.answer(inference, signal);
    },
  };
}

/** How long work may hold the event loop before others get their turn. */
const YIELD_AFTER_MS = 12;

/** Returns a function to call between steps of long work: it lets others run when their turn has come, and ends the work when it is no longer wanted. */
export function cooperativeYield(signal: AbortSignal): () => Promise<void> {
  let startedAt = performance.now();
  return async () => {
    signal.throwIfAborted();
    if (performance.now() - startedAt < YIELD_AFTER_MS) return;
    await setImmediate();
    signal.throwIfAborted();
    startedAt = performance.now();
  };
}
