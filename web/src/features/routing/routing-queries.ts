import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { type Shares, weightsOf } from "./weights.ts";

/** How many requests are looked back at. */
export const LOOK_BACK = 200;

/** The account's strategy and weights. */
export const routingQuery = queryOptions({
  queryKey: ["routing"],
  queryFn: async ({ signal }) => {
    const [{ strategy }, weights] = await Promise.all([
      api.call("GET /v1/routing", { signal }),
      api.call("GET /v1/routing/weights", { signal }),
    ]);
    return { strategy, weights };
  },
});

/** What every strategy would have made of the last requests, `hybrid` by these shares. What was there stays until it is. */
export function reportQuery(shares: Shares) {
  return queryOptions({
    queryKey: ["routing-report", shares],
    queryFn: ({ signal }) =>
      api.call("GET /v1/routing/report", { query: { last: LOOK_BACK, ...weightsOf(shares) }, signal }),
    placeholderData: keepPreviousData,
  });
}
