import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api } from "./client.ts";

/** How good a password is: 0 to 4, and advice where it is not good enough. */
export interface Strength {
  readonly score: number;
  readonly advice: string | null;
}

const PAUSE_MS = 250;

/** Asks the service how good a password is, once the typing pauses. It is not kept, neither there nor here. */
export function usePasswordStrength(
  password: string,
  owner: { readonly email?: string; readonly name?: string },
): Strength | undefined {
  const { data } = useQuery({
    queryKey: ["password-strength", password, owner.email, owner.name],
    queryFn: async ({ signal }) => {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      // The input has changed since, and a newer check is on its way.
      signal.throwIfAborted();
      return api.call("POST /v1/auth/password-strength", { signal, body: { password, ...owner } });
    },
    enabled: password !== "",
    gcTime: 0,
    retry: false,
    placeholderData: keepPreviousData,
  });
  return password === "" ? undefined : data;
}
