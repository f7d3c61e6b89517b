import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { api } from "../../api/client.ts";

export type OwnModel = AnswerOf<"GET /v1/provider/models/{name}">;
export type Finding = AnswerOf<"POST /v1/provider/models/{name}/check">["findings"][number];
export type Traffic = AnswerOf<"GET /v1/provider/traffic">;
export type PriceVersion = AnswerOf<"GET /v1/provider/models/{name}/prices">["data"][number];
export type Availability = AnswerOf<"GET /v1/catalogue">["data"][number]["availability"];
export type Compared = AnswerOf<"GET /v1/provider/usage">["data"][number];

const PRICES_SHOWN = 100;
const MODELS_SHOWN = 100;
const DAYS_SHOWN = 20;

export const ownModelsQuery = queryOptions({
  queryKey: ["own-models"],
  queryFn: ({ signal }) => api.call("GET /v1/provider/models", { signal }),
});

export function ownModelQuery(name: string) {
  return queryOptions({
    queryKey: ["own-models", name],
    queryFn: ({ signal }) => api.call("GET /v1/provider/models/{name}", { params: { name }, signal }),
  });
}

/** How a provider's models did in the last 24 hours, by their full names, as all instances saw it. */
export function availabilityQuery(provider: string | null) {
  return queryOptions({
    queryKey: ["catalogue-availability", provider],
    queryFn: async ({ signal }) => {
      const page = await api.call("GET /v1/catalogue", {
        query: { provider: provider ?? undefined, limit: MODELS_SHOWN },
        signal,
      });
      return new Map(page.data.map((model) => [model.full_name, model.availability]));
    },
    enabled: provider !== null,
    refetchInterval: 60_000,
  });
}

/** What clients had of one's models: of the last 30 days by day, or of the last two by hour. */
export function trafficQuery(interval: "day" | "hour", model?: string) {
  return queryOptions({
    queryKey: ["provider-traffic", interval, model ?? null],
    queryFn: ({ signal }) => api.call("GET /v1/provider/traffic", { query: { interval, model }, signal }),
    refetchInterval: 60_000,
  });
}

export function pricesQuery(name: string) {
  return queryOptions({
    queryKey: ["own-models", name, "prices"],
    queryFn: ({ signal }) =>
      api.call("GET /v1/provider/models/{name}/prices", {
        params: { name },
        query: { limit: PRICES_SHOWN },
        signal,
      }),
  });
}

/** Our count of a model beside its provider's, day by day. */
export function comparedQuery(model: string) {
  return infiniteQueryOptions({
    queryKey: ["own-models", model, "compared"],
    queryFn: ({ pageParam, signal }) =>
      api.call("GET /v1/provider/usage", { query: { model, limit: DAYS_SHOWN, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
}

/** The name by which the API knows a model of one's own: the plain one, or the full one where it is declared under another. */
export function refOf({ provider, name }: Pick<OwnModel, "provider" | "name">, own: string | null): string {
  return provider === own ? name : `${provider}/${name}`;
}
