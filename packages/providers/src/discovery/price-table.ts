import table from "./price-table.json" with { type: "json" };

/** A model's prices as the table has them: nano-credits, for a million tokens where it is tokens. */
export interface PriceRow {
  readonly name: string;
  readonly title: string;
  /** null: not known. Such a model is never offered. */
  readonly input: number | null;
  readonly output: number | null;
  readonly cachedInput: number | null;
  readonly cacheWrite: number | null;
  readonly perRequest: number | null;
  readonly perSecond: number | null;
  /** The longest input that these prices hold for. */
  readonly context: number | null;
  readonly wholeContext: number | null;
  /** What is priced apart from text. */
  readonly apart: readonly string[];
  /** The price changes with the hour, and the dearest is here. */
  readonly variesByHour: boolean;
}

/** One provider in the table. */
export interface PricedProvider {
  readonly id: string;
  /** Where the provider says what it takes, so that each price can be checked. */
  readonly pages: readonly string[];
  readonly models: readonly PriceRow[];
}

/** Where the prices are from, and of which day. */
export const PRICE_SOURCE: {
  readonly package: string;
  readonly version: string;
  readonly licence: string;
  readonly as_of: string;
} = table.source;

/** The bundled prices, by provider. `npm run prices:update` makes them. */
export const PRICED_PROVIDERS: readonly PricedProvider[] = table.providers;
