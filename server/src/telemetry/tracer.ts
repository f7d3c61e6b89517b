import { readParentContext, type TraceContext } from "@trunkline/core/trace-context.ts";

/** OpenTelemetry's samplers, under its own names. */
export const SAMPLERS = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

export interface SamplerSettings {
  readonly kind: (typeof SAMPLERS)[number];
  /** The share of traces that `traceidratio` takes, 0 to 1. */
  readonly ratio: number;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Gives each request its place in a trace. */
export class Tracer {
  readonly #followsParent: boolean;
  readonly #takes: (traceId: string) => boolean;

  constructor({ kind, ratio }: SamplerSettings) {
    this.#followsParent = kind.startsWith("parentbased_");
    const bound = Math.round(ratio * 0x1_0000_0000);
    if (kind.endsWith("always_on")) this.#takes = () => true;
    else if (kind.endsWith("always_off")) this.#takes = () => false;
    // The last digits are the random ones, so that all services that see the trace take the same ones.
    else this.#takes = (traceId) => Number.parseInt(traceId.slice(-8), 16) < bound;
  }

  /** Without a context from the client, the trace has the request's id, so that one can be found by the other. */
  start(requestId: string, headers: Headers = {}): TraceContext {
    const ownId = requestId.replaceAll("-", "");
    const spanId = ownId.slice(16);
    const parent =
      headers.traceparent === undefined ? undefined : readParentContext(headers.traceparent, headers.tracestate);
    if (parent === undefined)
      return {
        traceId: ownId,
        spanId,
        parentSpanId: undefined,
        isSampled: this.#takes(ownId),
        traceState: undefined,
      };
    return {
      traceId: parent.traceId,
      spanId,
      parentSpanId: parent.spanId,
      isSampled: this.#followsParent ? parent.isSampled : this.#takes(parent.traceId),
      traceState: parent.traceState,
    };
  }
}
