import type { CallLimits, ModelType } from "@trunkline/core/model.ts";

/** A check should be over while somebody still watches, so it waits less than a real request does. */
const CHECK_LIMITS = { connectMs: 3_000, silenceMs: 10_000, wholeMs: 30_000 };
const CHECK_FIRST_BYTE_MS: Record<ModelType, number> = {
  text: 10_000,
  multimodal: 10_000,
  embedding: 10_000,
  image: 30_000,
  audio: 30_000,
};

/** The limits under which a model of this type is checked. */
export function limitsForChecks<Limits extends CallLimits>(limits: Limits, type: ModelType): Limits {
  return {
    ...limits,
    connectMs: Math.min(limits.connectMs, CHECK_LIMITS.connectMs),
    firstByteMs: Math.min(limits.firstByteMs, CHECK_FIRST_BYTE_MS[type]),
    silenceMs: Math.min(limits.silenceMs, CHECK_LIMITS.silenceMs),
    wholeMs: Math.min(limits.wholeMs, CHECK_LIMITS.wholeMs),
  };
}
