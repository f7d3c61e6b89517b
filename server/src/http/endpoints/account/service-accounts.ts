import { lineSchema } from "@trunkline/core/field-schemas.ts";
import { z } from "zod";
import type { WorkloadTrust } from "../../../identity/workloads/workload-trust.ts";
import {
  apiKeyResponseSchema,
  createApiKeySchema,
  toApiKeyChange,
  toApiKeyResponse,
  toApiKeySettings,
  updateApiKeySchema,
} from "../../responses/api-key.ts";
import { listPage, pageQuery, pageResponseSchema } from "../../responses/list-response.ts";
import { auditSafeRules } from "../audit.ts";
import { controlEndpoint, type Endpoint, publicEndpoint } from "../endpoint.ts";

const TAG = "Service accounts";
const LIFETIME_SECONDS = { min: 60, max: 43_200, usual: 3_600 };

const createServiceAccount = controlEndpoint({
  method: "POST",
  path: "/v1/service-accounts",
  permission: "keys.change",
  audit: { action: "service_account.create", details: ({ body }) => ({ scopes: body.scopes }) },
  status: 201,
  tag: TAG,
  summary: "Make a service account",
  description:
    "A key that belongs to no person and has no lasting secret. Its scopes and limits are bounded as those of a key that you make.",
  faults: [],
  body: createApiKeySchema,
  response: apiKeyResponseSchema,
  handle: async ({ services, caller, body }) =>
    toApiKeyResponse(await services.identity.serviceAccounts.create(caller, toApiKeySettings(body))),
});

const listServiceAccounts = controlEndpoint({
  method: "GET",
  path: "/v1/service-accounts",
  permission: "keys.read",
  status: 200,
  tag: TAG,
  summary: "List the service accounts",
  faults: [],
  query: pageQuery,
  response: pageResponseSchema(apiKeyResponseSchema),
  handle: ({ services, caller, query }) =>
    listPage(query, (limit, cursor) => services.identity.serviceAccounts.list(caller, limit, cursor), toApiKeyResponse),
});

const readServiceAccount = controlEndpoint({
  method: "GET",
  path: "/v1/service-accounts/:id",
  permission: "keys.read",
  status: 200,
  tag: TAG,
  summary: "Read a service account",
  faults: ["not_found"],
  response: apiKeyResponseSchema,
  handle: async ({ services, caller, params }) =>
    toApiKeyResponse(await services.identity.serviceAccounts.find(caller, params.id ?? "")),
});

const changeServiceAccount = controlEndpoint({
  method: "PATCH",
  path: "/v1/service-accounts/:id",
  permission: "keys.change",
  audit: {
    action: "service_account.change",
    details: ({ body }) => (body.safety ? { ...body, safety: auditSafeRules(body.safety) } : body),
  },
  status: 200,
  tag: TAG,
  summary: "Change a service account",
  description: "It holds for the secrets that are out, too.",
  faults: ["not_found"],
  body: updateApiKeySchema,
  response: apiKeyResponseSchema,
  handle: async ({ services, caller, params, body }) =>
    toApiKeyResponse(await services.identity.serviceAccounts.change(caller, params.id ?? "", toApiKeyChange(body))),
});

const removeServiceAccount = controlEndpoint({
  method: "DELETE",
  path: "/v1/service-accounts/:id",
  permission: "keys.change",
  audit: { action: "service_account.remove" },
  status: 204,
  tag: TAG,
  summary: "Remove a service account",
  description: "Its secrets end at once.",
  faults: ["not_found"],
  response: z.null(),
  handle: ({ services, caller, params }) => services.identity.serviceAccounts.remove(caller, params.id ?? ""),
});

const conditionSchema = z.object({
  claim: lineSchema().describe("A claim of the token, such as `repository`, or a path with dots."),
  values: z
    .array(lineSchema(512))
    .min(1)
    .max(20)
    .describe("One of these must be the claim's value. `*` stands for any characters."),
});

const trustFields = {
  name: lineSchema(),
  issuer: z.string().min(1).max(2_048).describe("As the tokens have it in `iss`."),
  audience: lineSchema(512).describe("What the tokens have in `aud`."),
  conditions: z.array(conditionSchema).min(1).max(20).describe("Every one must hold."),
};

const trustResponseSchema = z.object({
  id: z.string(),
  ...trustFields,
  lifetime_seconds: z.number(),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
});

function toTrustResponse(trust: WorkloadTrust): z.infer<typeof trustResponseSchema> {
  return {
    id: trust.id,
    name: trust.name,
    issuer: trust.issuer,
    audience: trust.audience,
    conditions: trust.conditions.map(({ claim, values }) => ({ claim, values: [...values] })),
    lifetime_seconds: trust.lifetimeSeconds,
    created_at: trust.createdAt.toISOString(),
    last_used_at: trust.lastUsedAt?.toISOString() ?? null,
  };
}

const listTrusts = controlEndpoint({
  method: "GET",
  path: "/v1/service-accounts/:id/trusts",
  permission: "keys.read",
  status: 200,
  tag: TAG,
  summary: "Whose tokens a service account trusts",
  faults: ["not_found"],
  response: z.object({ data: z.array(trustResponseSchema), next_cursor: z.null() }),
  handle: async ({ services, caller, params }) => ({
    data: (await services.identity.serviceAccounts.listTrusts(caller, params.id ?? "")).map(toTrustResponse),
    next_cursor: null,
  }),
});

const addTrust = controlEndpoint({
  method: "POST",
  path: "/v1/service-accounts/:id/trusts",
  permission: "keys.change",
  audit: {
    action: "service_account.trust",
    details: ({ body }) => ({ issuer: body.issuer, audience: body.audience, conditions: body.conditions }),
  },
  status: 201,
  tag: TAG,
  summary: "Trust the tokens of a workload",
  description:
    "Tokens of this issuer, for this audience, that meet every condition can be exchanged for secrets of the service account. It takes the scopes and limits of the account itself; a key that ends can't do it.",
  faults: ["not_found", "conflict"],
  body: z.object({
    ...trustFields,
    lifetime_seconds: z
      .int()
      .min(LIFETIME_SECONDS.min)
      .max(LIFETIME_SECONDS.max)
      .default(LIFETIME_SECONDS.usual)
      .describe("How long a secret lives."),
  }),
  response: trustResponseSchema,
  async handle({ services, caller, params, body }) {
    const { lifetime_seconds: lifetimeSeconds, ...draft } = body;
    const trust = await services.identity.serviceAccounts.addTrust(caller, params.id ?? "", {
      ...draft,
      lifetimeSeconds,
    });
    return toTrustResponse(trust);
  },
});

const removeTrust = controlEndpoint({
  method: "DELETE",
  path: "/v1/service-accounts/:id/trusts/:trust",
  permission: "keys.change",
  audit: { action: "service_account.distrust", details: ({ params }) => ({ trust: params.trust }) },
  status: 204,
  tag: TAG,
  summary: "End a trust",
  description: "Secrets that it gave live on until they end by themselves.",
  faults: ["not_found"],
  response: z.null(),
  handle: ({ services, caller, params }) =>
    services.identity.serviceAccounts.removeTrust(caller, params.id ?? "", params.trust ?? ""),
});

const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";

const exchangeToken = publicEndpoint({
  method: "POST",
  path: "/v1/auth/token",
  status: 200,
  tag: TAG,
  summary: "Exchange the token of a workload for a short-lived key",
  description: "OAuth's token exchange (RFC 8693), as a form or as JSON.",
  faults: ["invalid_login", "cross_site"],
  acceptsForm: true,
  body: z.object({
    grant_type: z.literal("urn:ietf:params:oauth:grant-type:token-exchange"),
    subject_token_type: z.enum(["urn:ietf:params:oauth:token-type:jwt", "urn:ietf:params:oauth:token-type:id_token"]),
    subject_token: z.string().min(1).max(16_384),
    service_account: z.string().min(1).max(64).describe("The id of the service account."),
    requested_token_type: z.literal(ACCESS_TOKEN).optional(),
  }),
  response: z.object({
    access_token: z.string().describe("The key."),
    issued_token_type: z.literal(ACCESS_TOKEN),
    token_type: z.literal("Bearer"),
    expires_in: z.number().describe("Seconds."),
  }),
  async handle({ services, body, request }) {
    const { secret, expiresInSeconds, trust, subject } = await services.identity.tokenExchange.exchange(
      body.service_account,
      body.subject_token,
      { address: request.ip },
    );
    await services.identity.auditLog.record({
      accountId: trust.accountId,
      actor: { kind: "service", id: undefined, name: `Workload ${subject ?? ""}`.trim().slice(0, 200) },
      action: "service_account.exchange",
      subjectId: trust.serviceAccountId,
      subjectName: trust.name,
      details: { issuer: trust.issuer },
      address: request.ip,
    });
    return {
      access_token: secret,
      issued_token_type: ACCESS_TOKEN,
      token_type: "Bearer",
      expires_in: expiresInSeconds,
    };
  },
});

export const serviceAccountEndpoints: readonly Endpoint[] = [
  createServiceAccount,
  listServiceAccounts,
  readServiceAccount,
  changeServiceAccount,
  removeServiceAccount,
  listTrusts,
  addTrust,
  removeTrust,
  exchangeToken,
];
