import { texts } from "../../texts/texts.ts";
import type { Tone } from "../../ui/badge.tsx";
import type { Delivery, Webhook, WebhookEvent } from "./webhook-queries.ts";

const TEXTS = texts.webhooks;

/** The events that a webhook can receive. */
export const EVENTS = (Object.keys(TEXTS.eventNames) as WebhookEvent[]).map((value) => ({
  value,
  label: TEXTS.eventNames[value],
}));

interface Standing {
  readonly tone: Tone;
  readonly label: string;
}

/** How a webhook does. */
export function standingOf(webhook: Webhook): Standing {
  if (!webhook.enabled) {
    return webhook.disabled_reason === null
      ? { tone: "neutral", label: TEXTS.states.off }
      : { tone: "danger", label: TEXTS.states.disabled };
  }
  return webhook.failing_since === null
    ? { tone: "positive", label: TEXTS.states.on }
    : { tone: "warning", label: TEXTS.states.failing };
}

/** What became of one event. */
export function outcomeOf(delivery: Delivery): Standing {
  if (delivery.delivered_at !== null) return { tone: "positive", label: TEXTS.deliveries.outcomes.delivered };
  return delivery.next_attempt_at === null
    ? { tone: "danger", label: TEXTS.deliveries.outcomes.failed }
    : { tone: "warning", label: TEXTS.deliveries.outcomes.waiting };
}

/** Where a webhook is, without what may be secret in its address. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
