import { queryOptions } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import type { Offer, Pricing } from "../../api/catalogue.ts";
import { api } from "../../api/client.ts";
import { blendedPrice, isFree } from "../../api/pricing.ts";

export type Overview = AnswerOf<"GET /v1/overview">;

const WHILE_WAITING_MS = 2_500;
const OTHERWISE_MS = 10_000;

/** The account's overview. Polled often until the first request arrives, and not while the tab is hidden. */
export const overviewQuery = (areStepsShown: boolean) =>
  queryOptions({
    queryKey: ["overview"],
    queryFn: ({ signal }) => api.call("GET /v1/overview", { signal }),
    staleTime: 1_000,
    refetchInterval: ({ state }) =>
      areStepsShown && state.data !== undefined && !areStepsDone(state.data) ? WHILE_WAITING_MS : OTHERWISE_MS,
  });

/** Whether nothing is left of the first steps. */
export function areStepsDone({ steps }: Overview): boolean {
  return steps.answer && steps.key && steps.request;
}

/** What a model costs altogether: what its provider asks, where one pays it oneself, and otherwise its price here. */
export function askedPricing({ pricing, provider_pricing: provider }: Offer): Pricing {
  return isFree(pricing) && provider !== null ? provider : pricing;
}

/** A newcomer's first model is a good one, and cheap. */
const GOOD_ENOUGH = 0.8;

/** The models besides the built-in ones that answer a question: the good ones first, and of these the cheap ones. */
export function realOffersOf(offers: readonly Offer[]): readonly Offer[] {
  return offers
    .filter(({ provider, type }) => provider !== "builtin" && (type === "text" || type === "multimodal"))
    .toSorted(
      (one, other) =>
        Number(other.live.available) - Number(one.live.available) ||
        Number(isGood(other)) - Number(isGood(one)) ||
        (blendedPrice(askedPricing(one)) ?? 0) - (blendedPrice(askedPricing(other)) ?? 0) ||
        one.full_name.localeCompare(other.full_name, "en", { numeric: true }),
    );
}

function isGood({ performance }: Offer): boolean {
  return (performance.predicted_quality ?? 0) >= GOOD_ENOUGH;
}

/** The providers that a key can be stored for. */
export const keyProvidersQuery = queryOptions({
  queryKey: ["provider-keys", "providers"],
  queryFn: ({ signal }) => api.call("GET /v1/provider-keys/providers", { signal }),
  staleTime: 300_000,
});

/** The newest requests, read again when there is a newer one. */
export const recentRequestsQuery = (lastId: string) =>
  queryOptions({
    queryKey: ["requests", "recent", lastId],
    queryFn: ({ signal }) => api.call("GET /v1/requests", { query: { limit: 5 }, signal }),
    placeholderData: (before) => before,
  });

/** What each model was used for since a day, read again when there is a newer request. */
export const modelUsageQuery = (from: string, lastId: string) =>
  queryOptions({
    queryKey: ["usage", "models", from, lastId],
    queryFn: ({ signal }) => api.call("GET /v1/usage/breakdown", { query: { group_by: "model", from }, signal }),
    placeholderData: (before) => before,
  });
