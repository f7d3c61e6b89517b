import { z } from "zod";
import { rotateSecretSchema } from "../../responses/api-key.ts";
import { listPage, pageQuery, pageResponseSchema } from "../../responses/list-page.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";
import {
  createWebhookSchema,
  deliveryResponseSchema,
  toDeliveryResponse,
  toWebhookChange,
  toWebhookResponse,
  toWebhookSettings,
  toWebhookTestResponse,
  updateWebhookSchema,
  webhookResponseSchema,
  webhookTestResponseSchema,
} from "./webhook.ts";

const DEFAULT_GRACE_SECONDS = 86_400;
const secretField = { secret: z.string().describe("What events are signed with. Shown this once.") };

/** The rest of a webhook's address is often a secret. */
function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}

const createWebhook = controlEndpoint({
  method: "POST",
  path: "/v1/webhooks",
  permission: "webhooks.change",
  audit: { action: "webhook.create", nameOf: (_visit, result) => hostOf(result.url) },
  status: 201,
  tag: "Webhooks",
  summary: "Make a webhook",
  description:
    "The URL must be `https` on a public address; a key with the scope `admin` may name `http` and private addresses. At most 10 an account.",
  faults: ["conflict"],
  body: createWebhookSchema,
  response: webhookResponseSchema.extend(secretField),
  async handle({ services, caller, body }) {
    const { webhook, secret } = await services.webhooks.create(caller, toWebhookSettings(body));
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
    listPage(query, (limit, cursor) => services.webhooks.list(caller, limit, cursor), toWebhookResponse),
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
    toWebhookResponse(await services.webhooks.find(caller, params.id ?? "")),
});

const changeWebhook = controlEndpoint({
  method: "PATCH",
  path: "/v1/webhooks/:id",
  permission: "webhooks.change",
  audit: { action: "webhook.change", nameOf: (_visit, result) => hostOf(result.url) },
  status: 200,
  tag: "Webhooks",
  summary: "Change a webhook",
  description:
    "What is not given stays. `enabled` switches it on or off; what waits for one that is switched off is given up.",
  faults: ["not_found"],
  body: updateWebhookSchema,
  response: webhookResponseSchema,
  handle: async ({ services, caller, params, body }) =>
    toWebhookResponse(await services.webhooks.change(caller, params.id ?? "", toWebhookChange(body))),
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
  handle: ({ services, caller, params }) => services.webhooks.remove(caller, params.id ?? ""),
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
    const { webhook, secret, oldEndsAt } = await services.webhooks.rotate(
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
  description:
    "Sends `webhook.test` once, also where it is switched off, and answers with what the endpoint said.",
  faults: ["not_found"],
  response: webhookTestResponseSchema,
  handle: async ({ services, caller, params, signal }) =>
    toWebhookTestResponse(await services.webhooks.sendTest(caller, params.id ?? "", signal)),
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
      (limit, cursor) => services.webhooks.deliveries(caller, params.id ?? "", limit, cursor),
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
