import { queryOptions } from "@tanstack/react-query";
import { api } from "../api/client.ts";

/** What the organisation says of safety, and what follows from it. */
export const policyQuery = queryOptions({
  queryKey: ["safety-policy"],
  queryFn: ({ signal }) => api.call("GET /v1/safety/policy", { signal }),
});
