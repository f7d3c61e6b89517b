import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { balanceQuery } from "../../api/balance.ts";
import { catalogueQuery } from "../../api/catalogue.ts";
import { usePermission, useSession } from "../../api/session.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { formatMoney } from "../../ui/format.ts";
import { Page } from "../../ui/page.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Stat, StatRow } from "../../ui/stat.tsx";
import { Figures } from "./figures.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { areStepsDone, type Overview, overviewQuery } from "./overview-query.ts";
import { RecentRequests } from "./recent-requests.tsx";
import { TopModels } from "./top-models.tsx";

const TEXTS = texts.home;

/** The home page: the overview, and the first steps. */
export function StartPage() {
  const { account } = useSession();
  // Another organisation has steps of its own.
  return <Start key={account.id} accountId={account.id} />;
}

function Start({ accountId }: { readonly accountId: string }) {
  const [areHidden, setAreHidden] = useHiddenSteps(accountId);
  const { data, error, refetch } = useQuery(overviewQuery(!areHidden));
  useFreshBalance(data?.balance);
  const areOpen = useStepsOfThisVisit(data);
  // The steps show models: what comes later would move what is there.
  const { isPending } = useQuery({ ...catalogueQuery, enabled: areOpen && !areHidden });
  const isLoading = data === undefined || (areOpen && !areHidden && isPending);

  return (
    <Page
      title={TEXTS.title}
      actions={
        areHidden && data !== undefined && !areStepsDone(data) ? (
          <Button size="sm" onClick={() => setAreHidden(false)}>
            {TEXTS.showSteps}
          </Button>
        ) : undefined
      }
    >
      {isLoading ? (
        error === null ? (
          <StartSkeleton />
        ) : (
          <ErrorState error={error} onRetry={refetch} />
        )
      ) : (
        <>
          <BalanceWarning overview={data} />
          {areOpen && !areHidden && <FirstSteps overview={data} onHide={() => setAreHidden(true)} />}
          <Figures overview={data} />
          {data.last_request !== null && (
            <div className="grid min-w-0 items-start gap-6 xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
              <RecentRequests lastId={data.last_request.id} />
              <TopModels overview={data} lastId={data.last_request.id} />
            </div>
          )}
        </>
      )}
    </Page>
  );
}

/** The steps are shown until all are done, and stay until the page is left after the last one. */
function useStepsOfThisVisit(overview: Overview | undefined): boolean {
  const [wereOpen, setWereOpen] = useState(false);
  const areLeft = overview !== undefined && !areStepsDone(overview);
  if (areLeft && !wereOpen) setWereOpen(true);
  return wereOpen;
}

/** What the shell shows of the balance must not lag behind what this page has just heard. */
function useFreshBalance(balance: number | undefined): void {
  const client = useQueryClient();
  useEffect(() => {
    if (balance !== undefined) void client.invalidateQueries({ queryKey: balanceQuery.queryKey });
  }, [client, balance]);
}

/** Warns that credits run out. An account that never had any has its first steps instead. */
function BalanceWarning({ overview }: { readonly overview: Overview }) {
  const mayPay = usePermission("billing.change");
  if (!overview.low_balance || !overview.steps.funded) return null;
  const isEmpty = overview.balance <= 0;
  return (
    <Banner
      tone={isEmpty ? "danger" : "warning"}
      title={isEmpty ? TEXTS.balance.empty : TEXTS.balance.low}
      action={
        mayPay ? (
          <Link to="/billing" className={buttonClass("secondary", "sm")}>
            {TEXTS.balance.add}
          </Link>
        ) : undefined
      }
    >
      {isEmpty ? TEXTS.balance.emptyText : TEXTS.balance.lowText(formatMoney(overview.balance))}
      {!mayPay && ` ${TEXTS.balance.ask}`}
    </Banner>
  );
}

/** A placeholder until the figures are there. */
function StartSkeleton() {
  return (
    <div role="status" aria-busy="true" className="grid gap-6">
      <span className="sr-only">{TEXTS.loading}</span>
      <StatRow>
        {[TEXTS.figures.balance, TEXTS.figures.today, TEXTS.figures.month, TEXTS.figures.requests].map((label) => (
          <Stat key={label} label={label} value={undefined} />
        ))}
      </StatRow>
      <Skeleton className="h-64 w-full rounded-lg" />
    </div>
  );
}

/** Whether the first steps of an organisation were hidden on this device. */
function useHiddenSteps(accountId: string): readonly [boolean, (areHidden: boolean) => void] {
  const name = `first-steps-hidden-${accountId}`;
  const [areHidden, setAreHidden] = useState(() => read(name));
  return [
    areHidden,
    (next) => {
      setAreHidden(next);
      keep(name, next);
    },
  ];
}

function read(name: string): boolean {
  try {
    return localStorage.getItem(name) === "yes";
  } catch {
    // Storage can be forbidden; then they are shown.
    return false;
  }
}

function keep(name: string, areHidden: boolean): void {
  try {
    if (areHidden) localStorage.setItem(name, "yes");
    else localStorage.removeItem(name);
  } catch {
    // It holds for this page, at least.
  }
}
