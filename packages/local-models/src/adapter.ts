import type { Adapter } from "@trunkline/core/adapter.ts";
import { ProviderFailure } from "@trunkline/core/attempt.ts";
import type { Builtin } from "./builtin.ts";

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
