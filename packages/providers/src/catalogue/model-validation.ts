import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import {
  type AuthType,
  FREE_PRICE,
  MODEL_TYPES_BY_WIRE,
  type Model,
  type ModelType,
  type Price,
  weightOf,
} from "@trunkline/core/model.ts";
import type { RegisteredModel } from "./model-catalogue.ts";

/** What somebody is about to say of a model, as far as it can be read. */
export interface ModelDraft {
  readonly name: string | undefined;
  readonly endpoint: string | undefined;
  readonly authType: AuthType | undefined;
  /** undefined: nothing is said of it. */
  readonly hasCredential: boolean | undefined;
  readonly type: ModelType | undefined;
  readonly wire: Model["wire"] | undefined;
}

/** Why a draft would be refused. */
export interface DraftProblem {
  readonly param: string;
  readonly message: string;
}

/** Refuses a way of authentication without what it needs. */
export function refuseMissingCredential(authType: AuthType, hasCredential: boolean): void {
  if (authType === "none" || hasCredential) return;
  throw new Fault("invalid_request", `\`credential\` is required with auth_type ${authType}.`, {
    param: "credential",
  });
}

/** Refuses a format in which there are no models of such a type. */
export function refuseUnsupportedType(wire: Model["wire"], type: ModelType): void {
  if (wire === "builtin" || MODEL_TYPES_BY_WIRE[wire].includes(type)) return;
  throw new Fault(
    "invalid_request",
    `The wire format ${wire} has no ${type} models here: its models are ${MODEL_TYPES_BY_WIRE[wire].join(", ")}.`,
    { param: "wire" },
  );
}

/** Refuses what would take traffic away from others: how much of it a model gets beyond its due is the operator's to say. */
export function refuseTrafficShare({ operator }: Caller, share: Pick<Model, "weight" | "canaryShare">): void {
  if (operator) return;
  if ("canaryShare" in share)
    throw new Fault("invalid_request", "`canary_share` is set by the service's operator. Leave it out.", {
      param: "canary_share",
    });
  if (weightOf(share) > 1)
    throw new Fault("invalid_request", "`weight` may be 0 or 1. More is the service's operator's to give.", {
      param: "weight",
    });
}

/** Refuses to change what is said elsewhere. */
export function refuseDeclaredModel({ declared, discovered, name }: RegisteredModel): void {
  if (!declared) return;
  throw new Fault(
    "conflict",
    discovered === true
      ? `"${name}" was found by its provider's key in the environment. Narrow what is found with TRUNKLINE_DISCOVER_MODELS, or suspend it as the operator.`
      : `"${name}" is declared in the configuration file. Change it there and restart.`,
    { param: "name" },
  );
}

/** The refusal that an act ends in, as something to tell; undefined where there is none. */
export async function problemIn(act: () => unknown): Promise<DraftProblem | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { param: error.details.param ?? "", message: error.message };
  }
}

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
    const why = type === model.type ? "The price of this model is not known: it" : `A model that becomes ${type}`;
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
