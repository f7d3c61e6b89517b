import type { Adapter } from "@trunkline/core/adapter.ts";
import { ProviderFailure } from "@trunkline/core/attempt.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { newId } from "@trunkline/core/id.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import type { Model } from "@trunkline/core/model.ts";
import { testInference } from "../conformance/trial-inference.ts";
import type { EndpointHealth } from "./endpoint-health.ts";

/** Enough to see that it answers. */
const PROBE_TOKENS_MAX = 16;

/** What a probe works with. */
export interface ProbeOptions {
  readonly health: EndpointHealth;
  readonly clock: Clock;
  readonly adapterFor: (model: Model) => Adapter;
}

export type ProbeOutcome = "answered" | "failed" | "left out";

/** Calls a model for nobody, to know how it does. The health hears of it; nobody is charged, and nothing is put on record. */
export async function probeModel(
  { health, clock, adapterFor }: ProbeOptions,
  model: Model,
  signal: AbortSignal,
): Promise<ProbeOutcome> {
  const { id, streaming } = model;
  if (!health.admit(id)) return "left out";
  const startedMs = clock.monotonicMs();
  let firstPartMs: number | undefined;
  health.started(id);
  try {
    const call = {
      model,
      inference: probeInference(model),
      requestId: `probe-${newId()}`,
      signal,
      onPause: (seconds: number) => health.pause(id, seconds),
      onRemainingCalls: (calls: number, seconds: number) => health.setRemainingCalls(id, calls, seconds),
    };
    for await (const part of adapterFor(model).call(call)) {
      if (part.type !== "usage" && part.type !== "finish") firstPartMs ??= clock.monotonicMs() - startedMs;
    }
    signal.throwIfAborted();
    const ms = clock.monotonicMs() - startedMs;
    // What comes in one piece says nothing of how soon a stream begins.
    const figures = { ms, firstPartMs: streaming ? firstPartMs : undefined, outputTokens: 1, isProbe: true };
    health.succeeded(id, figures);
    return "answered";
  } catch (error) {
    if (signal.aborted || !(error instanceof ProviderFailure)) {
      health.abandoned(id);
      throw error;
    }
    health.probeFailed(id, error);
    return "failed";
  } finally {
    health.ended(id);
  }
}

function probeInference({ type, streaming }: Model): Inference {
  const plain = testInference(type, streaming);
  return { ...plain, parameters: { ...plain.parameters, maxTokens: PROBE_TOKENS_MAX } };
}
