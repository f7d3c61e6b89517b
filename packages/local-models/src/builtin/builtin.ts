import { setImmediate } from "node:timers/promises";
import type { Adapter } from "@trunkline/core/adapter.ts";
import type { CancelSignal } from "@trunkline/core/cancellation.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { DEFAULT_CALL_LIMITS, FREE_PRICE, type Model } from "@trunkline/core/model.ts";
import type { Part } from "@trunkline/core/parts.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";

/** A model that runs inside the service: no key, no network, no price. */
export interface Builtin {
  readonly model: Model;
  answer(inference: Inference, signal: CancelSignal): AsyncIterable<Part>;
}

type OwnTraits = Pick<
  Model,
  "id" | "name" | "type" | "description" | "capabilities" | "specialties" | "avgLatencyMs" | "accuracyScore"
> &
  Partial<Pick<Model, "contextWindow" | "maxOutputTokens">>;

/** A built-in model. It is free by an explicit price of zero, not by a missing one. */
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

export function builtinAdapter(builtins: readonly Builtin[]): Adapter {
  const byName = new Map(builtins.map((builtin) => [builtin.model.name, builtin]));
  return {
    async *call({ model, inference, signal }) {
      const builtin = byName.get(model.name);
      if (builtin === undefined) {
        throw new ProviderFailure("rejected", `There is no built-in model named ${model.name} here.`);
      }
      signal.throwIfAborted();
      for await (const part of builtin.answer(inference, signal)) yield [part];
    },
  };
}

/** How long a step may block the event loop. */
const YIELD_AFTER_MS = 12;

/** Returns a function to call between the steps of long work: it yields to the event loop when due, and throws when aborted. */
export function cooperativeYield(signal: CancelSignal): () => Promise<void> {
  let startedAt = performance.now();
  return async () => {
    signal.throwIfAborted();
    if (performance.now() - startedAt < YIELD_AFTER_MS) return;
    await setImmediate();
    signal.throwIfAborted();
    startedAt = performance.now();
  };
}
