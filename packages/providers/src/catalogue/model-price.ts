import { Fault } from "@trunkline/core/fault.ts";
import { FREE_PRICE, type Model, type ModelType, type Price } from "@trunkline/core/model.ts";

/** What a change says of a model's price, and of the type that it is for. */
interface PriceChange {
  readonly type?: ModelType;
  readonly price?: Partial<Omit<Price, "version">>;
}

/**
 * The price that a change asks for; undefined where it says nothing of it. Where there is none to add to, or it was for
 * another type, all of it is to be said.
 */
export function applyPriceChange(
  model: Pick<Model, "type" | "price">,
  { type = model.type, price }: PriceChange,
): Price | undefined {
  const isAnew = type !== model.type || (model.price === undefined && price !== undefined);
  if (isAnew && !isPriced(type, price ?? {})) {
    const why =
      type === model.type ? "The price of this model is not known: it" : `A model that becomes ${type}`;
    throw new Fault("invalid_request", `${why} needs its price said anew.`, { param: "pricing" });
  }
  return price === undefined ? undefined : { version: "new", ...FREE_PRICE, ...model.price, ...price };
}

/** Whether everything that a model of this type is paid by is said. */
function isPriced(type: ModelType, price: Partial<Omit<Price, "version">>): boolean {
  const hasTokens =
    price.inputPerMillion !== undefined && (price.outputPerMillion !== undefined || type === "embedding");
  const hasFixed =
    price.perRequest !== undefined ||
    (type === "image" && price.perImage !== undefined) ||
    (type === "audio" && price.perSecond !== undefined);
  return hasTokens || (hasFixed && (type === "image" || type === "audio"));
}
