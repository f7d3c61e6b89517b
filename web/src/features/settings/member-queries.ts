import { infiniteQueryOptions, type QueryClient } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { sessionQuery } from "../../api/session.ts";

const PAGE = 100;

/** The organisation's members, page by page. */
export const membersQuery = infiniteQueryOptions({
  queryKey: ["members"],
  queryFn: ({ signal, pageParam }) =>
    api.call("GET /v1/members", { signal, query: { limit: PAGE, cursor: pageParam } }),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page) => page.next_cursor ?? undefined,
});

/** The invitations that wait, page by page. */
export const invitationsQuery = infiniteQueryOptions({
  queryKey: ["invitations"],
  queryFn: ({ signal, pageParam }) =>
    api.call("GET /v1/invitations", { signal, query: { limit: PAGE, cursor: pageParam } }),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page) => page.next_cursor ?? undefined,
});

/** Reloads the members, and with them what this person may do. */
export async function readPeopleAnew(queries: QueryClient): Promise<void> {
  await Promise.all(
    [membersQuery.queryKey, invitationsQuery.queryKey, sessionQuery.queryKey].map((queryKey) =>
      queries.invalidateQueries({ queryKey }),
    ),
  );
}
