import { useBlocker } from "@tanstack/react-router";
import { texts } from "../texts/texts.ts";
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
      title={texts.common.leaveTitle}
      confirmLabel={texts.common.leave}
      danger
      onConfirm={() => {
        blocker.proceed?.();
        return undefined;
      }}
    >
      {texts.common.leaveHint}
    </ConfirmDialog>
  );
}
