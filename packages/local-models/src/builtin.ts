import type { Part } from "@trunkline/core/answer.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { DEFAULT_CALL_LIMITS, FREE_PRICE, type Model } from "@trunkline/core/model.ts";

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
