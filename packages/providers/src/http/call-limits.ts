import { type CallLimits, DEFAULT_CALL_LIMITS, type Model } from "@trunkline/core/model.ts";

/** The limits of time and size of a call. */
export function limitsOf({ limits }: Model, isStreamed: boolean): CallLimits {
  return isStreamed ? limits : wholeAnswerLimits(limits);
}

const limitsOfWholeAnswers = new WeakMap<CallLimits, CallLimits>();

/**
 * Many providers send the head of a whole answer when the answer is complete, which takes a reasoning model minutes: only a
 * limit below the usual one ends the wait sooner.
 */
function wholeAnswerLimits(limits: CallLimits): CallLimits {
  if (limits.firstByteMs < DEFAULT_CALL_LIMITS.firstByteMs) return limits;
  let patient = limitsOfWholeAnswers.get(limits);
  if (patient === undefined) {
    patient = { ...limits, firstByteMs: limits.wholeMs };
    limitsOfWholeAnswers.set(limits, patient);
  }
  return patient;
}
