import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { AnswerOf, BodyOf } from "@trunkline/sdk";
import { api } from "../../api/client.ts";

export type Webhook = AnswerOf<"GET /v1/webhooks">["data"][number];
export type Delivery = AnswerOf<"GET /v1/webhooks/{id}/deliveries">["data"][number];
export type WebhookEvent = NonNullable<Webhook["events"]>[number];
export type WebhookDraft = BodyOf<"POST /v1/webhooks">;

const PAGE = 20;
const LOOK_AGAIN_MS = 10_000;

/** The organisation's webhooks. There are ten at most. */
export const webhooksQuery = queryOptions({
  queryKey: ["webhooks"],
  queryFn: ({ signal }) => api.call("GET /v1/webhooks", { signal, query: { limit: 100 } }),
});

/** What became of a webhook's events, the newest first. While one waits it is looked at again now and then. */
export function deliveriesQuery(id: string) {
  return infiniteQueryOptions({
    queryKey: ["webhooks", id, "deliveries"],
    queryFn: ({ signal, pageParam }) =>
      api.call("GET /v1/webhooks/{id}/deliveries", {
        signal,
        params: { id },
        query: { limit: PAGE, cursor: pageParam },
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: ({ state }) =>
      state.data?.pages.some((page) => page.data.some((delivery) => delivery.next_attempt_at !== null)) === true
        ? LOOK_AGAIN_MS
        : false,
  });
}
