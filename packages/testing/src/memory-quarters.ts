import type { BucketQuery, BucketTotals, EndpointStatsStore } from "@trunkline/providers/health/endpoint-totals.ts";

/** The figures of endpoints in memory. Where there is `trouble`, it is thrown. */
export class MemoryQuarters implements EndpointStatsStore {
  readonly entries: BucketTotals[] = [];
  trouble: Error | undefined;
  reads = 0;
  /** Asked before anything is taken. */
  hold: () => Promise<void> = async () => undefined;

  async add(quarters: readonly BucketTotals[]): Promise<void> {
    await this.hold();
    if (this.trouble !== undefined) throw this.trouble;
    this.entries.push(...quarters);
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
