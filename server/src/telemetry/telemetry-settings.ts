import type { OtlpSignal } from "./otlp-sender.ts";
import type { SamplerSettings } from "./tracer.ts";

/** What the service tells of itself, and to where. */
export interface TelemetrySettings {
  /** Attributes of every span, metric and log record. */
  readonly resource: Readonly<Record<string, string>>;
  readonly traces: TracesSettings | undefined;
  readonly metrics: (OtlpSignal & { readonly intervalMs: number }) | undefined;
  readonly logs: OtlpSignal | undefined;
  /** The share of requests that get a line in the access log, 0 to 1; undefined: none. */
  readonly accessLogShare: number | undefined;
}

export interface TracesSettings extends OtlpSignal {
  readonly sampler: SamplerSettings;
  readonly withContent: boolean;
}
