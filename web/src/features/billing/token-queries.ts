import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api/client.ts";

/** The rate may follow a market. */
export const tokenQuery = queryOptions({
  queryKey: ["billing", "token"],
  queryFn: ({ signal }) => api.call("GET /v1/billing/token", { signal }),
  refetchInterval: 30_000,
});

/** What is on its way changes with every block. */
export const depositsQuery = queryOptions({
  queryKey: ["billing", "token-deposits"],
  queryFn: ({ signal }) => api.call("GET /v1/billing/token/deposits", { signal, query: { limit: 5 } }),
  refetchInterval: 3_000,
});

export const walletsQuery = queryOptions({
  queryKey: ["billing", "wallets"],
  queryFn: ({ signal }) => api.call("GET /v1/billing/wallets", { signal }),
});
