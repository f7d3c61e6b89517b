import type { EventType } from "@trunkline/core/alerts.ts";
import { newId } from "@trunkline/core/id.ts";

/** An event as it goes out: one body, the same bytes for every webhook and every attempt. */
export interface OutgoingEvent {
  readonly id: string;
  readonly type: EventType | "webhook.test";
  readonly body: string;
}

/** Puts an event into its form. */
export function composeEvent(
  type: OutgoingEvent["type"],
  data: Readonly<Record<string, unknown>>,
  now: number,
): OutgoingEvent {
  const id = newId(now);
  return { id, type, body: JSON.stringify({ id, type, created_at: new Date(now).toISOString(), data }) };
}
