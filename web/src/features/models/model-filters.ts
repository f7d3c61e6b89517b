import type { Offer } from "../../api/catalogue.ts";
import { blendedPrice, isFree } from "../../api/pricing.ts";

export const TYPES = ["text", "image", "audio", "multimodal", "embedding"] as const;
export const SORTS = ["name", "price", "quality", "latency", "throughput", "newest"] as const;
export const VIEWS = ["list", "chart", "compare"] as const;
/** By what a million tokens cost, three in for one out. */
export const PRICES = ["free", "under-1", "under-10", "over-10"] as const;
/** The bounds of these ranges, in credits. */
export const PRICE_BOUNDS = { low: 1, high: 10 } as const;
export const MOST_COMPARED = 4;

export type Sort = (typeof SORTS)[number];
export type View = (typeof VIEWS)[number];
export type PriceRange = (typeof PRICES)[number];

/** The filters of the page. They are in the URL, so they can be shared and survive the back button. */
export interface ModelSearch {
  readonly q?: string;
  readonly type?: (typeof TYPES)[number];
  readonly capability?: string;
  readonly provider?: string;
  readonly price?: PriceRange;
  readonly streaming?: true;
  readonly sort?: Sort;
  readonly view?: View;
  /** Full names. */
  readonly compare?: readonly string[];
}

/** What an address asks for; whatever can't be is left out. */
export function readModelSearch(search: Record<string, unknown>): ModelSearch {
  const compared = Array.isArray(search.compare) ? search.compare.filter((name) => typeof name === "string") : [];
  return {
    ...given("q", textOf(search.q)),
    ...given("type", oneOf(TYPES, search.type)),
    ...given("capability", textOf(search.capability)),
    ...given("provider", textOf(search.provider)),
    ...given("price", oneOf(PRICES, search.price)),
    ...(search.streaming === true ? { streaming: true as const } : {}),
    ...given("sort", oneOf(SORTS, search.sort)),
    ...given("view", oneOf(VIEWS, search.view)),
    ...(compared.length === 0 ? {} : { compare: [...new Set(compared)].slice(0, MOST_COMPARED) }),
  };
}

/** Whether anything is left out of the list. */
export function isFiltered({ q, type, capability, provider, price, streaming }: ModelSearch): boolean {
  return [q, type, capability, provider, price, streaming].some((filter) => filter !== undefined);
}

/** The offers that a search asks for, in its order. */
export function selectOffers(offers: readonly Offer[], search: ModelSearch): readonly Offer[] {
  const words = (search.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = offers.filter(
    (offer) =>
      (search.type === undefined || offer.type === search.type) &&
      (search.provider === undefined || offer.provider === search.provider) &&
      (search.capability === undefined || offer.capabilities.includes(search.capability)) &&
      (search.streaming === undefined || offer.streaming) &&
      (search.price === undefined || isInRange(offer, search.price)) &&
      words.every((word) => textsOf(offer).includes(word)),
  );
  const rank = RANKS[search.sort ?? "name"];
  return wanted
    .map((offer) => ({ offer, rank: rank(offer) ?? Number.POSITIVE_INFINITY }))
    .sort((one, other) => {
      if (one.rank !== other.rank) return one.rank - other.rank;
      return one.offer.full_name.localeCompare(other.offer.full_name, "en", { numeric: true });
    })
    .map(({ offer }) => offer);
}

/** The smaller comes first; what is not known comes last. */
const RANKS: Readonly<Record<Sort, (offer: Offer) => number | undefined>> = {
  name: () => 0,
  price: ({ pricing }) => blendedPrice(pricing),
  quality: (offer) => negated(qualityOf(offer)),
  latency: ({ live }) => live.latency_ms ?? undefined,
  throughput: ({ live }) => negated(live.tokens_per_second),
  newest: ({ created_at }) => negated(created_at === null ? null : Date.parse(created_at)),
};

/** What routing predicts for everyday questions, or else what the provider declares. */
export function qualityOf({ performance }: Pick<Offer, "performance">): number | null {
  return performance.predicted_quality ?? performance.accuracy_score;
}

function negated(value: number | null): number | undefined {
  return value === null ? undefined : -value;
}

function isInRange({ pricing }: Offer, range: PriceRange): boolean {
  if (range === "free") return isFree(pricing);
  const price = blendedPrice(pricing);
  if (price === undefined || price === 0) return false;
  if (range === "under-1") return price < PRICE_BOUNDS.low;
  return range === "under-10" ? price < PRICE_BOUNDS.high : price >= PRICE_BOUNDS.high;
}

const searched = new WeakMap<Offer, string>();

/** What is searched in, put together once for each offer. */
function textsOf(offer: Offer): string {
  const known = searched.get(offer);
  if (known !== undefined) return known;
  const text = [offer.full_name, offer.description, ...offer.capabilities, ...offer.specialties]
    .join("\n")
    .toLowerCase();
  searched.set(offer, text);
  return text;
}

/** What there is to choose from, the most frequent first. */
export function countsOf(values: readonly string[]): readonly { readonly value: string; readonly count: number }[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((one, other) => other.count - one.count || one.value.localeCompare(other.value));
}

function textOf(value: unknown): string | undefined {
  // An address may hold a word that reads as a number or a truth.
  const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value;
  return typeof text === "string" && text !== "" ? text.slice(0, 256) : undefined;
}

function oneOf<Choice extends string>(choices: readonly Choice[], value: unknown): Choice | undefined {
  return choices.find((choice) => choice === value);
}

function given<Name extends string, Value>(name: Name, value: Value | undefined): { [Key in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { [Key in Name]?: Value };
}
