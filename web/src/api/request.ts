import { queryOptions } from "@tanstack/react-query";
import { api } from "./client.ts";

/** All that is known of a request. It does not change once it is over. */
export function requestQuery(id: string) {
  return queryOptions({
    queryKey: ["requests", "one", id],
    queryFn: ({ signal }) => api.call("GET /v1/requests/{id}", { params: { id }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
