import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { TraceContext } from "@trunkline/core/trace-context.ts";

/** What a span, or another item, says of itself. Values that are undefined are left out. */
export interface Attributes {
  /** A text that may come again with other requests, such as the name of a model. */
  string(name: string, value: string | undefined): this;
  /** An id, or another text of our own that is ASCII and needs no escaping. */
  plain(name: string, value: string | undefined): this;
  int(name: string, value: number | undefined): this;
  double(name: string, value: number | undefined): this;
  bool(name: string, value: boolean | undefined): this;
}

/** Attributes that many spans have in common, such as all that name a model. A writer may keep the bytes that they are written as. */
export class KnownAttributes {
  readonly add: (to: Attributes) => void;
  /** In protobuf's form, once they were written. */
  protoBytes: Uint8Array | undefined;

  constructor(add: (to: Attributes) => void) {
    this.add = add;
  }
}

export const SPAN_KIND = { internal: 1, server: 2, client: 3 } as const;
/** The code of a span's status that means that it failed. */
export const STATUS_ERROR = 2;
/** Sampled, and known to have its parent in this process. */
export const LOCAL_FLAGS = 0x101;
const FLAG_PARENT_IS_REMOTE = 0x200;

/** The flags of a request's span. */
export function requestFlags({ parentSpanId }: TraceContext): number {
  return parentSpanId === undefined ? LOCAL_FLAGS : LOCAL_FLAGS | FLAG_PARENT_IS_REMOTE;
}

export interface CallHead {
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly name: string;
  /** Since the request began, in milliseconds. */
  readonly startMs: number;
  readonly endMs: number;
}

/** When the stages of a request began and ended. */
export type StageTimes = Pick<RequestTrace, "stages" | "stageMs" | "stageStartMs" | "stageEndMs">;

/** Writes the spans of one request after the other. */
export interface SpanWriter extends Attributes {
  /** Names the request whose spans come next, and when it began. */
  begin(context: TraceContext, baseMs: number): void;
  /** Begins the span of the request as a whole. Its attributes come next. */
  openRequest(name: string, endMs: number): void;
  /** Writes a span for each stage, below that of the request. */
  stages(times: StageTimes): void;
  /** Begins the span of a call, below that of the stage that waited for it. Its attributes come next. */
  openCall(head: CallHead): void;
  known(attributes: KnownAttributes): this;
  /** Ends the span that was begun. `error` is why it failed. */
  close(error: string | undefined): void;
}

/** Writes the spans of many requests into one message. */
export interface SpanBatchWriter extends SpanWriter {
  readonly contentType: string;
  /** About how many bytes the message has. */
  readonly size: number;
  /** Forgets the spans that were written since `begin`. */
  abandon(): void;
  /** The message with all spans since the last time. */
  takeBatch(): Buffer;
}

/**
 * Waiting for the provider and for the client take turns while an answer is streamed: whether less than the time from a stage's
 * beginning to its end is its own.
 */
export function takesTurns(startMs: number, endMs: number, activeMs: number): boolean {
  return endMs - startMs > activeMs + 0.001;
}

/** To microseconds, for times in milliseconds. */
export function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
