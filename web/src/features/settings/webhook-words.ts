import type { Tone } from "../../ui/badge.tsx";
import type { Delivery, Webhook, WebhookEvent } from "./webhook-queries.ts";

/** The events that a webhook can receive. */
export const EVENTS: readonly { readonly value: WebhookEvent; readonly label: string }[] = [
  { value: "budget.threshold", label: "A key has used a part of its budget" },
  { value: "balance.low", label: "The balance is low" },
  { value: "balance.exhausted", label: "No credits are left" },
  { value: "balance.restored", label: "There are credits again" },
  { value: "batch.completed", label: "A batch is done" },
  { value: "batch.failed", label: "A batch failed" },
  { value: "batch.expired", label: "A batch's window is over" },
  { value: "batch.cancelled", label: "A batch was cancelled" },
  { value: "model.price_rise", label: "A model that you used will cost more" },
  { value: "auto_top_up.stopped", label: "Automatic payments were stopped" },
  { value: "model.out_of_service", label: "A model of yours is out of service" },
  { value: "model.back_in_service", label: "A model of yours is back in service" },
];

interface Standing {
  readonly tone: Tone;
  readonly label: string;
}

/** How a webhook does. */
export function standingOf(webhook: Webhook): Standing {
  if (!webhook.enabled) {
    return webhook.disabled_reason === null
      ? { tone: "neutral", label: "Off" }
      : { tone: "danger", label: "Switched off" };
  }
  return webhook.failing_since === null ? { tone: "positive", label: "On" } : { tone: "warning", label: "Failing" };
}

/** What became of one event. */
export function outcomeOf(delivery: Delivery): Standing {
  if (delivery.delivered_at !== null) return { tone: "positive", label: "Delivered" };
  return delivery.next_attempt_at === null
    ? { tone: "danger", label: "Given up" }
    : { tone: "warning", label: "Waiting" };
}

/** Where a webhook is, without what may be secret in its address. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
