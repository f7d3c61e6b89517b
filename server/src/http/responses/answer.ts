import { cachedFullNameOf, fullNameOf, type Model } from "@trunkline/core/model.ts";
import type { Part, Receipt } from "@trunkline/core/parts.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";

/** `provider/name` of the model that answered. Nearly always it is the chosen one, whose name is kept. */
export function nameOfAnswering(model: Pick<Model, "provider" | "name">, { chosen }: RequestTrace): string {
  if (chosen?.model.provider === model.provider && chosen.model.name === model.name)
    return cachedFullNameOf(chosen.model);
  return fullNameOf(model);
}

/** The models that produced an answer one after the other, as `provider/name`; undefined for a single model. */
export function answeringModels({ legs }: Receipt): readonly string[] | undefined {
  if (legs === undefined) return undefined;
  // Output that failed a cascade's check was never delivered.
  const delivered = legs.filter(({ outcome }) => outcome !== "failed-check");
  const models = new Set(delivered.map(({ model }) => fullNameOf(model)));
  return models.size > 1 ? [...models] : undefined;
}

/** `answeringModels` as an extra field for the last event of a stream in a format that has no field for it. */
export function answeringModelsField(receipt: Receipt): {
  readonly trunkline?: { readonly models: readonly string[] };
} {
  const models = answeringModels(receipt);
  return models === undefined ? {} : { trunkline: { models } };
}

/** The vectors of an answer, in the order of the inputs. */
export function embeddingVectors(parts: readonly Part[]): (readonly number[])[] {
  return parts
    .flatMap((part) => (part.type === "embedding" ? [part] : []))
    .toSorted((one, other) => one.index - other.index)
    .map(({ vector }) => vector);
}
