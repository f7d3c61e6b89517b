import type { ProviderFailure } from "@trunkline/core/attempt.ts";
import { DialFailure } from "../dialer/dial-failure.ts";

const BACKOFF_MS_BASE = 200;
const BACKOFF_MS_MAX = 2_000;

/** Whether the same endpoint may well answer a moment later. What it rejects it rejects again, and what took long takes long. */
export function isTransient(failure: ProviderFailure): boolean {
  if (shouldBackOff(failure)) return false;
  const { kind, cause } = failure;
  return kind === "broken" || (cause instanceof DialFailure && cause.kind === "refused");
}

/** Whether it serves nobody until somebody does something about it, or has asked for a pause. */
export function shouldBackOff({ outage, retryAfterSeconds }: ProviderFailure): boolean {
  return outage !== undefined || retryAfterSeconds !== undefined;
}

/** How long to wait before the same endpoint is called again: anything up to a limit, so that many do not come at once. */
export function fullJitterMs(attempt: number, random: () => number): number {
  return random() * Math.min(BACKOFF_MS_MAX, BACKOFF_MS_BASE * 2 ** attempt);
}
