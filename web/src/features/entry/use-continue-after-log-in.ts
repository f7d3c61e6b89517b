import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { safeNext } from "../../api/safe-next.ts";

/** Opens the next page after a log-in. All cached data is dropped: it may be of another person. */
export function useContinueAfterLogIn(next?: string): () => void {
  const router = useRouter();
  const queries = useQueryClient();
  return () => {
    queries.clear();
    router.history.push(safeNext(next));
  };
}
