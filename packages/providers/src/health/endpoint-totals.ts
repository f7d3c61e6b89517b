/** What a finished call tells about its endpoint. */
export interface CallMeasurement {
  readonly ms: number;
  readonly firstPartMs: number | undefined;
  readonly outputTokens: number | undefined;
  /** How many other calls of this instance ran when it began; undefined: nobody counted. */
  readonly concurrentCalls?: number | undefined;
  /** Its first part was told of when it came. */
  readonly isFirstPartReported?: boolean | undefined;
  /** Asked for by nobody: so short that only its first part says something about the speed of others. */
  readonly isProbe?: boolean | undefined;
}

/** How an endpoint did in some span of time, as sums: those of several spans or instances can be added. */
export interface EndpointTotals {
  readonly calls: number;
  /** Only those that blame the endpoint. */
  readonly failures: number;
  /** Of the answers alone, as a failure may be quick. */
  readonly answeredMs: number;
  /** How many answers had a first part whose time is known. */
  readonly firstParts: number;
  readonly firstPartMs: number;
  readonly outputTokens: number;
  /** The tokens that came as a stream, and how long these streams took from their first part on. */
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

/** The figures of one call that failed by its endpoint's fault. */
export const ONE_FAILED_CALL: EndpointTotals = { ...NO_TOTALS, calls: 1, failures: 1 };

/** Shorter stretches than this are one packet: a throughput read from them would be fantasy. */
const STREAM_MS_MIN = 20;

/** The stretch of an answer that its throughput can be read from; undefined where it came in one piece or uncounted. */
export function streamedSpan({ ms, firstPartMs, outputTokens }: CallMeasurement) {
  if (firstPartMs === undefined || outputTokens === undefined || outputTokens <= 1) return undefined;
  const streamMs = ms - firstPartMs;
  return streamMs >= STREAM_MS_MIN ? { tokens: outputTokens, ms: streamMs } : undefined;
}

/** An answer in one piece that is no longer than this took hardly more time than its first token. */
const SHORT_ANSWER_TOKENS = 64;

/** How long the first token took; undefined where the answer came in one piece and may have taken long for its length. */
export function firstTokenMsOf(call: CallMeasurement): number | undefined {
  const isShort = call.outputTokens !== undefined && call.outputTokens <= SHORT_ANSWER_TOKENS;
  return streamedSpan(call) !== undefined || isShort ? call.firstPartMs : undefined;
}

/** The figures of one answer. */
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

/** What the sums say; undefined where there is nothing to say it from. */
export function averagesOf(figures: EndpointTotals) {
  return {
    latencyMs: ratio(figures.answeredMs, figures.calls - figures.failures),
    firstPartMs: ratio(figures.firstPartMs, figures.firstParts),
    tokensPerSecond: ratio(figures.streamedTokens * 1_000, figures.streamedMs),
    errorRate: ratio(figures.failures, figures.calls),
  };
}

function ratio(sum: number, count: number): number | undefined {
  return count > 0 ? sum / count : undefined;
}

type Availability = "up" | "degraded" | "down" | "no data";

/** From these shares of failed calls on, an endpoint counted as not well, and as down. */
const DEGRADED_SHARE = 0.05;
const DOWN_SHARE = 0.5;

/** How well an endpoint was to be had. Where nobody called there is nothing to say. */
export function availabilityOf({ calls, failures }: EndpointTotals): Availability {
  if (calls === 0) return "no data";
  const share = failures / calls;
  if (share >= DOWN_SHARE) return "down";
  return share >= DEGRADED_SHARE ? "degraded" : "up";
}

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
