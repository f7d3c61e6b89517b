import type { Stage } from "@trunkline/core/request-trace.ts";
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

export const SPAN_KIND = { internal: 1, server: 2, client: 3 } as const;
/** The code of a span's status that means that it failed. */
export const STATUS_ERROR = 2;
/** Sampled, and known to have its parent in this process. */
export const LOCAL_FLAGS = 0x101;
export const FLAG_PARENT_IS_REMOTE = 0x200;

export interface SpanHead {
  /** 16 hexadecimal digits, as is the parent's. */
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly flags: number;
  readonly name: string;
  readonly kind: number;
  /** Since the request began, in milliseconds. */
  readonly startMs: number;
  readonly endMs: number;
}

/** Writes the spans of one request after the other. */
export interface SpanWriter extends Attributes {
  /** Names the request whose spans come next, and when it began. */
  begin(context: TraceContext, baseMs: number): void;
  /** Writes the span of a stage, below that of the request. Returns the counted half of its id. */
  stage(stage: Stage, startMs: number, endMs: number): number;
  /** Begins a span. Its attributes come next. */
  open(head: SpanHead): void;
  /** Ends the span that was begun. `error` is why it failed. */
  close(error: string | undefined): void;
  /** What was written since the last time. */
  take(): Buffer;
}
