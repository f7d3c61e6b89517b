import { fullNameOf } from "@trunkline/core/model.ts";
import type { Receipt } from "@trunkline/core/receipt.ts";

/** The models that made an answer one after the other, as `provider/name`; undefined where it was only one. */
export function answeringModels({ legs = [] }: Receipt): readonly string[] | undefined {
  // What failed the check of a cascade was never given to anyone.
  const heard = legs.filter(({ outcome }) => outcome !== "failed-check");
  const models = new Set(heard.map(({ model }) => fullNameOf(model)));
  return models.size > 1 ? [...models] : undefined;
}

/** The same as a field of its own, for the last piece of a stream in somebody else's format, which has no place for it. */
export function answeringModelsField(receipt: Receipt): {
  readonly trunkline?: { readonly models: readonly string[] };
} {
  const models = answeringModels(receipt);
  return models === undefined ? {} : { trunkline: { models } };
}
