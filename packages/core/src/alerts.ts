import type { NanoCredits } from "./money.ts";

/** Events that a webhook can subscribe to. */
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
  "model.price_rise",
  "auto_top_up.stopped",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** When an account's alerts fire. */
export interface AlertThresholds {
  /** `balance.low` fires below this balance; undefined: never. */
  readonly lowBalance: NanoCredits | undefined;
  /** Shares of the budget of a key or of the account at which `budget.threshold` fires, above 0 and at most 1, in ascending order. */
  readonly budgetThresholds: readonly number[];
  /** Whether those who look after the bills get the alerts by e-mail, too. */
  readonly email: boolean;
}

export const DEFAULT_ALERT_THRESHOLDS: AlertThresholds = {
  lowBalance: undefined,
  budgetThresholds: [0.8, 1],
  email: true,
};
