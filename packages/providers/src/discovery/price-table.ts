import table from "./price-table.json" with { type: "json" };

/** A model's prices in the table: nano-credits, per million tokens where tokens are priced. */
export interface PriceRow {
  readonly name: string;
  readonly title: string;
  /** null: unknown. Such a model is never offered. */
  readonly input: number | null;
  readonly output: number | null;
  readonly cachedInput: number | null;
  readonly cacheWrite: number | null;
  readonly perRequest: number | null;
  readonly perSecond: number | null;
  /** The longest input that these prices apply to. */
  readonly context: number | null;
  readonly wholeContext: number | null;
  /** What is priced separately from text. */
  readonly apart: readonly string[];
  /** What it makes, where that is no text; absent: text, vectors or a transcript. */
  readonly makes?: "image" | "speech";
  /** The price depends on the hour, and this is the highest. */
  readonly variesByHour: boolean;
}

/** One provider in the table. */
export interface PricedProvider {
  readonly id: string;
  /** The provider's own price pages, so that each price can be checked. */
  readonly pages: readonly string[];
  readonly models: readonly PriceRow[];
}

/** The source of the prices, and their date. */
export const PRICE_SOURCE: {
  readonly package: string;
  readonly version: string;
  readonly licence: string;
  readonly as_of: string;
} = table.source;

/** The bundled prices, by provider. `npm run prices:update` creates them. */
export const PRICED_PROVIDERS: readonly PricedProvider[] = table.providers as readonly PricedProvider[];
