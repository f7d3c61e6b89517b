import type { NanoCredits } from "./money.ts";

/** What an account can be told of. */
export const EVENT_TYPES = [
  "budget.threshold",
  "balance.low",
  "balance.exhausted",
  "balance.restored",
  "batch.completed",
  "batch.failed",
  "batch.expired",
  "batch.cancelled",
  "model.out_of_service",
  "model.back_in_service",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** What an account wants to be told of. */
export interface AlertThresholds {
  /** Below this much it is told that the balance is low; undefined: never. */
  readonly lowBalance: NanoCredits | undefined;
  /** The parts of a key's budget whose use it is told of, each above 0 and at most 1, the smallest first. */
  readonly budgetThresholds: readonly number[];
}

export const DEFAULT_ALERT_THRESHOLDS: AlertThresholds = {
  lowBalance: undefined,
  budgetThresholds: [0.8, 1],
};
