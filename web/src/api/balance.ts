import { queryOptions } from "@tanstack/react-query";
import { api } from "./client.ts";

/** The organisation's balance; what is spent changes it, so it is read again now and then. */
export const balanceQuery = queryOptions({
  queryKey: ["balance"],
  queryFn: ({ signal }) => api.call("GET /v1/balance", { signal }),
  refetchInterval: 60_000,
});
