import { useQuery } from "@tanstack/react-query";
import { Coins, CreditCard } from "lucide-react";
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
import { methodsQuery } from "./queries.ts";
import { ReceiptsSection, StatementsSection } from "./receipts-and-statements.tsx";
import { RedeemForm } from "./redeem-form.tsx";
import { RecentDeposits } from "./token-deposits.tsx";
import { TokenPaymentDialog } from "./token-payment-dialog.tsx";
import { TransactionsSection } from "./transactions-section.tsx";
import { WalletsSection } from "./wallets-section.tsx";

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
  const { data } = useQuery(methodsQuery);
  const takesToken = data?.data.some(({ kind, available }) => kind === "token" && available) === true;
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
        {takesToken && <WalletsSection />}
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

const NAMES = { code: "Code", card: "Card", token: "Token" } as const;
const ICONS = { card: CreditCard, token: Coins } as const;

/** The ways to add credits: what is offered, and quietly what is not. */
function TopUpCard() {
  const { data } = useQuery(methodsQuery);
  const absent = (data?.data ?? []).filter(({ available }) => !available);
  const takesToken = data?.data.some(({ kind, available }) => kind === "token" && available) === true;
  return (
    <Card className="grid content-start gap-4">
      <h2 className="text-lg font-semibold">Add credits</h2>
      <RedeemForm />
      {takesToken && (
        <div className="grid justify-items-start gap-4 border-t border-line pt-4">
          <TokenPaymentDialog />
          <RecentDeposits />
        </div>
      )}
      {absent.length > 0 && (
        <ul className="grid gap-2 border-t border-line pt-4 text-sm text-muted">
          {absent.map(({ kind, reason }) => {
            const Icon = kind === "code" ? Coins : ICONS[kind];
            return (
              <li key={kind} className="flex items-center gap-2.5">
                <Icon aria-hidden="true" className="size-4 shrink-0 text-faint" />
                <span>
                  <span className="font-medium">{NAMES[kind]}</span> — {reason}
                </span>
              </li>
            );
          })}
        </ul>
      )}
    </Card>
  );
}
