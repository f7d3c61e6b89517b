import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import {
  type AuthType,
  type CallLimits,
  DEFAULT_CALL_LIMITS,
  FREE_PRICE,
  MODEL_TYPES_BY_WIRE,
  type Model,
  type ModelType,
  type Price,
  weightOf,
} from "@trunkline/core/model.ts";
import type { RegisteredModel } from "./model-catalogue.ts";

/** The valid fields of a registration or a change that is being drafted. */
export interface ModelDraft {
  readonly name: string | undefined;
  readonly endpoint: string | undefined;
  readonly authType: AuthType | undefined;
  /** undefined: not given. */
  readonly hasCredential: boolean | undefined;
  readonly type: ModelType | undefined;
  readonly wire: Model["wire"] | undefined;
}

/** Why a draft would be refused. */
export interface DraftProblem {
  readonly param: string;
  readonly message: string;
}

/** Refuses an authentication type without the credential that it needs. A moved endpoint needs one of its own. */
export function refuseMissingCredential(authType: AuthType, hasCredential: boolean, isMoved = false): void {
  if (authType === "none" || hasCredential) return;
  const message = isMoved
    ? "Another origin, `wire` or `auth_type` needs its own `credential` in the same body: the stored one is sent nowhere else."
    : `\`credential\` is required with auth_type ${authType}.`;
  throw new Fault("invalid_request", message, { param: "credential" });
}

/** Refuses a wire format that has no models of this type. */
export function refuseUnsupportedType(wire: Model["wire"], type: ModelType): void {
  if (wire === "builtin" || MODEL_TYPES_BY_WIRE[wire].includes(type)) return;
  throw new Fault(
    "invalid_request",
    `The wire format ${wire} has no ${type} models here: its models are ${MODEL_TYPES_BY_WIRE[wire].join(", ")}.`,
    { param: "wire" },
  );
}

/** Refuses a traffic share that takes traffic away from other models: only the operator may set one. */
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

const LIMIT_FIELDS: Readonly<Record<keyof CallLimits, string>> = {
  connectMs: "connect_ms",
  firstByteMs: "first_byte_ms",
  silenceMs: "silence_ms",
  wholeMs: "whole_ms",
  responseBytes: "response_bytes",
  chunkBytes: "chunk_bytes",
};

/** Refuses limits above the defaults: a stranger's answers must not take more of the service's memory and time. */
export function refuseCallLimits({ operator }: Caller, limits: Partial<CallLimits> = {}): void {
  if (operator) return;
  for (const limit of Object.keys(LIMIT_FIELDS) as (keyof CallLimits)[]) {
    const most = DEFAULT_CALL_LIMITS[limit];
    if ((limits[limit] ?? 0) <= most) continue;
    const field = `limits.${LIMIT_FIELDS[limit]}`;
    throw new Fault(
      "invalid_request",
      `\`${field}\` may be ${most} at most. More is the service's operator's to give.`,
      {
        param: field,
      },
    );
  }
}

/** Refuses a smaller discount on another account's model: batches would cost more at once, without notice. */
export function refuseLowerDiscount(model: Model, { batchDiscount }: Pick<Partial<Model>, "batchDiscount">): void {
  if (model.thirdParty !== true || batchDiscount === undefined || batchDiscount >= (model.batchDiscount ?? 0)) return;
  throw new Fault(
    "invalid_request",
    "A smaller `batch_discount` would raise the price of batches without notice. Raise `pricing` instead: that is announced.",
    { param: "batch_discount" },
  );
}

/** Refuses to change a model that is declared in the configuration file or was discovered. */
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

/** Runs a check and returns the fault that it throws as a problem; undefined if it throws none. */
export async function problemIn(check: () => unknown): Promise<DraftProblem | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { param: error.details.param ?? "", message: error.message };
  }
}

interface PriceChange {
  readonly type?: ModelType;
  readonly price?: Partial<Omit<Price, "version">>;
}

/**
 * The model's price after a change; undefined if the change does not touch it. The whole price must be given if the
 * model has none yet, or if its type changes.
 */
export function applyPriceChange(
  model: Pick<Model, "type" | "price">,
  { type = model.type, price }: PriceChange,
): Price | undefined {
  const needsWholePrice = type !== model.type || (model.price === undefined && price !== undefined);
  if (needsWholePrice && !isPriced(type, price ?? {})) {
    const why = type === model.type ? "The price of this model is not known: it" : `A model that becomes ${type}`;
    throw new Fault("invalid_request", `${why} needs its price said anew.`, { param: "pricing" });
  }
  return price === undefined ? undefined : { version: "new", ...FREE_PRICE, ...model.price, ...price };
}

/** Whether a price has all that a model of this type needs. */
function isPriced(type: ModelType, price: Partial<Omit<Price, "version">>): boolean {
  const hasTokens =
    price.inputPerMillion !== undefined && (price.outputPerMillion !== undefined || type === "embedding");
  const hasFixed =
    price.perRequest !== undefined ||
    (type === "image" && price.perImage !== undefined) ||
    (type === "audio" && price.perSecond !== undefined);
  return hasTokens || (hasFixed && (type === "image" || type === "audio"));
}
