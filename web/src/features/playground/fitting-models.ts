import type { Offer } from "../../api/catalogue.ts";
import { type Column, MODES, type Mode } from "./settings.ts";

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

/** The mode that a named model is for, where it can't do the given one; undefined: it can, or it is not known. */
export function modeOfModel(
  mode: Mode,
  model: string,
  offers: readonly Pick<Offer, "name" | "full_name" | "type">[],
): Mode | undefined {
  const named = offers.filter(({ name, full_name }) => model === full_name || model === name);
  if (named.length === 0 || fittingModels(mode, named).length > 0) return undefined;
  return MODES.find((other) => fittingModels(other, named).length > 0);
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
