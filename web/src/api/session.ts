import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import { ApiError, createClient } from "@trunkline/sdk";
import { queryClient } from "./query-client.ts";

/** Who is logged in, for which organisation, and what they may do. */
export interface Session {
  readonly person: {
    readonly id: string;
    readonly email: string;
    readonly name: string;
    readonly email_verified: boolean;
    readonly has_password: boolean;
    readonly has_totp: boolean;
    readonly passkeys: number;
  };
  readonly account: {
    readonly id: string;
    readonly name: string;
    readonly role: string;
    readonly operator: boolean;
    readonly provider: string | null;
  };
  readonly accounts: readonly {
    readonly id: string;
    readonly name: string;
    readonly role: string;
    readonly operator: boolean;
  }[];
  readonly powers: readonly string[];
  readonly features: {
    readonly mail: boolean;
    readonly sign_up: "open" | "invited" | "closed";
    readonly card: boolean;
  };
}

/** Until the table of operations has the session, its three calls are typed here by hand. */
interface SessionClient {
  call(name: "GET /v1/session", input?: { signal?: AbortSignal }): Promise<Session>;
  call(name: "POST /v1/session/account", input: { body: { account_id: string } }): Promise<unknown>;
  call(name: "DELETE /v1/session"): Promise<unknown>;
}

const sessions = createClient() as SessionClient;

/** The session as a query; the shell's route loads it before anything else. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: ({ signal }) => sessions.call("GET /v1/session", { signal }),
  staleTime: 60_000,
});

/** The session. Only inside the shell, where there is one. */
export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data;
}

/** Whether the person may do this here, such as `keys.change`. The server asks again in any case. */
export function usePower(power: string): boolean {
  return useSession().powers.includes(power);
}

/** Goes over to another organisation. Nothing of the last one is kept. */
export async function switchAccount(accountId: string): Promise<void> {
  await sessions.call("POST /v1/session/account", { body: { account_id: accountId } });
  queryClient.clear();
}

/** Ends the session, here and on the server. One that has ended already is as good. */
export async function logOut(): Promise<void> {
  try {
    await sessions.call("DELETE /v1/session");
  } catch (error) {
    if (!isLoggedOut(error)) throw error;
  }
  queryClient.clear();
}

/** Whether the server refused because nobody is logged in. */
export function isLoggedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}
