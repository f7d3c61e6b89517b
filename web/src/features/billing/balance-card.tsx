import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { useEffect } from "react";
import { balanceQuery } from "../../api/balance.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Card } from "../../ui/card.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { formatNumber, formatPercent } from "../../ui/format.ts";
import { Money } from "../../ui/money.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { showMonth } from "./days.ts";
import { summaryQuery } from "./queries.ts";

const TEXTS = texts.billing.balanceCard;

type Summary = AnswerOf<"GET /v1/billing/summary">;

/** What there is, what of it is set aside, what is spent, and how long it lasts. */
export function BalanceCard() {
  const { data, error, refetch } = useQuery(summaryQuery);
  const queries = useQueryClient();
  // The balance in the shell keeps step with the one on this page.
  useEffect(() => {
    if (data === undefined) return;
    const { balance, held, available, currency } = data;
    queries.setQueryData(balanceQuery.queryKey, { balance, held, available, currency });
  }, [data, queries]);
  if (data === undefined && error !== null) return <ErrorState error={error} onRetry={refetch} />;
  return (
    <Card className="grid content-between gap-5">
      <div>
        <h2 className="text-sm font-normal text-muted">{TEXTS.balance}</h2>
        {data === undefined ? (
          <div role="status" aria-busy="true">
            <span className="sr-only">{TEXTS.theBalanceIsLoading}</span>
            <Skeleton className="my-2 h-9 w-56" />
            <Skeleton className="h-4 w-72 max-w-full" />
          </div>
        ) : (
          <>
            <BigMoney credits={data.balance} />
            <p className="mt-1 text-muted">
              <Sentence
                text={TEXTS.availableHeldForRequests}
                parts={{
                  money: <Money credits={data.available} className="text-text" />,
                  money2: <Money credits={data.held} className="text-text" />,
                }}
              />
            </p>
          </>
        )}
      </div>
      <dl className="grid gap-x-6 gap-y-4 border-t border-line pt-4 sm:grid-cols-3">
        <Figure label={TEXTS.spentThisMonth} hint={data && compare(data)}>
          {data && <Money credits={data.this_month.spent} />}
        </Figure>
        <Figure label={data ? TEXTS.spentIn(showMonth(data.last_month.month)) : TEXTS.spentLastMonth}>
          {data && <Money credits={data.last_month.spent} />}
        </Figure>
        <Figure label={TEXTS.lastsFor} hint={data && TEXTS.atThePaceOf}>
          {data && showRunway(data)}
        </Figure>
      </dl>
    </Card>
  );
}

/** An amount in large figures. */
export function BigMoney({ credits }: { readonly credits: number }) {
  return (
    <p className="mt-1 text-[1.75rem] leading-tight sm:text-[2.25rem] font-semibold tracking-tight">
      <Money credits={credits} className="wrap-anywhere" />
    </p>
  );
}

function Figure(props: {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly children: React.ReactNode;
}) {
  return (
    <div className="min-w-0">
      <dt className="text-sm text-muted">{props.label}</dt>
      <dd className="mt-0.5">
        {props.children === undefined ? (
          <Skeleton className="my-1 h-5 w-24" />
        ) : (
          <span className="text-lg font-semibold">{props.children}</span>
        )}
        {props.hint !== undefined && <span className="block text-sm text-muted">{props.hint}</span>}
      </dd>
    </div>
  );
}

/** Beside what was spent when the last month was as old. */
function compare({ this_month: { spent }, last_month: { spent_by_now: before } }: Summary): string {
  if (before === 0) return spent === 0 ? TEXTS.nothingYet : TEXTS.nothingByThisTime;
  if (spent === before) return TEXTS.asMuchAsBy;
  // From ten times on, a factor says more than a percentage.
  if (spent >= 10 * before) return TEXTS.timesAsMuch(formatNumber(Math.round(spent / before)));
  const share = formatPercent(Math.abs(spent - before) / before);
  return spent > before ? TEXTS.more(share) : TEXTS.less(share);
}

function showRunway({ runway_days: days, balance }: Summary): string {
  if (balance === 0) return TEXTS.nothingIsLeft;
  if (days === null) return TEXTS.noSpendingToGo;
  if (days < 1) return TEXTS.lessThanADay;
  if (days > 730) return TEXTS.moreThanYears;
  return TEXTS.aboutDays(Math.floor(days));
}
