import { EVENT_TYPES } from "@trunkline/core/alerts.ts";
import { storable } from "@trunkline/core/storable.ts";
import { z } from "zod";
import type { Attempt } from "../../../notify/webhooks/send-letter.ts";
import type { Delivery, Webhook, WebhookChange, WebhookTerms } from "../../../notify/webhooks/webhook.ts";

const fields = {
  url: storable(z.string().max(2_048)).describe("Where events are sent by POST."),
  events: z
    .array(z.enum(EVENT_TYPES))
    .min(1)
    .max(EVENT_TYPES.length)
    .nullable()
    .optional()
    .describe("The types of events to send. Absent or null: all, also those that come later."),
  description: storable(z.string().trim().max(256)).optional(),
};

export const webhookDraft = z.object(fields);
export const webhookPatch = z.object({
  ...fields,
  url: fields.url.optional(),
  enabled: z.boolean().optional().describe("Whether events are sent to it."),
});

/** A webhook as its owner sees it: never the secret. */
export const webhookShown = z.object({
  id: z.string(),
  url: z.string(),
  events: z.array(z.enum(EVENT_TYPES)).nullable(),
  description: z.string(),
  enabled: z.boolean(),
  disabled_reason: z.string().nullable().describe("Why the service switched it off."),
  failing_since: z.string().nullable().describe("Since when nothing could be delivered."),
  old_secret_ends_at: z.string().nullable().describe("Until when the secret before this one signs too."),
  created_at: z.string(),
});

/** One event for one webhook, and what became of it. */
export const deliveryShown = z.object({
  id: z.string(),
  event_id: z.string(),
  type: z.string(),
  attempts: z.number(),
  last_attempt_at: z.string().nullable(),
  last_status: z.number().nullable().describe("What the endpoint answered last; null: nothing."),
  last_error: z.string().nullable(),
  next_attempt_at: z.string().nullable().describe("Null: it was delivered or given up."),
  delivered_at: z.string().nullable(),
  created_at: z.string(),
});

/** What an endpoint said to a test. */
export const trialShown = z.object({
  delivered: z.boolean(),
  status: z.number().nullable(),
  error: z.string().nullable(),
  response: z.string().describe("The first 1,024 bytes of the answer's body."),
  latency_ms: z.number(),
});

export function webhookTermsOf(body: z.infer<typeof webhookDraft>): WebhookTerms {
  return { url: body.url, events: body.events ?? undefined, description: body.description ?? "" };
}

/** What was said; `events: null` means all of them, what was not said stays. */
export function webhookChangeOf(body: z.infer<typeof webhookPatch>): WebhookChange {
  return {
    ...(body.url === undefined ? {} : { url: body.url }),
    ...(body.events === undefined ? {} : { events: body.events ?? undefined }),
    ...(body.description === undefined ? {} : { description: body.description }),
    ...(body.enabled === undefined ? {} : { enabled: body.enabled }),
  };
}

export function webhookToWire(webhook: Webhook): z.infer<typeof webhookShown> {
  return {
    id: webhook.id,
    url: webhook.url,
    events: webhook.events === undefined ? null : [...webhook.events],
    description: webhook.description,
    enabled: webhook.enabled,
    disabled_reason: webhook.disabledReason ?? null,
    failing_since: webhook.failingSince?.toISOString() ?? null,
    old_secret_ends_at: webhook.oldSecretEndsAt?.toISOString() ?? null,
    created_at: webhook.createdAt.toISOString(),
  };
}

export function deliveryToWire(delivery: Delivery): z.infer<typeof deliveryShown> {
  return {
    id: delivery.id,
    event_id: delivery.eventId,
    type: delivery.type,
    attempts: delivery.attempts,
    last_attempt_at: delivery.lastAttemptAt?.toISOString() ?? null,
    last_status: delivery.lastStatus ?? null,
    last_error: delivery.lastError ?? null,
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    delivered_at: delivery.deliveredAt?.toISOString() ?? null,
    created_at: delivery.createdAt.toISOString(),
  };
}

export function trialToWire(attempt: Attempt): z.infer<typeof trialShown> {
  return {
    delivered: attempt.delivered,
    status: attempt.status ?? null,
    error: attempt.error ?? null,
    response: attempt.answer,
    latency_ms: Math.round(attempt.ms),
  };
}
