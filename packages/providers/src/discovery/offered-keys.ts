import { fullNameOf } from "@trunkline/core/model.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import type { DiscoveredModelKeys } from "../catalogue/model-catalogue.ts";
import { isKnownModel } from "./known-models.ts";

/** What is needed to say which discovered models are offered. */
export interface OfferingRules {
  readonly providers: readonly { readonly id: string; readonly keys: readonly Secret[] }[];
  readonly allow: readonly RegExp[];
  readonly deny: readonly RegExp[];
}

interface ModelName {
  readonly provider: string;
  readonly name: string;
}

/** Which discovered models can be called here, and by which keys. */
export class OfferedModelKeys implements DiscoveredModelKeys {
  readonly #offeringRules: OfferingRules;
  readonly #keys: ReadonlyMap<string, readonly Secret[]>;
  /** What providers said that their keys may use; nothing of one that was not asked or did not answer. */
  readonly #listed = new Map<string, ReadonlySet<string>>();

  constructor(offeringRules: OfferingRules) {
    this.#offeringRules = offeringRules;
    this.#keys = new Map(offeringRules.providers.map(({ id, keys }) => [id, keys]));
  }

  keysFor(model: ModelName): readonly Secret[] | undefined {
    if (!this.isOffered(model)) return undefined;
    const listed = this.#listed.get(model.provider);
    if (listed !== undefined && !isListed(model.name, listed)) return undefined;
    return this.#keys.get(model.provider);
  }

  /** Whether the operator offers it, if there is a key for it. What has left the price table is not offered any more. */
  isOffered(model: ModelName): boolean {
    const name = fullNameOf(model);
    const { allow, deny } = this.#offeringRules;
    return (
      isKnownModel(model) &&
      (allow.length === 0 || allow.some((pattern) => pattern.test(name))) &&
      !deny.some((pattern) => pattern.test(name))
    );
  }

  /** A provider has told the names that our keys may use. */
  setListedModels(providerId: string, names: readonly string[]): void {
    this.#listed.set(providerId, new Set(names));
  }
}

/** Providers list some models by the day of their making, such as `claude-opus-4-5-20251101`, and Gemini's below `models/`. */
function isListed(name: string, listed: ReadonlySet<string>): boolean {
  if (listed.has(name)) return true;
  for (const id of listed) {
    const bare = id.slice(id.lastIndexOf("/") + 1);
    if (bare === name || id.endsWith(`/${name}`)) return true;
    if (bare.startsWith(`${name}-`) && /^(latest|\d[\d-]*)$/.test(bare.slice(name.length + 1))) return true;
  }
  return false;
}
