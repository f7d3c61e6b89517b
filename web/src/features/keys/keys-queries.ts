import { infiniteQueryOptions, type QueryClient, queryOptions } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import type { Key } from "./key-draft.ts";

export type KeyState = Key["state"];

/** Which keys are looked at. No state: those that are not revoked. */
export interface KeyFilter {
  readonly q: string | undefined;
  readonly state: KeyState | undefined;
}

const PAGE = 50;

/** The keys, newest first, page by page. Their use grows while one looks. */
export const keysQuery = (filter: KeyFilter) =>
  infiniteQueryOptions({
    queryKey: ["keys", "list", filter],
    queryFn: ({ pageParam, signal }) =>
      api.call("GET /v1/keys", { query: { ...filter, limit: PAGE, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    placeholderData: (before) => before,
    refetchInterval: 30_000,
  });

/** Which scopes the person can give. */
export const scopesQuery = queryOptions({
  queryKey: ["keys", "scopes"],
  queryFn: ({ signal }) => api.call("GET /v1/keys/scopes", { signal }),
  staleTime: 300_000,
});

/** The presets and models a key may be held to. */
export const modelNamesQuery = queryOptions({
  queryKey: ["keys", "models"],
  queryFn: async ({ signal }) => {
    const [presets, models] = await Promise.all([
      api.call("GET /v1/presets", { signal }),
      api.call("GET /v1/models", { signal }),
    ]);
    return [...presets.data.map(({ name }) => ({ name, type: "preset" as const })), ...models];
  },
  staleTime: 60_000,
});

/** What a key was used for since a day: in sum, which the server adds up exactly, or day by day. */
export const keyUsageQuery = (id: string, from: string, grouping: "key" | "day") =>
  queryOptions({
    queryKey: ["usage", "key", id, from, grouping],
    queryFn: ({ signal }) =>
      api.call("GET /v1/usage/breakdown", { query: { group_by: grouping, key: id, from }, signal }),
  });

/** A key's newest requests. */
export const keyRequestsQuery = (id: string) =>
  queryOptions({
    queryKey: ["requests", "key", id],
    queryFn: ({ signal }) => api.call("GET /v1/requests", { query: { key: id, limit: 5 }, signal }),
  });

/** After a change of a key: the lists, and the page that says whether there is one. */
export async function refreshKeys(client: QueryClient): Promise<void> {
  void client.invalidateQueries({ queryKey: ["overview"] });
  await client.invalidateQueries({ queryKey: ["keys", "list"] });
}
