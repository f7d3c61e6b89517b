import { useRouter } from "@tanstack/react-router";
import { logOut, switchAccount, useSession } from "../api/session.ts";
import { texts } from "../texts/texts.ts";
import { toast } from "../ui/toast.tsx";

/** Switches to another organisation, or logs out. A failure is shown and changes nothing. */
export function useSessionActions(): { goTo: (accountId: string) => void; leave: () => void } {
  const router = useRouter();
  const { account, accounts } = useSession();

  async function go(accountId: string): Promise<void> {
    if (accountId === account.id) return;
    await switchAccount(accountId);
    await router.navigate({ to: "/" });
    await router.invalidate();
    toast({
      title: texts.shell.organisation.switched(
        accounts.find(({ id }) => id === accountId)?.name ?? texts.shell.organisation.another,
      ),
    });
  }

  async function out(): Promise<void> {
    await logOut();
    await router.navigate({ to: "/log-in" });
  }

  return {
    goTo: (accountId) => void go(accountId).catch(showError),
    leave: () => void out().catch(showError),
  };
}

function showError(error: unknown): void {
  toast({ tone: "danger", title: error instanceof Error ? error.message : texts.common.unexpected });
}
