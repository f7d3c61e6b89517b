import { SCOPES } from "@trunkline/core/caller.ts";
import { storableText } from "@trunkline/core/field-schemas.ts";
import { z } from "zod";
import { KEY_STATES } from "../../../identity/keys/api-keys.ts";
import {
  apiKeyResponseSchema,
  createApiKeySchema,
  rotateSecretSchema,
  toApiKeyChange,
  toApiKeyResponse,
  toApiKeySettings,
  updateApiKeySchema,
} from "../../responses/api-key.ts";
import { listPage, pageQuery, pageResponseSchema } from "../../responses/list-response.ts";
import { auditSafeRules } from "../audit.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";

const DEFAULT_GRACE_SECONDS = 86_400;
const secretField = { key: z.string().describe("The secret. Shown this once.") };

const createKey = controlEndpoint({
  method: "POST",
  path: "/v1/keys",
  permission: "keys.change",
  audit: { action: "key.create", details: ({ body }) => ({ scopes: body.scopes }) },
  status: 201,
  tag: "Keys",
  summary: "Make a key",
  description:
    "A key that makes another gives it at most its own limits: expiry, rate, models and addresses that are not said are its own, and a budget is taken off its own. Members have no such limits.",
  faults: [],
  body: createApiKeySchema,
  response: apiKeyResponseSchema.extend(secretField),
  async handle({ services, caller, body }) {
    const { key, secret } = await services.identity.apiKeys.create(caller, toApiKeySettings(body));
    return { ...toApiKeyResponse(key), key: secret };
  },
});

const listKeys = controlEndpoint({
  method: "GET",
  path: "/v1/keys",
  permission: "keys.read",
  status: 200,
  tag: "Keys",
  summary: "List the account's keys",
  description: "Newest first. Revoked ones are listed only where `state` asks for them.",
  faults: [],
  query: pageQuery.extend({
    state: z.enum(KEY_STATES).optional().describe("Default: active and expired ones."),
    q: storableText(z.string().trim().max(128))
      .optional()
      .describe("A part of the name or of the hint. Never send a secret here."),
  }),
  response: pageResponseSchema(apiKeyResponseSchema),
  handle: ({ services, caller, query }) =>
    listPage(
      query,
      (limit, cursor) =>
        services.identity.apiKeys.list(caller, { state: query.state, search: query.q || undefined }, limit, cursor),
      toApiKeyResponse,
    ),
});

const listScopes = controlEndpoint({
  method: "GET",
  path: "/v1/keys/scopes",
  permission: "keys.read",
  status: 200,
  tag: "Keys",
  summary: "Which scopes you can give to a key",
  description: "A key gives those that it has, a member those whose every power the role has.",
  faults: [],
  response: z.object({
    data: z.array(z.object({ scope: z.enum(SCOPES), can_give: z.boolean() })),
    next_cursor: z.null(),
  }),
  handle: async ({ caller }) => ({
    data: SCOPES.map((scope) => ({ scope, can_give: caller.scopes.has(scope) })),
    next_cursor: null,
  }),
});

const readKey = controlEndpoint({
  method: "GET",
  path: "/v1/keys/:id",
  permission: "keys.read",
  status: 200,
  tag: "Keys",
  summary: "Read a key",
  faults: ["not_found"],
  response: apiKeyResponseSchema,
  handle: async ({ services, caller, params }) =>
    toApiKeyResponse(await services.identity.apiKeys.find(caller, params.id ?? "")),
});

const changeKey = controlEndpoint({
  method: "PATCH",
  path: "/v1/keys/:id",
  permission: "keys.change",
  audit: {
    action: "key.change",
    details: ({ body }) => (body.safety ? { ...body, safety: auditSafeRules(body.safety) } : body),
  },
  status: 200,
  tag: "Keys",
  summary: "Change a key",
  description:
    "`null` lifts a limit; what is not given stays. No key changes itself, nor a key that lasts longer or reaches further than it.",
  faults: ["not_found"],
  body: updateApiKeySchema,
  response: apiKeyResponseSchema,
  handle: async ({ services, caller, params, body }) =>
    toApiKeyResponse(await services.identity.apiKeys.change(caller, params.id ?? "", toApiKeyChange(body))),
});

const rotateKey = controlEndpoint({
  method: "POST",
  path: "/v1/keys/:id/rotate",
  permission: "keys.change",
  audit: { action: "key.rotate" },
  status: 200,
  tag: "Keys",
  summary: "Give a key a new secret",
  faults: ["not_found"],
  body: rotateSecretSchema,
  bodyOptional: true,
  response: apiKeyResponseSchema.extend({ ...secretField, old_secret_ends_at: z.string() }),
  async handle({ services, caller, params, body }) {
    const { key, secret, oldEndsAt } = await services.identity.apiKeys.rotate(
      caller,
      params.id ?? "",
      body.grace_seconds ?? DEFAULT_GRACE_SECONDS,
    );
    return { ...toApiKeyResponse(key), key: secret, old_secret_ends_at: oldEndsAt.toISOString() };
  },
});

const revokeKey = controlEndpoint({
  method: "DELETE",
  path: "/v1/keys/:id",
  permission: "keys.change",
  audit: { action: "key.revoke" },
  status: 204,
  tag: "Keys",
  summary: "Revoke a key",
  faults: ["not_found"],
  response: z.null(),
  handle: ({ services, caller, params }) => services.identity.apiKeys.revoke(caller, params.id ?? ""),
});

export const keyEndpoints: readonly Endpoint[] = [
  createKey,
  listKeys,
  listScopes,
  readKey,
  changeKey,
  rotateKey,
  revokeKey,
];
