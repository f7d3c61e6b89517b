import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "@trunkline/sdk";

const TRIES = 2;

/** The cache of the server's data. Refusals are final; only transient errors are retried. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      retry: (failures, error) => failures < TRIES && mayPass(error),
    },
  },
});

function mayPass(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 502 || error.status === 503);
}
