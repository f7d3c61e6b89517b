/** What the response cache had to say of a request that asked it. */
export type CacheOutcome = CacheHit | { readonly result: "miss" };

/** An answer that was given before was given again. */
export interface CacheHit {
  readonly result: "hit";
  readonly ageSeconds: number;
  /** Whether the request was the very same, or one whose words are much alike. */
  readonly match: "exact" | "similar";
  /** How alike they are, where they are not the same. */
  readonly similarity: number | undefined;
  /** The request that was first given this answer. */
  readonly requestId: string;
  /** `provider/name` of the model that gave it. */
  readonly model: string;
}

/**
 * Under which provider a hit stands in the records and sums: the one that first gave the answer did nothing this time,
 * and its own count would never agree. No provider can have this name.
 */
export const CACHE_PROVIDER = "trunkline.cache";
