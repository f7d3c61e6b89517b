import { queryOptions } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { api } from "./client.ts";

/** A model of one provider, with its price, its speed and how it did in the last 24 hours. */
export type Offer = AnswerOf<"GET /v1/catalogue">["data"][number];

export type Pricing = Offer["pricing"];

/** More pages than this are a mistake, not a catalogue. */
const MOST_PAGES = 100;

/** Every model there is, so that search and filters answer at once. */
export const catalogueQuery = queryOptions({
  queryKey: ["catalogue"],
  queryFn: async ({ signal }) => {
    const offers: Offer[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MOST_PAGES; page++) {
      const query = { limit: 100, ...(cursor === undefined ? {} : { cursor }) };
      const { data, next_cursor } = await api.call("GET /v1/catalogue", { query, signal });
      offers.push(...data);
      if (next_cursor === null) break;
      cursor = next_cursor;
    }
    return offers;
  },
  staleTime: 30_000,
  refetchInterval: 60_000,
});

/** All providers of one name, or the one that `provider/name` names. */
export function modelQuery(name: string) {
  return queryOptions({
    queryKey: ["model", name],
    queryFn: ({ signal }) => api.call("GET /v1/models/{name}", { params: { name }, signal }),
    refetchInterval: 60_000,
  });
}
