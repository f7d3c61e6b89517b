import { Fault } from "@trunkline/core/fault.ts";

/** Past its limit the service refuses at once, rather than making everybody wait for nobody's good. */
export function rejectWhenOverloaded(running: number, most: number): void {
  if (running <= most) return;
  throw new Fault("overloaded", "The service has too many requests at once. Try again in a moment.", {
    retryAfterSeconds: 1,
  });
}
