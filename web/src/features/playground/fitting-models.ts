import type { Offer } from "../../api/catalogue.ts";
import type { Column, Mode } from "./settings.ts";

const TYPES: Readonly<Record<Mode, readonly Offer["type"][]>> = {
  chat: ["text", "multimodal"],
  image: ["image"],
  speech: ["audio"],
};

/** The models that can do what a mode asks for. */
export function fittingModels<Model extends Pick<Offer, "type">>(
  mode: Mode,
  offers: readonly Model[],
): readonly Model[] {
  return offers.filter(({ type }) => TYPES[mode].includes(type));
}

/** The columns for another mode: a model that can't do it gives way to the router's choice. */
export function columnsFor(
  mode: Mode,
  columns: readonly Column[],
  offers: readonly Pick<Offer, "name" | "full_name" | "type">[],
): readonly Column[] {
  return columns.map((column) => {
    const named = offers.filter(({ name, full_name }) => column.model === full_name || column.model === name);
    const fits = named.length === 0 || fittingModels(mode, named).length > 0;
    return fits ? column : { ...column, model: "auto" };
  });
}
