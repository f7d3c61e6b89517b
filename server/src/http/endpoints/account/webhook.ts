import { EVENT_TYPES } from "@trunkline/core/alerts.ts";
import { storableText } from "@trunkline/core/storable.ts";
import { z } from "zod";
import type { DeliveryAttempt } from "../../../notify/webhooks/send-letter.ts";
import type {
  DeliveryRecord,
  Webhook,
  WebhookChange,
  WebhookSettings,
} from "../../../notify/webhooks/webhook.ts";

const webhookFields = {
  url: storableText(z.string().max(2_048)).describe("Where events are sent by POST."),
  events: z
    .array(z.enum(EVENT_TYPES))
    .min(1)
    .max(EVENT_TYPES.length)
    .nullable()
    .optional()
    .describe("The types of events to send. Absent or null: all, also those that come later."),
  description: storableText(z.string().trim().max(256)).optional(),
};

export const createWebhookSchema = z.object(webhookFields);
export const updateWebhookSchema = z.object({
  ...webhookFields,
  url: webhookFields.url.optional(),
  enabled: z.boolean().optional().describe("Whether events are sent to it."),
});

/** A webhook as its owner sees it: never the secret. */
export const webhookResponseSchema = z.object({
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
export const deliveryResponseSchema = z.object({
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
export const webhookTestResponseSchema = z.object({
  delivered: z.boolean(),
  status: z.number().nullable(),
  error: z.string().nullable(),
  response: z.string().describe("The first 1,024 bytes of the answer's body."),
  latency_ms: z.number(),
});

export function toWebhookSettings(body: z.infer<typeof createWebhookSchema>): WebhookSettings {
  return { url: body.url, events: body.events ?? undefined, description: body.description ?? "" };
}

/** What was said; `events: null` means all of them, what was not said stays. */
export function toWebhookChange(body: z.infer<typeof updateWebhookSchema>): WebhookChange {
  return {
    ...(body.url === undefined ? {} : { url: body.url }),
    ...(body.events === undefined ? {} : { events: body.events ?? undefined }),
    ...(body.description === undefined ? {} : { description: body.description }),
    ...(body.enabled === undefined ? {} : { enabled: body.enabled }),
  };
}

export function toWebhookResponse(webhook: Webhook): z.infer<typeof webhookResponseSchema> {
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

export function toDeliveryResponse(deliveryRecord: DeliveryRecord): z.infer<typeof deliveryResponseSchema> {
  return {
    id: deliveryRecord.id,
    event_id: deliveryRecord.eventId,
    type: deliveryRecord.type,
    attempts: deliveryRecord.attempts,
    last_attempt_at: deliveryRecord.lastAttemptAt?.toISOString() ?? null,
    last_status: deliveryRecord.lastStatus ?? null,
    last_error: deliveryRecord.lastError ?? null,
    next_attempt_at: deliveryRecord.nextAttemptAt?.toISOString() ?? null,
    delivered_at: deliveryRecord.deliveredAt?.toISOString() ?? null,
    created_at: deliveryRecord.createdAt.toISOString(),
  };
}

export function toWebhookTestResponse(
  deliveryAttempt: DeliveryAttempt,
): z.infer<typeof webhookTestResponseSchema> {
  return {
    delivered: deliveryAttempt.delivered,
    status: deliveryAttempt.status ?? null,
    error: deliveryAttempt.error ?? null,
    response: deliveryAttempt.answer,
    latency_ms: Math.round(deliveryAttempt.ms),
  };
}
