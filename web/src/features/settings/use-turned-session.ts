import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";

/** Follows the server when it has turned the session to another organisation, or ended it: nothing of the last one is kept. */
export function useTurnedSession(): () => Promise<void> {
  const queries = useQueryClient();
  const router = useRouter();
  return async () => {
    queries.clear();
    await router.navigate({ to: "/" });
    await router.invalidate();
  };
}
