import type { EventType } from "@trunkline/core/alerts.ts";
import { newId } from "@trunkline/core/id.ts";

/** An event as it goes out: one body, the same bytes for every webhook and every attempt. */
export interface WebhookEvent {
  readonly id: string;
  readonly type: EventType | "webhook.test";
  readonly body: string;
}

/** Puts an event into its form. */
export function createWebhookEvent(
  type: WebhookEvent["type"],
  data: Readonly<Record<string, unknown>>,
  now: number,
): WebhookEvent {
  const id = newId(now);
  return { id, type, body: JSON.stringify({ id, type, created_at: new Date(now).toISOString(), data }) };
}
