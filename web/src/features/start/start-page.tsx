import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { balanceQuery } from "../../api/balance.ts";
import { useSession } from "../../api/session.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Page } from "../../ui/page.tsx";
import { BalanceWarning } from "./balance-warning.tsx";
import { Figures } from "./figures.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { areStepsDone, type Overview, overviewQuery } from "./overview-query.ts";
import { RecentRequests } from "./recent-requests.tsx";
import { StartSkeleton } from "./start-skeleton.tsx";
import { TopModels } from "./top-models.tsx";
import { useHiddenSteps } from "./use-hidden-steps.ts";

/** The start page: the overview, and the first steps. */
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

  return (
    <Page
      title="Start"
      actions={
        areHidden && data !== undefined && !areStepsDone(data) ? (
          <Button size="sm" onClick={() => setAreHidden(false)}>
            Show the first steps
          </Button>
        ) : undefined
      }
    >
      {data === undefined ? (
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
            <div className="grid min-w-0 items-start gap-6 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
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
