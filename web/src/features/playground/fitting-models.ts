import type { Offer } from "../../api/catalogue.ts";
import { kindOf, type Settings, type Side, takesAttachments } from "./settings.ts";

/** Which types of models can do such a task. */
export function typesFor(task: string): readonly Offer["type"][] {
  const kind = kindOf(task);
  if (kind !== "text") return [kind];
  return takesAttachments(task) ? ["multimodal"] : ["text", "multimodal"];
}

/** The sides for another task: a model that can't do it gives way to the routing's choice. */
export function sidesFor(
  task: string,
  [first, second]: Settings["sides"],
  offers: readonly Pick<Offer, "name" | "full_name" | "type">[],
): Settings["sides"] {
  const types = typesFor(task);
  const fit = (side: Side): Side => {
    const named = offers.filter(({ name, full_name }) => side.model === full_name || side.model === name);
    return named.length > 0 && named.every(({ type }) => !types.includes(type)) ? { ...side, model: "auto" } : side;
  };
  return [fit(first), fit(second)];
}
