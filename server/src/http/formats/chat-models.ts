import type { Caller } from "@trunkline/core/caller.ts";
import { usablePresetsOf } from "@trunkline/core/caller-presets.ts";
import { truncateText } from "@trunkline/core/code-points.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { fullNameOf, type Model, type PricedModel } from "@trunkline/core/model.ts";
import { isAllowed } from "@trunkline/router/candidates/catalogue.ts";
import type { Services } from "../../app/services.ts";
import { isListed } from "../responses/model-offer.ts";
import { AUTO_MODEL_NAMES } from "./shared-fields.ts";

/** A chat model under a name that a client may send. `auto`, its variants and presets have a name only. */
export interface ChatModel {
  readonly name: string;
  readonly model: PricedModel | undefined;
  readonly registeredAt: Date | undefined;
}

/** The names that leave the choice to the service, the account's presets, then every chat model that this key may use. */
export function listChatModels({ providers: { catalogue } }: Services, caller: Caller): ChatModel[] {
  const autos = [...AUTO_MODEL_NAMES, ...usablePresetsOf(caller)].map((name) => ({
    name,
    model: undefined,
    registeredAt: undefined,
  }));
  const models = catalogue
    .all()
    .filter((model) => canChat(model, caller))
    .map((model) => ({ name: fullNameOf(model), model, registeredAt: catalogue.registeredAt(model) }));
  return [...autos, ...models];
}

/** One of them, by `provider/name` or by the name alone. */
export function findChatModel({ providers: { catalogue } }: Services, caller: Caller, name: string): ChatModel {
  if (AUTO_MODEL_NAMES.includes(name) || usablePresetsOf(caller).includes(name))
    return { name, model: undefined, registeredAt: undefined };
  const model = catalogue
    .byName(name)
    .filter(isListed)
    .find((found) => canChat(found, caller));
  if (model === undefined) {
    throw new Fault("model_not_found", `There is no model "${truncateText(name, 128)}". Ask for the list of models.`, {
      param: "model",
    });
  }
  return { name, model, registeredAt: catalogue.registeredAt(model) };
}

function canChat(model: Model, caller: Caller): model is PricedModel {
  return (model.type === "text" || model.type === "multimodal") && isListed(model) && isAllowed(model, caller);
}
