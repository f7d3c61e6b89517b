import { queryOptions } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { api } from "../../api/client.ts";

export type ServiceAccount = AnswerOf<"GET /v1/service-accounts">["data"][number];
export type WorkloadTrust = AnswerOf<"GET /v1/service-accounts/{id}/trusts">["data"][number];

/** The organisation's service accounts, the newest hundred. */
export const serviceAccountsQuery = queryOptions({
  queryKey: ["service-accounts"],
  queryFn: ({ signal }) => api.call("GET /v1/service-accounts", { signal, query: { limit: 100 } }),
});

/** Whose tokens a service account trusts. */
export const trustsQuery = (id: string) =>
  queryOptions({
    queryKey: ["service-accounts", id, "trusts"],
    queryFn: ({ signal }) => api.call("GET /v1/service-accounts/{id}/trusts", { signal, params: { id } }),
  });
