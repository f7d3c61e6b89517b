import type { BucketQuery, BucketTotals, EndpointStatsStore } from "@trunkline/providers/health/endpoint-totals.ts";

/** Endpoint statistics in memory. `trouble`, where set, is thrown. */
export class MemoryEndpointStats implements EndpointStatsStore {
  readonly entries: BucketTotals[] = [];
  trouble: Error | undefined;
  reads = 0;
  /** Awaited before anything is stored. */
  hold: () => Promise<void> = async () => undefined;

  async add(buckets: readonly BucketTotals[]): Promise<void> {
    await this.hold();
    if (this.trouble !== undefined) throw this.trouble;
    this.entries.push(...buckets);
  }

  async sums({ sinceMs, spanMs, untilMs = Number.POSITIVE_INFINITY, modelIds }: BucketQuery): Promise<BucketTotals[]> {
    this.reads++;
    if (this.trouble !== undefined) throw this.trouble;
    return this.entries
      .filter(({ atMs, modelId }) => atMs >= sinceMs && atMs < untilMs && (modelIds?.includes(modelId) ?? true))
      .map((entry) => ({
        ...entry,
        atMs: sinceMs + Math.floor((entry.atMs - sinceMs) / spanMs) * spanMs,
      }));
  }
}
