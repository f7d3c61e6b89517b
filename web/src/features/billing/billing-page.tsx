import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import type { AnswerOf } from "@trunkline/sdk";
import { type ReactNode, useState } from "react";
import { balanceQuery } from "../../api/balance.ts";
import { usePermission, useSession } from "../../api/session.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Card } from "../../ui/card.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Money } from "../../ui/money.tsx";
import { Page } from "../../ui/page.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { Skeleton, SkeletonRows } from "../../ui/skeleton.tsx";
import { AutoTopUpForm } from "./auto-top-up-form.tsx";
import { BalanceCard, BigMoney } from "./balance-card.tsx";
import { BillingDetailsForm } from "./billing-details-form.tsx";
import { BudgetForm } from "./budget-form.tsx";
import { CardForm } from "./card-form.tsx";
import { CreditRequestForm, creditRequestQuery } from "./credit-request-card.tsx";
import { LowBalanceForm } from "./low-balance-form.tsx";
import { OrderNotice } from "./order-notice.tsx";
import { methodsQuery, NO_FILTER, receiptsQuery, statementsQuery, summaryQuery, transactionsQuery } from "./queries.ts";
import { ReceiptsSection, StatementsSection } from "./receipts-and-statements.tsx";
import { RedeemForm } from "./redeem-form.tsx";
import { RecentDeposits } from "./token-deposits.tsx";
import { TokenPaymentDialog } from "./token-payment-dialog.tsx";
import { TransactionsSection } from "./transactions-section.tsx";

const TEXTS = texts.billing.billingPage;

const WalletsSection = lazyPart(() => import("./wallets-section.tsx").then((module) => module.WalletsSection));

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
  if (useIsLoading()) return <SkeletonRows rows={12} label={TEXTS.theBalanceIsLoading} />;
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
          <BudgetForm />
          <LowBalanceForm />
        </div>
        <BillingDetailsForm />
        {features.wallet && <WalletsSection />}
      </div>
    </div>
  );
}

/** Whether something of the upper part is on its way. All of it is shown at once: what comes later would move what is there. */
function useIsLoading(): boolean {
  const { account } = useSession();
  const parts = [
    useQuery(summaryQuery),
    useQuery(methodsQuery),
    useQuery({ ...creditRequestQuery, enabled: !account.operator }),
    useInfiniteQuery(transactionsQuery(NO_FILTER)),
    useInfiniteQuery(receiptsQuery),
    useInfiniteQuery(statementsQuery),
  ];
  return parts.some(({ isLoading }) => isLoading);
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

const NAMES = { code: TEXTS.code, card: TEXTS.card, token: TEXTS.token, request: TEXTS.request } as const;
type Method = AnswerOf<"GET /v1/billing/methods">["data"][number];
/** Besides paying, one can ask the operator. */
type MethodKind = Method["kind"] | "request";

/** The form of each way to add credits, but for cards, whose terms differ. */
const FORMS: Readonly<Record<Exclude<MethodKind, "card">, () => ReactNode>> = {
  token: () => (
    <div className="grid justify-items-start gap-4">
      <TokenPaymentDialog />
      <RecentDeposits />
    </div>
  ),
  code: () => <RedeemForm />,
  request: () => <CreditRequestForm />,
};

function TopUpForm({ kind, method }: { readonly kind: MethodKind; readonly method: Method | undefined }) {
  if (kind !== "card") return FORMS[kind]();
  return method === undefined ? null : <CardForm method={method} />;
}

/** The ways to add credits that the service offers. */
function TopUpCard() {
  const { data } = useQuery(methodsQuery);
  const { account } = useSession();
  const { data: request } = useQuery({ ...creditRequestQuery, enabled: !account.operator });
  const [chosen, setChosen] = useState<MethodKind>();
  const paid: Method[] = (data?.data ?? []).filter(({ available }) => available);
  const canPay = paid.some(({ kind }) => kind !== "code");
  const kinds: MethodKind[] = [...paid.map(({ kind }) => kind), ...(account.operator ? [] : ["request" as const])];
  // Where nothing can be bought, or an answer is waited for, asking comes first.
  const first = request?.state === "open" || (!canPay && !account.operator) ? "request" : kinds[0];
  const kind = kinds.find((known) => known === chosen) ?? first;
  const method = paid.find((known) => known.kind === kind);
  return (
    <Card className="grid min-h-80 content-start gap-4">
      <h2 className="text-lg font-semibold">{TEXTS.addCredits}</h2>
      {data === undefined || kind === undefined ? (
        <Skeleton className="h-9 w-56" />
      ) : (
        <>
          {kinds.length > 1 && (
            <Segmented
              label={TEXTS.payBy}
              value={kind}
              onValueChange={setChosen}
              options={kinds.map((value) => ({ value, label: NAMES[value] }))}
            />
          )}
          <TopUpForm kind={kind} method={method} />
        </>
      )}
    </Card>
  );
}
