/**
 * Bounds of the formats of other vendors. How much a request may hold is up to the bound of the body and the context
 * window of the model: these only keep a text within the largest body and the count of things in it within reason.
 */
export const TEXT_LENGTH_MAX = 1024 * 1024 * 1024;
export const ITEMS_MAX = 100_000;
