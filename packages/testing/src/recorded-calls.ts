import type { ObserveOptions } from "@trunkline/providers/health/call-observation.ts";
import type { EndpointHealth } from "@trunkline/providers/health/endpoint-health.ts";

/** The figures of a call that was answered. */
export interface RecordedAnswer {
  readonly ms: number;
  readonly firstPartMs: number | undefined;
  readonly outputTokens: number | undefined;
}

/** Records an answer that ends now. `advance` moves the clock of `health`: first back to the call's start, then forward again. */
export function recordAnswer(
  health: EndpointHealth,
  advance: (ms: number) => void,
  modelId: string,
  { ms, firstPartMs, outputTokens }: RecordedAnswer,
  options?: ObserveOptions,
): void {
  advance(-ms);
  const observation = health.observe(modelId, options);
  advance(firstPartMs ?? ms);
  if (firstPartMs !== undefined) {
    observation.firstPart();
    advance(ms - firstPartMs);
  }
  observation.succeeded({ outputTokens });
}
