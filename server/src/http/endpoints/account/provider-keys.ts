import { Secret } from "@trunkline/core/secret.ts";
import type { ProviderKey } from "@trunkline/providers/catalogue/provider-keys.ts";
import { KNOWN_PROVIDERS } from "@trunkline/providers/discovery/known-providers.ts";
import { z } from "zod";
import { credentialSchema } from "../../requests/credential-schema.ts";
import { listPage, pageQuery, pageResponseSchema } from "../../responses/list-response.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";

const providerKeyResponseSchema = z.object({
  id: z.string(),
  provider: z.string(),
  hint: z
    .string()
    .describe("Its last four characters, or those of the name of a cloud's credential; empty where the key is short."),
  fallback: z.boolean(),
  created_at: z.string(),
});

const createProviderKeySchema = z.object({
  provider: z.string().min(1).max(64).describe("One of `GET /v1/provider-keys/providers`."),
  key: credentialSchema.describe(
    "A key, or the JSON of a service account (Vertex AI) or of an Azure resource. Write-only. Encrypted at rest, never shown again.",
  ),
  fallback: z
    .boolean()
    .optional()
    .describe(
      "Whether the service's own key stands in, at the full price, where the provider refuses this one. Default: false.",
    ),
});

const createKey = controlEndpoint({
  method: "POST",
  path: "/v1/provider-keys",
  permission: "settings.change",
  audit: {
    action: "provider_key.create",
    nameOf: (_context, result) => result.provider,
    details: ({ body }) => ({ provider: body.provider, fallback: body.fallback ?? false }),
  },
  status: 201,
  tag: "Provider keys",
  summary: "Store your own key for a provider",
  description:
    "From then on the account's requests to models of that provider are made with it, and cost the service's fee alone. At most 20 an account; several for one provider are tried in turn.",
  faults: ["conflict"],
  body: createProviderKeySchema,
  response: providerKeyResponseSchema,
  handle: async ({ services, caller, body }) =>
    toProviderKeyResponse(
      await services.providers.providerKeys.create(caller, body.provider, new Secret(body.key), body.fallback ?? false),
    ),
});

const listKeys = controlEndpoint({
  method: "GET",
  path: "/v1/provider-keys",
  permission: "settings.read",
  status: 200,
  tag: "Provider keys",
  summary: "List the account's own keys for providers, newest first",
  faults: [],
  query: pageQuery,
  response: pageResponseSchema(providerKeyResponseSchema),
  handle: ({ services, caller, query }) =>
    listPage(
      query,
      (limit, cursor) => services.providers.providerKeys.list(caller, limit, cursor),
      toProviderKeyResponse,
    ),
});

const listProviders = controlEndpoint({
  method: "GET",
  path: "/v1/provider-keys/providers",
  permission: "settings.read",
  status: 200,
  tag: "Provider keys",
  summary: "List the providers that a key can be stored for",
  faults: [],
  response: z.object({
    fee_percent: z.number().describe("What a request under one's own key costs, of the model's price."),
    data: z.array(z.object({ id: z.string(), name: z.string() })),
  }),
  async handle({ services }) {
    const usable = KNOWN_PROVIDERS.filter(({ id }) => services.providers.discovery.canServe(id));
    return {
      fee_percent: services.config.ownKeyFeePpm / 10_000,
      data: usable.map(({ id, name }) => ({ id, name })).sort((one, other) => one.name.localeCompare(other.name, "en")),
    };
  },
});

const deleteKey = controlEndpoint({
  method: "DELETE",
  path: "/v1/provider-keys/:id",
  permission: "settings.change",
  audit: { action: "provider_key.delete" },
  status: 204,
  tag: "Provider keys",
  summary: "Remove one of the account's own keys for a provider",
  description: "Requests that run are finished with it.",
  faults: ["not_found"],
  response: z.null(),
  handle: ({ services, caller, params }) => services.providers.providerKeys.remove(caller, params.id ?? ""),
});

function toProviderKeyResponse({ id, provider, hint, fallback, createdAt }: ProviderKey) {
  return { id, provider, hint, fallback, created_at: createdAt.toISOString() };
}

export const providerKeyEndpoints: readonly Endpoint[] = [createKey, listKeys, listProviders, deleteKey];
