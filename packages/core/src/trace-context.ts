import { randomBytes } from "node:crypto";

/** Where a request stands in a distributed trace, by W3C Trace Context. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The span of the request as a whole: 16 hexadecimal digits. */
  readonly spanId: string;
  /** The caller's span; undefined: the trace begins here. */
  readonly parentSpanId: string | undefined;
  /** Whether spans are recorded. Where they are not, the context is passed on all the same. */
  readonly isSampled: boolean;
  /** What other tracing systems wrote, passed on unchanged. */
  readonly traceState: string | undefined;
}

/** A call of a provider while it runs: its span, and the headers by which the provider continues the trace. */
export interface CallSpan {
  readonly spanId: string;
  /** From the beginning of the request to that of the call. */
  readonly startMs: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** The context that a caller sent. */
export interface ParentContext extends Pick<TraceContext, "traceId" | "isSampled" | "traceState"> {
  readonly spanId: string;
}

const TRACE_PARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 1;
const TRACE_STATE_LENGTH_MAX = 512;

type HeaderValue = string | readonly string[] | undefined;

/** Reads the headers `traceparent` and `tracestate`. Undefined where the first is missing or is not valid. */
export function readParentContext(traceParent: HeaderValue, traceState: HeaderValue): ParentContext | undefined {
  if (typeof traceParent !== "string") return undefined;
  const [, version, traceId, spanId, flags, more] = TRACE_PARENT.exec(traceParent.trim()) ?? [];
  if (version === undefined || traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  // Later versions may say more after the flags; the first may not.
  if (version === "ff" || (version === "00" && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  const isSampled = (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED;
  return { traceId, spanId, isSampled, traceState: readTraceState(traceState) };
}

function readTraceState(given: HeaderValue): string | undefined {
  const text = typeof given === "string" ? given : given?.join(",");
  if (text === undefined || text === "" || text.length > TRACE_STATE_LENGTH_MAX) return undefined;
  return /^[\x20-\x7e]+$/.test(text) ? text : undefined;
}

/** Starts a call of a provider within a request. */
export function startCallSpan({ traceId, isSampled, traceState }: TraceContext, startMs: number): CallSpan {
  const spanId = newSpanId();
  const traceparent = `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
  return {
    spanId,
    startMs,
    headers: traceState === undefined ? { traceparent } : { traceparent, tracestate: traceState },
  };
}

/** A process has its own first half, so that two processes do not make the same id for one trace. */
export const SPAN_ID_START = randomBytes(4).toString("hex");
let count = randomBytes(4).readUInt32BE();

/** An id that no other span of the same trace has. It is counted: random ones for each span would cost more than the rest. */
export function newSpanId(): string {
  return spanIdOf(nextSpanNumber());
}

/** The second half of the next span's id, as a number. */
export function nextSpanNumber(): number {
  count = (count + 1) >>> 0;
  // All zeros would mean that there is no span.
  if (count === 0) count = 1;
  return count;
}

export function spanIdOf(spanNumber: number): string {
  return SPAN_ID_START + spanNumber.toString(16).padStart(8, "0");
}
