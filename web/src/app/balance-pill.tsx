import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { balanceQuery } from "../api/balance.ts";
import { texts } from "../texts/texts.ts";
import { cx } from "../ui/cx.ts";
import { Money } from "../ui/money.tsx";
import { Skeleton } from "../ui/skeleton.tsx";

/** The balance, and the way to more. What requests have reserved of it is told on the page Billing. */
export function BalancePill({ wide = false }: { readonly wide?: boolean }) {
  const { data, isPending } = useQuery(balanceQuery);
  // Where the balance can't be read, billing says why.
  if (!isPending && data === undefined) return null;
  return (
    <Link
      to="/billing"
      className={cx(
        "flex items-center gap-2 border border-line bg-surface hover:bg-hover",
        wide ? "justify-between rounded-md px-3 py-2" : "rounded-full px-3 py-1 text-sm",
      )}
    >
      <span className={wide ? "text-sm text-muted" : "sr-only"}>{texts.shell.balance}</span>
      {data === undefined ? (
        <Skeleton className="h-4 w-14" />
      ) : (
        <Money credits={data.balance} className={cx("truncate font-medium", data.balance <= 0 && "text-danger")} />
      )}
    </Link>
  );
}
