import { useRouter } from "@tanstack/react-router";
import { logOut, switchAccount, useSession } from "../api/session.ts";
import { toast } from "../ui/toast.tsx";

/** The two ways to leave what is shown: to another organisation, or out. A failure is said and changes nothing. */
export function useLeaving(): { goTo: (accountId: string) => void; leave: () => void } {
  const router = useRouter();
  const { account, accounts } = useSession();

  async function go(accountId: string): Promise<void> {
    if (accountId === account.id) return;
    await switchAccount(accountId);
    await router.navigate({ to: "/" });
    await router.invalidate();
    toast({
      title: `You are now in ${accounts.find(({ id }) => id === accountId)?.name ?? "another organisation"}.`,
    });
  }

  async function out(): Promise<void> {
    await logOut();
    await router.navigate({ to: "/log-in" });
  }

  return {
    goTo: (accountId) => void go(accountId).catch(tell),
    leave: () => void out().catch(tell),
  };
}

function tell(error: unknown): void {
  toast({ tone: "danger", title: error instanceof Error ? error.message : "It did not work. Try again." });
}
