import { StartupError } from "@trunkline/core/mistake.ts";
import { DEFAULT_CALL_LIMITS, type Model } from "@trunkline/core/model.ts";
import { isObject } from "@trunkline/providers/http/json-object.ts";
import type { TokenPrices } from "@trunkline/router/predict/cost-predictor.ts";

/** A model of a catalogue that somebody wrote down, under the name that they use. */
export interface CatalogueModel {
  readonly label: string;
  readonly model: Model;
  /** undefined: no price is said. */
  readonly prices: TokenPrices | undefined;
}

/** Reads a catalogue in any of the forms that people keep: a list, a list inside an object, or models by name. */
export function readCatalogue(catalogue: unknown): CatalogueModel[] {
  const entries = entriesOf(catalogue);
  const catalogueModel = entries.map(([name, entry]) => readCatalogueModel(name, entry));
  if (catalogueModel.length === 0) throw new StartupError("The catalogue has no models.");
  const labels = new Set(catalogueModel.map(({ label }) => label));
  if (labels.size < catalogueModel.length)
    throw new StartupError("The catalogue has two models of one name.");
  return catalogueModel;
}

function entriesOf(catalogue: unknown): (readonly [string | undefined, unknown])[] {
  if (Array.isArray(catalogue)) return catalogue.map((entry: unknown) => [undefined, entry]);
  if (!isObject(catalogue))
    throw new StartupError("The catalogue is neither a list of models nor an object.");
  for (const key of ["models", "data"]) {
    const inner = catalogue[key];
    if (Array.isArray(inner) || isObject(inner)) return entriesOf(inner);
  }
  return Object.entries(catalogue);
}

function readCatalogueModel(key: string | undefined, entry: unknown): CatalogueModel {
  const terms = isObject(entry) ? entry : {};
  const label = typeof entry === "string" ? (key ?? entry) : (text(terms, "name", "id", "model") ?? key);
  if (label === undefined || label === "") throw new StartupError("A model in the catalogue has no name.");
  const performance = isObject(terms.performance) ? terms.performance : {};
  const slash = label.indexOf("/");
  const model: Model = {
    id: label,
    provider: text(terms, "provider") ?? (slash > 0 ? label.slice(0, slash) : "catalogue"),
    name: slash > 0 ? label.slice(slash + 1) : label,
    type: "text",
    description: "",
    accountId: undefined,
    wire: "trunkline",
    endpoint: "",
    upstreamModel: text(terms, "upstream_model"),
    authType: "none",
    credential: undefined,
    mayDialPrivate: false,
    price: undefined,
    capabilities: words(terms.capabilities),
    specialties: words(terms.specialties),
    avgLatencyMs: number(performance, "avg_latency_ms") ?? number(terms, "avg_latency_ms"),
    accuracyScore: share(
      number(performance, "accuracy_score") ?? number(terms, "accuracy_score", "accuracy", "quality"),
    ),
    costEfficiency: undefined,
    streaming: false,
    contextWindow: undefined,
    maxOutputTokens: undefined,
    backups: [],
    limits: DEFAULT_CALL_LIMITS,
    state: "active",
  };
  return { label, model, prices: pricesOf(terms) };
}

const THOUSAND = [
  ["input_per_1k_tokens", "input_per_1k", "prompt_per_1k_tokens"],
  ["output_per_1k_tokens", "output_per_1k", "completion_per_1k_tokens"],
] as const;
const MILLION = [
  ["input_per_1m_tokens", "input_per_1m", "input_per_million", "input"],
  ["output_per_1m_tokens", "output_per_1m", "output_per_million", "output"],
] as const;
const ONE = [
  ["prompt", "input_cost_per_token"],
  ["completion", "output_cost_per_token"],
] as const;

function pricesOf(terms: Readonly<Record<string, unknown>>): TokenPrices | undefined {
  const named = terms.pricing ?? terms.price ?? terms.prices;
  for (const place of [isObject(named) ? named : {}, terms]) {
    for (const [keys, times] of [
      [THOUSAND, 1_000],
      [MILLION, 1],
      [ONE, 1_000_000],
    ] as const) {
      const input = number(place, ...keys[0]);
      const output = number(place, ...keys[1]);
      if (input === undefined && output === undefined) continue;
      return { input: (input ?? output ?? 0) * times, output: (output ?? input ?? 0) * times };
    }
  }
  return undefined;
}

function text(terms: Readonly<Record<string, unknown>>, ...keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = terms[key];
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}

function number(terms: Readonly<Record<string, unknown>>, ...keys: readonly string[]): number | undefined {
  for (const key of keys) {
    const value = Number(terms[key] ?? Number.NaN);
    if (Number.isFinite(value) && value >= 0) return value;
  }
  return undefined;
}

/** Some write 0 to 1, others percent. */
function share(value: number | undefined): number | undefined {
  if (value === undefined) return undefined;
  return Math.min(1, value > 1 ? value / 100 : value);
}

function words(value: unknown): string[] {
  return Array.isArray(value)
    ? value.filter((word) => typeof word === "string").map((word) => word.toLowerCase())
    : [];
}
