import type { NanoCredits } from "@trunkline/core/money.ts";
import type { Database } from "../database/database.ts";

export const TRAFFIC_INTERVALS = ["day", "hour"] as const;
export type TrafficInterval = (typeof TRAFFIC_INTERVALS)[number];

/** What of the traffic is wanted. Both moments lie on a quarter of an hour, as the days of every zone begin on one. */
export interface TrafficFilter {
  readonly providers: readonly string[];
  /** undefined: all of them. */
  readonly model: string | undefined;
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
  readonly interval: TrafficInterval;
  /** In which days and hours begin. */
  readonly timeZone: string;
}

/** What all clients together had of one model in one day or hour. */
export interface TrafficRow {
  readonly provider: string;
  readonly model: string;
  readonly start: Date;
  readonly requests: bigint;
  readonly errors: bigint;
  readonly input_tokens: bigint;
  readonly output_tokens: bigint;
  readonly cost: NanoCredits;
  /** Of those requests whose time was summed. */
  readonly latency_ms: number;
  readonly timed: bigint;
}

/** Reads the sums of usage by model and day or hour, the oldest first. */
export async function listTraffic(database: Database, filter: TrafficFilter): Promise<TrafficRow[]> {
  return database.query<TrafficRow>(
    `SELECT provider, model, date_trunc($1, quarter, $2) AS start,
       sum(requests)::bigint AS requests, sum(errors)::bigint AS errors, sum(input_tokens)::bigint AS input_tokens,
       sum(output_tokens)::bigint AS output_tokens, sum(cost)::bigint AS cost, coalesce(sum(latency_ms), 0) AS latency_ms,
       coalesce(sum(requests) FILTER (WHERE latency_ms IS NOT NULL), 0)::bigint AS timed
     FROM usage_quarters
     WHERE provider = ANY ($3) AND quarter >= $4 AND quarter < $5 AND ($6::text IS NULL OR model = $6)
     GROUP BY 1, 2, 3 ORDER BY 3, 1, 2`,
    [filter.interval, filter.timeZone, filter.providers, filter.from, filter.to, filter.model ?? null],
  );
}
