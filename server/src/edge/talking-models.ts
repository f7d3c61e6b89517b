import type { PricedModel } from "../domain/model.ts";
import type { House } from "../house.ts";
import { Fault } from "../kit/fault.ts";
import { AUTO_NAMES } from "./openai/read-model.ts";
import { isListed } from "./show-model.ts";

/** A model that can be talked to, under a name that a client may ask for. Of `auto` and its kin nothing more is known. */
export interface TalkingModel {
  readonly name: string;
  readonly model: PricedModel | undefined;
  readonly registeredAt: Date | undefined;
}

/** Every model that takes part in a conversation, each name once, after those that leave the choice to the service. */
export function talkingModels({ catalogue }: House): TalkingModel[] {
  const named = new Map<string, TalkingModel>();
  for (const name of AUTO_NAMES) named.set(name, { name, model: undefined, registeredAt: undefined });
  for (const model of catalogue.all()) {
    if (!isListed(model) || named.has(model.name)) continue;
    if (model.type !== "text" && model.type !== "multimodal") continue;
    named.set(model.name, { name: model.name, model, registeredAt: catalogue.registeredAt(model) });
  }
  return [...named.values()];
}

/** One of them, also by `provider/name`. */
export function findTalkingModel(house: House, name: string): TalkingModel {
  const auto = AUTO_NAMES.find((known) => known === name);
  if (auto !== undefined) return { name: auto, model: undefined, registeredAt: undefined };
  const model = house.catalogue
    .byName(name)
    .filter(isListed)
    .find(({ type }) => type === "text" || type === "multimodal");
  if (model === undefined) {
    throw new Fault(
      "model_not_found",
      `There is no model "${name.slice(0, 128)}". Ask for the list of models.`,
      {
        param: "model",
      },
    );
  }
  return { name, model, registeredAt: house.catalogue.registeredAt(model) };
}
