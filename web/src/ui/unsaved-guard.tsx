import { useBlocker } from "@tanstack/react-router";
import { ConfirmDialog } from "./confirm-dialog.tsx";

/** Asks before changes that were not saved are left behind, on this page and by closing it. */
export function UnsavedGuard({ when }: { readonly when: boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      when && (current.pathname !== next.pathname || JSON.stringify(current.search) !== JSON.stringify(next.search)),
    enableBeforeUnload: () => when,
    withResolver: true,
  });
  return (
    <ConfirmDialog
      open={blocker.status === "blocked"}
      onOpenChange={(open) => {
        if (!open) blocker.reset?.();
      }}
      title="Leave without saving?"
      confirmLabel="Leave"
      danger
      onConfirm={() => {
        blocker.proceed?.();
        return undefined;
      }}
    >
      What you changed on this page is not saved.
    </ConfirmDialog>
  );
}
