import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { followSession, isLoggedOut } from "../../api/session.ts";

/** Reads the session again after the server has moved it to another organisation, or ended it. */
export function useReloadSession(): () => Promise<void> {
  const queries = useQueryClient();
  const router = useRouter();
  return async () => {
    try {
      await followSession();
      await router.navigate({ to: "/" });
    } catch (error) {
      if (!isLoggedOut(error)) throw error;
      queries.clear();
      await router.navigate({ to: "/log-in" });
    }
  };
}
