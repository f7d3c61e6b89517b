import { z } from "zod";
import { keyRotation } from "../../responses/api-key.ts";
import { listPage, pageOf, pageQuery } from "../../responses/list-page.ts";
import { control, type Endpoint } from "../endpoint.ts";
import {
  deliveryShown,
  deliveryToWire,
  trialShown,
  trialToWire,
  webhookChangeOf,
  webhookDraft,
  webhookPatch,
  webhookShown,
  webhookTermsOf,
  webhookToWire,
} from "./webhook.ts";

const DEFAULT_GRACE_SECONDS = 86_400;
const secretOnce = { secret: z.string().describe("What events are signed with. Shown this once.") };

/** The rest of a webhook's address is often a secret. */
function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}

const createWebhook = control({
  method: "POST",
  path: "/v1/webhooks",
  power: "webhooks.change",
  deed: { action: "webhook.create", nameOf: (_visit, result) => hostOf(result.url) },
  status: 201,
  tag: "Webhooks",
  summary: "Make a webhook",
  description:
    "The URL must be `https` on a public address; a key with the scope `admin` may name `http` and private addresses. At most 10 an account.",
  faults: ["conflict"],
  body: webhookDraft,
  answer: webhookShown.extend(secretOnce),
  async handle({ house, caller, body }) {
    const { webhook, secret } = await house.webhooks.create(caller, webhookTermsOf(body));
    return { ...webhookToWire(webhook), secret };
  },
});

const listWebhooks = control({
  method: "GET",
  path: "/v1/webhooks",
  power: "webhooks.read",
  status: 200,
  tag: "Webhooks",
  summary: "List the account's webhooks",
  faults: [],
  query: pageQuery,
  answer: pageOf(webhookShown),
  handle: ({ house, caller, query }) =>
    listPage(query, (limit, cursor) => house.webhooks.list(caller, limit, cursor), webhookToWire),
});

const readWebhook = control({
  method: "GET",
  path: "/v1/webhooks/:id",
  power: "webhooks.read",
  status: 200,
  tag: "Webhooks",
  summary: "Read a webhook",
  faults: ["not_found"],
  answer: webhookShown,
  handle: async ({ house, caller, params }) =>
    webhookToWire(await house.webhooks.find(caller, params.id ?? "")),
});

const changeWebhook = control({
  method: "PATCH",
  path: "/v1/webhooks/:id",
  power: "webhooks.change",
  deed: { action: "webhook.change", nameOf: (_visit, result) => hostOf(result.url) },
  status: 200,
  tag: "Webhooks",
  summary: "Change a webhook",
  description:
    "What is not given stays. `enabled` switches it on or off; what waits for one that is switched off is given up.",
  faults: ["not_found"],
  body: webhookPatch,
  answer: webhookShown,
  handle: async ({ house, caller, params, body }) =>
    webhookToWire(await house.webhooks.change(caller, params.id ?? "", webhookChangeOf(body))),
});

const deleteWebhook = control({
  method: "DELETE",
  path: "/v1/webhooks/:id",
  power: "webhooks.change",
  deed: { action: "webhook.delete" },
  status: 204,
  tag: "Webhooks",
  summary: "Delete a webhook",
  description: "With everything that waits for it.",
  faults: ["not_found"],
  answer: z.null(),
  handle: ({ house, caller, params }) => house.webhooks.remove(caller, params.id ?? ""),
});

const rotateWebhook = control({
  method: "POST",
  path: "/v1/webhooks/:id/rotate",
  power: "webhooks.change",
  deed: { action: "webhook.rotate" },
  status: 200,
  tag: "Webhooks",
  summary: "Give a webhook a new secret",
  description: "Until the grace is over both secrets sign.",
  faults: ["not_found"],
  body: keyRotation,
  bodyOptional: true,
  answer: webhookShown.extend({ ...secretOnce, old_secret_ends_at: z.string() }),
  async handle({ house, caller, params, body }) {
    const { webhook, secret, oldEndsAt } = await house.webhooks.rotate(
      caller,
      params.id ?? "",
      body.grace_seconds ?? DEFAULT_GRACE_SECONDS,
    );
    return { ...webhookToWire(webhook), secret, old_secret_ends_at: oldEndsAt.toISOString() };
  },
});

const testWebhook = control({
  method: "POST",
  path: "/v1/webhooks/:id/test",
  power: "webhooks.change",
  deed: { action: "webhook.test" },
  status: 200,
  tag: "Webhooks",
  summary: "Send a test event now",
  description:
    "Sends `webhook.test` once, also where it is switched off, and answers with what the endpoint said.",
  faults: ["not_found"],
  answer: trialShown,
  handle: async ({ house, caller, params, signal }) =>
    trialToWire(await house.webhooks.sendTest(caller, params.id ?? "", signal)),
});

const listDeliveries = control({
  method: "GET",
  path: "/v1/webhooks/:id/deliveries",
  power: "webhooks.read",
  status: 200,
  tag: "Webhooks",
  summary: "What became of a webhook's events, newest first",
  description: "Of the last 30 days.",
  faults: ["not_found"],
  query: pageQuery,
  answer: pageOf(deliveryShown),
  handle: ({ house, caller, params, query }) =>
    listPage(
      query,
      (limit, cursor) => house.webhooks.deliveries(caller, params.id ?? "", limit, cursor),
      deliveryToWire,
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
