import type { FaultType } from "@trunkline/core/fault.ts";

/** What an operation that goes down the line may answer, beyond what any may. */
export const INFERENCE_FAULTS: readonly FaultType[] = [
  "insufficient_balance",
  "budget_exceeded",
  "unsafe_input",
  "unsafe_output",
  "model_not_found",
  "idempotency_in_progress",
  "idempotency_mismatch",
  "check_failed",
  "provider_error",
  "provider_timeout",
  "no_model_available",
];
