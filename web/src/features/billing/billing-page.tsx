import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import type { AnswerOf } from "@trunkline/sdk";
import { type ReactNode, useState } from "react";
import { balanceQuery } from "../../api/balance.ts";
import { usePermission, useSession } from "../../api/session.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Card } from "../../ui/card.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Money } from "../../ui/money.tsx";
import { Page } from "../../ui/page.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { AutoTopUpForm } from "./auto-top-up-form.tsx";
import { BalanceCard, BigMoney } from "./balance-card.tsx";
import { BillingDetailsForm } from "./billing-details-form.tsx";
import { CardForm } from "./card-form.tsx";
import { LowBalanceForm } from "./low-balance-form.tsx";
import { OrderNotice } from "./order-notice.tsx";
import { methodsQuery } from "./queries.ts";
import { ReceiptsSection, StatementsSection } from "./receipts-and-statements.tsx";
import { RedeemForm } from "./redeem-form.tsx";
import { RecentDeposits } from "./token-deposits.tsx";
import { TokenPaymentDialog } from "./token-payment-dialog.tsx";
import { TransactionsSection } from "./transactions-section.tsx";
import { WalletsSection } from "./wallets-section.tsx";

const TEXTS = texts.billing.billingPage;

/** Billing: the balance, ways to add to it, and everything that came in and was spent. */
export function BillingPage() {
  const mayRead = usePermission("billing.read");
  return (
    <Page title={TEXTS.billing} description={TEXTS.onePrepaidBalancePays}>
      {mayRead ? <WholeBilling /> : <BalanceOnly />}
    </Page>
  );
}

function WholeBilling() {
  const { order } = useSearch({ strict: false });
  const { features } = useSession();
  return (
    <div className="grid grid-cols-1 gap-10">
      {order !== undefined && <OrderNotice id={order} />}
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
        <div className="grid grid-cols-1 gap-10">
          {features.card && <AutoTopUpForm />}
          <LowBalanceForm />
        </div>
        <BillingDetailsForm />
        {features.wallet && <WalletsSection />}
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
      <h2 className="text-sm font-normal text-muted">{TEXTS.balance}</h2>
      {data === undefined ? (
        <div role="status" aria-busy="true">
          <span className="sr-only">{TEXTS.theBalanceIsLoading}</span>
          <Skeleton className="my-2 h-9 w-56" />
        </div>
      ) : (
        <>
          <BigMoney credits={data.balance} />
          <p className="mt-1 text-muted">
            <Sentence
              text={TEXTS.available}
              parts={{ money: <Money credits={data.available} className="text-text" /> }}
            />
          </p>
        </>
      )}
      <p className="mt-4 border-t border-line pt-4 text-muted">{TEXTS.transactionsReceiptsAndTop}</p>
    </Card>
  );
}

const NAMES = { code: TEXTS.code, card: TEXTS.card, token: TEXTS.token } as const;
type Method = AnswerOf<"GET /v1/billing/methods">["data"][number];
type MethodKind = Method["kind"];

/** The form of each way to pay. A way without a form is not shown. */
const FORMS: Readonly<Partial<Record<MethodKind, (method: Method) => ReactNode>>> = {
  card: (method) => <CardForm method={method} />,
  token: () => (
    <div className="grid justify-items-start gap-4">
      <TokenPaymentDialog />
      <RecentDeposits />
    </div>
  ),
  code: () => <RedeemForm />,
};

/** The ways to add credits that the service offers. */
function TopUpCard() {
  const { data } = useQuery(methodsQuery);
  const [chosen, setChosen] = useState<MethodKind>();
  const offered = (data?.data ?? []).filter(({ kind, available }) => available && FORMS[kind] !== undefined);
  const method = offered.find(({ kind }) => kind === chosen) ?? offered[0];
  return (
    <Card className="grid content-start gap-4">
      <h2 className="text-lg font-semibold">{TEXTS.addCredits}</h2>
      {offered.length > 1 && method !== undefined && (
        <Segmented
          label={TEXTS.payBy}
          value={method.kind}
          onValueChange={setChosen}
          options={offered.map(({ kind }) => ({ value: kind, label: NAMES[kind] }))}
        />
      )}
      {method === undefined ? <RedeemForm /> : FORMS[method.kind]?.(method)}
    </Card>
  );
}
