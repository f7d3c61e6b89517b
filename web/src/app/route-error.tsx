import { useQueryErrorResetBoundary } from "@tanstack/react-query";
import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { ErrorState } from "../ui/error-state.tsx";

/** What a page shows where it broke; the shell around it stays. */
export function RouteError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const { reset: resetQueries } = useQueryErrorResetBoundary();
  return (
    <div className="mx-auto w-full max-w-3xl p-4">
      <ErrorState
        error={error}
        title="This page could not be shown"
        onRetry={() => {
          resetQueries();
          reset();
          void router.invalidate();
        }}
      />
    </div>
  );
}
