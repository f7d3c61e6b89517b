import { Link } from "@tanstack/react-router";
import { usePermission } from "../../api/session.ts";
import { Banner } from "../../ui/banner.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { formatCredits } from "../../ui/format.ts";
import type { Overview } from "./overview-query.ts";

/** Warns that credits run out. An account that never had any has its first steps instead. */
export function BalanceWarning({ overview }: { readonly overview: Overview }) {
  const mayPay = usePermission("billing.change");
  if (!overview.low_balance || !overview.steps.funded) return null;
  const isEmpty = overview.balance <= 0;
  return (
    <Banner
      tone={isEmpty ? "danger" : "warning"}
      title={isEmpty ? "The balance is used up" : "The balance is low"}
      action={
        mayPay ? (
          <Link to="/billing" className={buttonClass("secondary", "sm")}>
            Add credits
          </Link>
        ) : undefined
      }
    >
      {isEmpty
        ? "Requests that cost something are refused until credits are added."
        : `${formatCredits(overview.balance)} left. Requests that cost more than that are refused.`}
      {!mayPay && " An owner, an admin or somebody for billing can add some."}
    </Banner>
  );
}
