import type { Offer } from "../../api/catalogue.ts";
import { blendedPrice } from "../../api/pricing.ts";
import { qualityOf } from "./model-filters.ts";

/** A model in the picture, both places from 0 to 1. */
export interface Point {
  readonly offer: Offer;
  /** Credits for a million tokens, three in for one out. */
  readonly price: number;
  readonly quality: number;
  /** From the cheapest to the dearest, by its logarithm; what is free stands at the left edge. */
  readonly x: number;
  /** From the lowest quality to the highest. */
  readonly y: number;
}

/** A mark at an axis. */
export interface Tick {
  readonly value: number;
  readonly at: number;
}

export interface Scatter {
  readonly points: readonly Point[];
  /** How many have no quality, or are priced by something else than tokens. */
  readonly leftOut: number;
  readonly hasFree: boolean;
  readonly priceTicks: readonly Tick[];
  readonly qualityTicks: readonly Tick[];
}

/** How much of the width is kept for what is free, which a logarithm has no place for. */
const FREE_SHARE = 0.08;
const QUALITY_STEP = 0.2;

/** Price against quality. */
export function scatterOf(offers: readonly Offer[]): Scatter {
  const known = offers.flatMap((offer) => {
    const price = blendedPrice(offer.pricing);
    const quality = qualityOf(offer);
    return price === undefined || quality === null ? [] : [{ offer, price, quality }];
  });
  const paid = known.map(({ price }) => price).filter((price) => price > 0);
  const hasFree = paid.length < known.length;
  const start = hasFree ? FREE_SHARE : 0;
  const [low, high] = decadesAround(paid);
  const placeOf = (price: number) =>
    price === 0 ? start / 2 : start + ((Math.log10(price) - low) / (high - low)) * (1 - start);
  return {
    points: known
      .map((point) => ({ ...point, x: placeOf(point.price), y: point.quality }))
      .sort((one, other) => one.price - other.price || one.quality - other.quality),
    leftOut: offers.length - known.length,
    hasFree,
    priceTicks:
      paid.length === 0
        ? []
        : Array.from({ length: high - low + 1 }, (_, step) => {
            const value = Number(`1e${low + step}`);
            return { value, at: placeOf(value) };
          }),
    qualityTicks: [0, 1, 2, 3, 4, 5].map((step) => {
      const value = Number((step * QUALITY_STEP).toFixed(1));
      return { value, at: value };
    }),
  };
}

/** The powers of ten below the cheapest and above the dearest. */
function decadesAround(prices: readonly number[]): [number, number] {
  if (prices.length === 0) return [-4, -3];
  const low = Math.floor(Math.log10(Math.min(...prices)) + 1e-9);
  const high = Math.ceil(Math.log10(Math.max(...prices)) - 1e-9);
  return [low, Math.max(high, low + 1)];
}
