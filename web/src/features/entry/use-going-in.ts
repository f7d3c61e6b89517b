import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { safeNext } from "../../api/safe-next.ts";

/** Goes on once somebody is logged in. Nothing that was known before is kept. */
export function useGoingIn(next?: string): () => void {
  const router = useRouter();
  const queries = useQueryClient();
  return () => {
    queries.clear();
    router.history.push(safeNext(next));
  };
}
