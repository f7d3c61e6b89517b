import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { type Shares, weightsOf } from "./weights.ts";

/** How far one may look back. */
export const LOOK_BACKS = ["200", "7", "30", "90"] as const;
export type LookBack = (typeof LOOK_BACKS)[number];

function spanOf(lookBack: LookBack): { readonly last: number } | { readonly days: number } {
  return lookBack === "200" ? { last: 200 } : { days: Number(lookBack) };
}

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
export function reportQuery(shares: Shares, lookBack: LookBack) {
  return queryOptions({
    queryKey: ["routing-report", shares, lookBack],
    queryFn: ({ signal }) =>
      api.call("GET /v1/routing/report", { query: { ...spanOf(lookBack), ...weightsOf(shares) }, signal }),
    placeholderData: keepPreviousData,
  });
}

/** What the account's cheapest choice asks of a model's quality; null: what the service asks. */
export const floorQuery = queryOptions({
  queryKey: ["routing-floor"],
  queryFn: ({ signal }) => api.call("GET /v1/routing/floor", { signal }),
});

/** Whether the router learns from the account's outcomes, and from anyone's. */
export const learningQuery = queryOptions({
  queryKey: ["routing-learning"],
  queryFn: ({ signal }) => api.call("GET /v1/routing/learning", { signal }),
});
