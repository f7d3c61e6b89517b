import { z } from "zod";
import { invalidCursorFault } from "../../responses/list-page.ts";
import type { ModelOffer } from "../../responses/model-offer.ts";

/** By what a list of models can be sorted. */
export const MODEL_SORTS = ["name", "price", "quality", "latency", "throughput", "newest"] as const;
export type ModelSort = (typeof MODEL_SORTS)[number];

/** How many tokens go in for each that comes out, in a typical request: what a price for both is blended by. */
const INPUT_SHARE = 0.75;

/** The smaller comes first; undefined, where there is nothing to go by, last. */
const SORT_RANKS: Readonly<Record<ModelSort, (offer: ModelOffer) => number | undefined>> = {
  name: () => 0,
  price: blendedPrice,
  quality: ({ performance }) => negated(performance.accuracy_score),
  latency: ({ live, performance }) => live.latency_ms ?? performance.avg_latency_ms ?? undefined,
  throughput: ({ live }) => negated(live.tokens_per_second),
  newest: ({ created_at }) => negated(created_at === null ? null : Date.parse(created_at)),
};

/** Where an offer stands in a list: its rank, then its name, which is unique. */
type SortPosition = readonly [rank: number | null, name: string];

/** An offer, and the id under which more is known of it. */
interface OfferEntry {
  readonly id: string;
  readonly offer: ModelOffer;
}

export function sortOffers(offerEntries: readonly OfferEntry[], sort: ModelSort): OfferEntry[] {
  return offerEntries
    .map((offerEntry) => ({ entry: offerEntry, place: positionOf(offerEntry, sort) }))
    .sort((one, other) => comparePositions(one.place, other.place))
    .map(({ entry: offerEntry }) => offerEntry);
}

/** The offers after the one that a cursor was made from, even where that one is gone or has moved. */
export function offersAfter(sorted: readonly OfferEntry[], sort: ModelSort, cursor: string): OfferEntry[] {
  const sortPosition = parseOfferCursor(cursor);
  return sorted.filter((offerEntry) => comparePositions(positionOf(offerEntry, sort), sortPosition) > 0);
}

/** The place of an entry: clients hand it back as it is. */
export function offerCursor(offerEntry: OfferEntry, sort: ModelSort): string {
  return Buffer.from(JSON.stringify(positionOf(offerEntry, sort))).toString("base64url");
}

/** What a thousand tokens cost, three of four of them input; what has no price by the token goes by its other one. */
function blendedPrice({ pricing }: ModelOffer): number {
  const tokens = pricing.input_per_1k_tokens * INPUT_SHARE + pricing.output_per_1k_tokens * (1 - INPUT_SHARE);
  return tokens + pricing.per_image + pricing.per_request + pricing.per_second;
}

function negated(value: number | null): number | undefined {
  return value === null ? undefined : -value;
}

function positionOf({ offer }: OfferEntry, sort: ModelSort): SortPosition {
  return [SORT_RANKS[sort](offer) ?? null, offer.full_name];
}

function comparePositions([rank, name]: SortPosition, [otherRank, otherName]: SortPosition): number {
  if (rank === otherRank) return name < otherName ? -1 : Number(name > otherName);
  if (rank === null || otherRank === null) return rank === null ? 1 : -1;
  return rank - otherRank;
}

const positionSchema = z.tuple([z.number().nullable(), z.string()]);

function parseOfferCursor(cursor: string): SortPosition {
  try {
    return positionSchema.parse(JSON.parse(Buffer.from(cursor, "base64url").toString()));
  } catch {
    // Whatever is no place was never a cursor of ours.
    throw invalidCursorFault();
  }
}
