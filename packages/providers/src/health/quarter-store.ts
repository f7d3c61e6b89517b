import type { EndpointTotals } from "./endpoint-figures.ts";

export const QUARTER_HOUR_MS = 15 * 60_000;

/** The start of the quarter of an hour that a moment is in. */
export function quarterHourStart(ms: number): number {
  return ms - (ms % QUARTER_HOUR_MS);
}

/** How an endpoint did in a span of time that begins at a moment. */
export interface BucketTotals extends EndpointTotals {
  readonly modelId: string;
  /** Milliseconds since 1970. */
  readonly atMs: number;
}

/** Which sums are wanted: from a moment on, in spans of this length that begin at it. */
export interface BucketQuery {
  readonly sinceMs: number;
  readonly spanMs: number;
  readonly untilMs?: number;
  /** Only of these endpoints. */
  readonly modelIds?: readonly string[];
}

/** Where the figures of all instances meet. */
export interface EndpointStatsStore {
  /** Adds to what is there. */
  add(quarters: readonly BucketTotals[]): Promise<void>;
  /** Spans without calls are left out. */
  sums(query: BucketQuery): Promise<BucketTotals[]>;
}
