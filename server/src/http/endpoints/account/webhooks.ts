import { EVENT_TYPES } from "@trunkline/core/alerts.ts";
import { storableText } from "@trunkline/core/field-schemas.ts";
import { z } from "zod";
import type { DeliveryAttempt } from "../../../notify/webhooks/deliver.ts";
import type { DeliveryRecord, Webhook, WebhookChange, WebhookSettings } from "../../../notify/webhooks/webhooks.ts";
import { rotateSecretSchema } from "../../responses/api-key.ts";
import { listPage, pageQuery, pageResponseSchema } from "../../responses/list-response.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";

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

const createWebhookSchema = z.object(webhookFields);
const updateWebhookSchema = z.object({
  ...webhookFields,
  url: webhookFields.url.optional(),
  enabled: z.boolean().optional().describe("Whether events are sent to it."),
});

/** A webhook as its owner sees it, without the secret. */
const webhookResponseSchema = z.object({
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

/** The delivery of one event to one webhook. */
const deliveryResponseSchema = z.object({
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

/** An endpoint's response to a test event. */
const webhookTestResponseSchema = z.object({
  delivered: z.boolean(),
  status: z.number().nullable(),
  error: z.string().nullable(),
  response: z.string().describe("The first 1,024 bytes of the answer's body."),
  latency_ms: z.number(),
});

function toWebhookSettings(body: z.infer<typeof createWebhookSchema>): WebhookSettings {
  return { url: body.url, events: body.events ?? undefined, description: body.description ?? "" };
}

/** The given fields; missing ones stay as they are. `events: null` means all types. */
function toWebhookChange(body: z.infer<typeof updateWebhookSchema>): WebhookChange {
  return {
    ...(body.url === undefined ? {} : { url: body.url }),
    ...(body.events === undefined ? {} : { events: body.events ?? undefined }),
    ...(body.description === undefined ? {} : { description: body.description }),
    ...(body.enabled === undefined ? {} : { enabled: body.enabled }),
  };
}

function toWebhookResponse(webhook: Webhook): z.infer<typeof webhookResponseSchema> {
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

function toDeliveryResponse(deliveryRecord: DeliveryRecord): z.infer<typeof deliveryResponseSchema> {
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

function toWebhookTestResponse(deliveryAttempt: DeliveryAttempt): z.infer<typeof webhookTestResponseSchema> {
  return {
    delivered: deliveryAttempt.delivered,
    status: deliveryAttempt.status ?? null,
    error: deliveryAttempt.error ?? null,
    response: deliveryAttempt.answer,
    latency_ms: Math.round(deliveryAttempt.ms),
  };
}

const DEFAULT_GRACE_SECONDS = 86_400;
const secretField = { secret: z.string().describe("What events are signed with. Shown this once.") };

/** The audit log gets only the host: the rest of a webhook's URL is often a secret. */
function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}

const createWebhook = controlEndpoint({
  method: "POST",
  path: "/v1/webhooks",
  permission: "webhooks.change",
  audit: { action: "webhook.create", nameOf: (_context, result) => hostOf(result.url) },
  status: 201,
  tag: "Webhooks",
  summary: "Make a webhook",
  description:
    "The URL must be `https` on a public address; a key with the scope `admin` may name `http` and private addresses. At most 10 an account.",
  faults: ["conflict"],
  body: createWebhookSchema,
  response: webhookResponseSchema.extend(secretField),
  async handle({ services, caller, body }) {
    const { webhook, secret } = await services.notify.webhooks.create(caller, toWebhookSettings(body));
    return { ...toWebhookResponse(webhook), secret };
  },
});

const listWebhooks = controlEndpoint({
  method: "GET",
  path: "/v1/webhooks",
  permission: "webhooks.read",
  status: 200,
  tag: "Webhooks",
  summary: "List the account's webhooks",
  faults: [],
  query: pageQuery,
  response: pageResponseSchema(webhookResponseSchema),
  handle: ({ services, caller, query }) =>
    listPage(query, (limit, cursor) => services.notify.webhooks.list(caller, limit, cursor), toWebhookResponse),
});

const readWebhook = controlEndpoint({
  method: "GET",
  path: "/v1/webhooks/:id",
  permission: "webhooks.read",
  status: 200,
  tag: "Webhooks",
  summary: "Read a webhook",
  faults: ["not_found"],
  response: webhookResponseSchema,
  handle: async ({ services, caller, params }) =>
    toWebhookResponse(await services.notify.webhooks.find(caller, params.id ?? "")),
});

const changeWebhook = controlEndpoint({
  method: "PATCH",
  path: "/v1/webhooks/:id",
  permission: "webhooks.change",
  audit: { action: "webhook.change", nameOf: (_context, result) => hostOf(result.url) },
  status: 200,
  tag: "Webhooks",
  summary: "Change a webhook",
  description:
    "What is not given stays. `enabled` switches it on or off; what waits for one that is switched off is given up. A URL of another origin gets a new secret, shown this once; the old one signs nothing any more.",
  faults: ["not_found"],
  body: updateWebhookSchema,
  response: webhookResponseSchema.extend({
    secret: secretField.secret.optional().describe("The new secret, where the URL moved to another origin."),
  }),
  async handle({ services, caller, params, body }) {
    const change = toWebhookChange(body);
    const { webhook, secret } = await services.notify.webhooks.change(caller, params.id ?? "", change);
    return { ...toWebhookResponse(webhook), ...(secret === undefined ? {} : { secret }) };
  },
});

const deleteWebhook = controlEndpoint({
  method: "DELETE",
  path: "/v1/webhooks/:id",
  permission: "webhooks.change",
  audit: { action: "webhook.delete" },
  status: 204,
  tag: "Webhooks",
  summary: "Delete a webhook",
  description: "With everything that waits for it.",
  faults: ["not_found"],
  response: z.null(),
  handle: ({ services, caller, params }) => services.notify.webhooks.remove(caller, params.id ?? ""),
});

const rotateWebhook = controlEndpoint({
  method: "POST",
  path: "/v1/webhooks/:id/rotate",
  permission: "webhooks.change",
  audit: { action: "webhook.rotate" },
  status: 200,
  tag: "Webhooks",
  summary: "Give a webhook a new secret",
  description: "Until the grace is over both secrets sign.",
  faults: ["not_found"],
  body: rotateSecretSchema,
  bodyOptional: true,
  response: webhookResponseSchema.extend({ ...secretField, old_secret_ends_at: z.string() }),
  async handle({ services, caller, params, body }) {
    const { webhook, secret, oldEndsAt } = await services.notify.webhooks.rotate(
      caller,
      params.id ?? "",
      body.grace_seconds ?? DEFAULT_GRACE_SECONDS,
    );
    return { ...toWebhookResponse(webhook), secret, old_secret_ends_at: oldEndsAt.toISOString() };
  },
});

const testWebhook = controlEndpoint({
  method: "POST",
  path: "/v1/webhooks/:id/test",
  permission: "webhooks.change",
  audit: { action: "webhook.test" },
  status: 200,
  tag: "Webhooks",
  summary: "Send a test event now",
  description: "Sends `webhook.test` once, also where it is switched off, and answers with what the endpoint said.",
  faults: ["not_found"],
  response: webhookTestResponseSchema,
  handle: async ({ services, caller, params, signal }) =>
    toWebhookTestResponse(await services.notify.webhooks.sendTest(caller, params.id ?? "", signal)),
});

const listDeliveries = controlEndpoint({
  method: "GET",
  path: "/v1/webhooks/:id/deliveries",
  permission: "webhooks.read",
  status: 200,
  tag: "Webhooks",
  summary: "What became of a webhook's events, newest first",
  description: "Of the last 30 days.",
  faults: ["not_found"],
  query: pageQuery,
  response: pageResponseSchema(deliveryResponseSchema),
  handle: ({ services, caller, params, query }) =>
    listPage(
      query,
      (limit, cursor) => services.notify.webhooks.deliveries(caller, params.id ?? "", limit, cursor),
      toDeliveryResponse,
    ),
});

export const webhookEndpoints: readonly Endpoint[] = [
  createWebhook,
  listWebhooks,
  readWebhook,
  changeWebhook,
  deleteWebhook,
  rotateWebhook,
  testWebhook,
  listDeliveries,
];
