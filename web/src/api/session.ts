import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import { type AnswerOf, ApiError } from "@trunkline/sdk";
import { api } from "./client.ts";
import { queryClient } from "./query-client.ts";

/** Who is logged in, for which organisation, and what they may do. */
export type Session = AnswerOf<"GET /v1/session">;

/** The session as a query; the shell's route loads it before anything else. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: ({ signal }) => api.call("GET /v1/session", { signal }),
  staleTime: 60_000,
});

/** The session. Only inside the shell, where there is one. */
export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data;
}

/** Whether the person may do this here, such as `keys.change`. The server asks again in any case. */
export function usePermission(permission: string): boolean {
  return useSession().powers.includes(permission);
}

/** Goes over to another organisation. Nothing of the last one is kept. */
export async function switchAccount(accountId: string): Promise<void> {
  await api.call("POST /v1/session/account", { body: { account_id: accountId } });
  await followSession();
}

/**
 * Follows the server where the session looks at another organisation now. Whatever is on the screen hears of the new
 * one, and all else is forgotten: a cache that was merely emptied would leave it showing the last one.
 */
export async function followSession(): Promise<void> {
  queryClient.setQueryData(sessionQuery.queryKey, await api.call("GET /v1/session"));
  // The page reads its data again in the background.
  void queryClient.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
}

/** Ends the session, here and on the server. One that has ended already is as good. */
export async function logOut(): Promise<void> {
  try {
    await api.call("DELETE /v1/session");
  } catch (error) {
    if (!isLoggedOut(error)) throw error;
  }
  queryClient.clear();
}

/** Whether the server refused because there is no session. */
export function isLoggedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}
