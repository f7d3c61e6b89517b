import type { AnswerOf, BodyOf } from "@trunkline/sdk";
import { perMillion } from "../../api/pricing.ts";

export type FoundModel = AnswerOf<"POST /v1/provider/models/discover">["data"][number];
export type ImportBody = BodyOf<"POST /v1/provider/models/import">;
type ImportedModel = ImportBody["models"][number];

/** A model that was found, with what was chosen for it. */
export interface ImportRow {
  readonly found: FoundModel;
  readonly isChosen: boolean;
  readonly name: string;
  /** For a million tokens; undefined: none was given. */
  readonly input: number | undefined;
  readonly output: number | undefined;
}

/** Whether a price by the image, the second or the request is known, which takes the place of one by tokens. */
export function hasFixedPrice({ pricing, type }: FoundModel): boolean {
  if (pricing === null || (type !== "image" && type !== "audio")) return false;
  return [pricing.per_image, pricing.per_second, pricing.per_request].some((price) => (price ?? 0) > 0);
}

/** What is shown first: everything that has a price and is not registered yet is chosen. */
export function rowsOf(found: readonly FoundModel[]): ImportRow[] {
  return found.map((model) => ({
    found: model,
    isChosen: model.pricing !== null && !model.registered,
    name: model.name,
    input: priceOf(model.pricing?.input_per_1k_tokens),
    output: priceOf(model.pricing?.output_per_1k_tokens),
  }));
}

function priceOf(perThousand: number | undefined): number | undefined {
  return perThousand === undefined ? undefined : perMillion(perThousand);
}

/** Whether a row can be imported as it is. */
export function lacksPrice({ found, input, output }: ImportRow): boolean {
  if (hasFixedPrice(found)) return false;
  return input === undefined || input < 0 || (found.type !== "embedding" && (output === undefined || output < 0));
}

/** A price for a thousand tokens, without the digits that a division by a thousand makes up. */
function perThousand(price: number): number {
  return Number((price / 1_000).toPrecision(12));
}

export function importedModelOf({ found, name, input, output }: ImportRow): ImportedModel {
  const { upstream_model, type, description, capabilities, streaming, context_window, max_output_tokens } = found;
  return {
    name: name.trim(),
    type,
    ...(description === "" ? {} : { description }),
    ...(upstream_model === name.trim() ? {} : { upstream_model }),
    pricing: {
      ...(found.pricing ?? {}),
      ...(input === undefined ? {} : { input_per_1k_tokens: perThousand(input) }),
      ...(output === undefined ? {} : { output_per_1k_tokens: perThousand(output) }),
    },
    capabilities,
    streaming,
    ...(context_window === null ? {} : { context_window }),
    ...(max_output_tokens === null ? {} : { max_output_tokens }),
  };
}

/** Which row an error of the import is about: the place in `models[3].name` is that among the chosen ones. */
export function rowAtFault(param: string | undefined, chosen: readonly ImportRow[]): ImportRow | undefined {
  const place = /^models\[(\d+)\]/.exec(param ?? "")?.[1];
  return place === undefined ? undefined : chosen[Number(place)];
}
