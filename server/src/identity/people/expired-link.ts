import { Fault } from "@trunkline/core/fault.ts";

/** One fault for unknown, used and expired links. */
export function expiredLink(): Fault {
  return new Fault("not_found", "This link was used before, or is over. Ask for a new one.");
}
