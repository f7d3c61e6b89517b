import { queryOptions } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { api } from "../../api/client.ts";

export type ProviderKey = AnswerOf<"GET /v1/provider-keys">["data"][number];

/** The organisation's own keys for providers. There are twenty at most. */
export const providerKeysQuery = queryOptions({
  queryKey: ["provider-keys"],
  queryFn: ({ signal }) => api.call("GET /v1/provider-keys", { signal, query: { limit: 100 } }),
});

/** The providers that a key can be stored for, and what requests under it cost. */
export const keyProvidersQuery = queryOptions({
  queryKey: ["provider-keys", "providers"],
  queryFn: ({ signal }) => api.call("GET /v1/provider-keys/providers", { signal }),
});
