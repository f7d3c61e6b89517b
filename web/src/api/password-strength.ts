import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useDebounced } from "../ui/use-debounced.ts";
import { api } from "./client.ts";

/** How good a password is: 0 to 4, and advice where it is not good enough. */
export interface Strength {
  readonly score: number;
  readonly advice: string | null;
}

/** Asks the service how good a password is, once the typing pauses. It is not kept, neither there nor here. */
export function usePasswordStrength(
  password: string,
  owner: { readonly email?: string; readonly name?: string },
): Strength | undefined {
  const asked = useDebounced(password, 250);
  const { data } = useQuery({
    queryKey: ["password-strength", asked, owner.email, owner.name],
    queryFn: ({ signal }) =>
      api.call("POST /v1/auth/password-strength", { signal, body: { password: asked, ...owner } }),
    enabled: asked !== "",
    gcTime: 0,
    retry: false,
    placeholderData: keepPreviousData,
  });
  return password === "" ? undefined : data;
}
