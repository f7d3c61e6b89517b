import { z } from "zod";
import { refuseCursor } from "../../responses/list-page.ts";
import type { Offer } from "../../responses/model-offer.ts";

/** By what a list of models can be sorted. */
export const SORTS = ["name", "price", "quality", "latency", "throughput", "newest"] as const;
export type Sort = (typeof SORTS)[number];

/** How many tokens go in for each that comes out, in a typical request: what a price for both is blended by. */
const INPUT_SHARE = 0.75;

/** The smaller comes first; undefined, where there is nothing to go by, last. */
const RANKS: Readonly<Record<Sort, (offer: Offer) => number | undefined>> = {
  name: () => 0,
  price: blendedPriceOf,
  quality: ({ performance }) => negated(performance.accuracy_score),
  latency: ({ live, performance }) => live.latency_ms ?? performance.avg_latency_ms ?? undefined,
  throughput: ({ live }) => negated(live.tokens_per_second),
  newest: ({ created_at }) => negated(created_at === null ? null : Date.parse(created_at)),
};

/** Where an offer stands in a list: its rank, then its name, which is unique. */
type Place = readonly [rank: number | null, name: string];

/** An offer, and the id under which more is known of it. */
interface Entry {
  readonly id: string;
  readonly offer: Offer;
}

export function sortOffers(entries: readonly Entry[], sort: Sort): Entry[] {
  return entries
    .map((entry) => ({ entry, place: placeOf(entry, sort) }))
    .sort((one, other) => comparePlaces(one.place, other.place))
    .map(({ entry }) => entry);
}

/** The offers after the one that a cursor was made from, even where that one is gone or has moved. */
export function offersAfter(sorted: readonly Entry[], sort: Sort, cursor: string): Entry[] {
  const place = readPlace(cursor);
  return sorted.filter((entry) => comparePlaces(placeOf(entry, sort), place) > 0);
}

/** The place of an entry: clients hand it back as it is. */
export function cursorOf(entry: Entry, sort: Sort): string {
  return Buffer.from(JSON.stringify(placeOf(entry, sort))).toString("base64url");
}

/** What a thousand tokens cost, three of four of them input; what has no price by the token goes by its other one. */
function blendedPriceOf({ pricing }: Offer): number {
  const tokens = pricing.input_per_1k_tokens * INPUT_SHARE + pricing.output_per_1k_tokens * (1 - INPUT_SHARE);
  return tokens + pricing.per_image + pricing.per_request + pricing.per_second;
}

function negated(value: number | null): number | undefined {
  return value === null ? undefined : -value;
}

function placeOf({ offer }: Entry, sort: Sort): Place {
  return [RANKS[sort](offer) ?? null, offer.full_name];
}

function comparePlaces([rank, name]: Place, [otherRank, otherName]: Place): number {
  if (rank === otherRank) return name < otherName ? -1 : Number(name > otherName);
  if (rank === null || otherRank === null) return rank === null ? 1 : -1;
  return rank - otherRank;
}

const place = z.tuple([z.number().nullable(), z.string()]);

function readPlace(cursor: string): Place {
  try {
    return place.parse(JSON.parse(Buffer.from(cursor, "base64url").toString()));
  } catch {
    // Whatever is no place was never a cursor of ours.
    throw refuseCursor();
  }
}
