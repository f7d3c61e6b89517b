import { useQuery } from "@tanstack/react-query";
import { balanceQuery } from "../../api/balance.ts";
import { usePermission } from "../../api/session.ts";
import { Card } from "../../ui/card.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Money } from "../../ui/money.tsx";
import { Page } from "../../ui/page.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { BalanceCard, BigMoney } from "./balance-card.tsx";
import { BillingDetailsForm } from "./billing-details-form.tsx";
import { LowBalanceForm } from "./low-balance-form.tsx";
import { ReceiptsSection, StatementsSection } from "./receipts-and-statements.tsx";
import { TopUpCard } from "./top-up-card.tsx";
import { TransactionsSection } from "./transactions-section.tsx";

/** Billing: the balance, ways to add to it, and everything that came in and was spent. */
export function BillingPage() {
  const mayRead = usePermission("billing.read");
  return (
    <Page title="Billing" description="One prepaid balance pays for every model.">
      {mayRead ? <WholeBilling /> : <BalanceOnly />}
    </Page>
  );
}

function WholeBilling() {
  return (
    <div className="grid gap-10">
      <div className="grid gap-4 lg:grid-cols-[3fr_2fr]">
        <BalanceCard />
        <TopUpCard />
      </div>
      <TransactionsSection />
      <div className="grid items-start gap-x-6 gap-y-10 lg:grid-cols-2">
        <ReceiptsSection />
        <StatementsSection />
      </div>
      <div className="grid items-start gap-x-6 gap-y-10 lg:grid-cols-2">
        <LowBalanceForm />
        <BillingDetailsForm />
      </div>
    </div>
  );
}

/** For those whose role has no say in billing. */
function BalanceOnly() {
  const { data, error, refetch } = useQuery(balanceQuery);
  if (data === undefined && error !== null) return <ErrorState error={error} onRetry={refetch} />;
  return (
    <Card className="max-w-xl">
      <h2 className="text-sm font-normal text-muted">Balance</h2>
      {data === undefined ? (
        <div role="status" aria-busy="true">
          <span className="sr-only">The balance is loading</span>
          <Skeleton className="my-2 h-9 w-56" />
        </div>
      ) : (
        <>
          <BigMoney credits={data.balance} />
          <p className="mt-1 text-muted">
            <Money credits={data.available} className="text-text" /> available
          </p>
        </>
      )}
      <p className="mt-4 border-t border-line pt-4 text-muted">
        Transactions, receipts and top-ups are for owners, admins and the billing role. Ask an owner or admin if you
        need them.
      </p>
    </Card>
  );
}
