/** What was measured of a call that was answered. */
export interface CallMeasurement {
  readonly ms: number;
  readonly firstPartMs: number | undefined;
  readonly outputTokens: number | undefined;
  /** How many other calls of this instance were in flight when it started; undefined: not counted. */
  readonly concurrentCalls?: number | undefined;
  /** The first part was reported when it came. */
  readonly isFirstPartReported?: boolean | undefined;
  /** No client's call. It is so short that only its first part tells something about the speed of others. */
  readonly isProbe?: boolean | undefined;
}

/** An endpoint's calls in a span of time, as sums that can be added over spans and instances. */
export interface EndpointTotals {
  readonly calls: number;
  /** Only failures that blame the endpoint. */
  readonly failures: number;
  /** Without the failures, which may be quick. */
  readonly answeredMs: number;
  /** How many answers have a known time to the first part. */
  readonly firstParts: number;
  readonly firstPartMs: number;
  readonly outputTokens: number;
  /** The tokens of streamed answers, and the time of these streams after their first part. */
  readonly streamedTokens: number;
  readonly streamedMs: number;
}

export const NO_TOTALS: EndpointTotals = {
  calls: 0,
  failures: 0,
  answeredMs: 0,
  firstParts: 0,
  firstPartMs: 0,
  outputTokens: 0,
  streamedTokens: 0,
  streamedMs: 0,
};

/** The totals of one call whose failure blames the endpoint. */
export const ONE_FAILED_CALL: EndpointTotals = { ...NO_TOTALS, calls: 1, failures: 1 };

/** A shorter stream is one packet and gives no meaningful throughput. */
const STREAM_MS_MIN = 20;

/** The tokens and the time that give a throughput; undefined for an answer in one piece or without a token count. */
export function streamedSpan({ ms, firstPartMs, outputTokens }: CallMeasurement) {
  if (firstPartMs === undefined || outputTokens === undefined || outputTokens <= 1) return undefined;
  const streamMs = ms - firstPartMs;
  return streamMs >= STREAM_MS_MIN ? { tokens: outputTokens, ms: streamMs } : undefined;
}

/** An answer in one piece of at most this length took hardly longer than its first token. */
const SHORT_ANSWER_TOKENS = 64;

/** The time to the first token; undefined for an answer in one piece that may have taken long because of its length. */
export function firstTokenMsOf(call: CallMeasurement): number | undefined {
  const isShort = call.outputTokens !== undefined && call.outputTokens <= SHORT_ANSWER_TOKENS;
  return streamedSpan(call) !== undefined || isShort ? call.firstPartMs : undefined;
}

export function totalsOfAnswer(call: CallMeasurement): EndpointTotals {
  const stream = streamedSpan(call);
  return {
    calls: 1,
    failures: 0,
    answeredMs: call.ms,
    firstParts: call.firstPartMs === undefined ? 0 : 1,
    firstPartMs: call.firstPartMs ?? 0,
    outputTokens: call.outputTokens ?? 0,
    streamedTokens: stream?.tokens ?? 0,
    streamedMs: stream?.ms ?? 0,
  };
}

export function addTotals(one: EndpointTotals, other: EndpointTotals): EndpointTotals {
  return {
    calls: one.calls + other.calls,
    failures: one.failures + other.failures,
    answeredMs: one.answeredMs + other.answeredMs,
    firstParts: one.firstParts + other.firstParts,
    firstPartMs: one.firstPartMs + other.firstPartMs,
    outputTokens: one.outputTokens + other.outputTokens,
    streamedTokens: one.streamedTokens + other.streamedTokens,
    streamedMs: one.streamedMs + other.streamedMs,
  };
}

/** Averages over the totals, each undefined if nothing was counted for it. */
export function averagesOf(totals: EndpointTotals) {
  return {
    latencyMs: ratio(totals.answeredMs, totals.calls - totals.failures),
    firstPartMs: ratio(totals.firstPartMs, totals.firstParts),
    tokensPerSecond: ratio(totals.streamedTokens * 1_000, totals.streamedMs),
    errorRate: ratio(totals.failures, totals.calls),
  };
}

function ratio(sum: number, count: number): number | undefined {
  return count > 0 ? sum / count : undefined;
}

type Availability = "up" | "degraded" | "down" | "no data";

/** The shares of failed calls from which an endpoint counts as degraded, and as down. */
const DEGRADED_SHARE = 0.05;
const DOWN_SHARE = 0.5;

export function availabilityOf({ calls, failures }: EndpointTotals): Availability {
  if (calls === 0) return "no data";
  const share = failures / calls;
  if (share >= DOWN_SHARE) return "down";
  return share >= DEGRADED_SHARE ? "degraded" : "up";
}

export const QUARTER_HOUR_MS = 15 * 60_000;

/** The start of the quarter hour that contains a moment. */
export function quarterHourStart(ms: number): number {
  return ms - (ms % QUARTER_HOUR_MS);
}

/** An endpoint's totals in the span of time that starts at `atMs`. */
export interface BucketTotals extends EndpointTotals {
  readonly modelId: string;
  /** Milliseconds since 1970. */
  readonly atMs: number;
}

/** Selects sums in spans of `spanMs` that start at `sinceMs`. */
export interface BucketQuery {
  readonly sinceMs: number;
  readonly spanMs: number;
  readonly untilMs?: number;
  /** Only these endpoints; undefined: all. */
  readonly modelIds?: readonly string[];
}

/** Stores the totals of all instances. */
export interface EndpointStatsStore {
  /** Adds to the stored totals. */
  add(buckets: readonly BucketTotals[]): Promise<void>;
  /** Omits spans without calls. */
  sums(query: BucketQuery): Promise<BucketTotals[]>;
}
