import { Link, Outlet, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ArrowUp, ListTree } from "lucide-react";
import { useCallback, useRef, useState } from "react";
import { Button, buttonClass } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { formatNumber } from "../../ui/format.ts";
import { Page } from "../../ui/page.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Switch } from "../../ui/switch.tsx";
import { useMediaQuery } from "../../ui/use-media-query.ts";
import { FilterBar } from "./filter-bar.tsx";
import { RequestList, type RequestListHandle } from "./request-list.tsx";
import { filtersOf, type RequestFilters, searchOf } from "./request-search.ts";
import { FeedContext, useLive, useRequestFeed } from "./use-request-feed.ts";

/** Every request as it happened, live, with one of them opened in a sheet. */
export function RequestsPage() {
  const search = filtersOf(useSearch({ from: "/shell/requests" }));
  const { id } = useParams({ strict: false });
  const navigate = useNavigate({ from: "/requests" });
  const { feed, state } = useRequestFeed(search);
  const isNarrow = useMediaQuery("(max-width: 639.98px)");
  const [isLive, setIsLive] = useState(true);
  const list = useRef<RequestListHandle>(null);
  const isHeld = useCallback(() => list.current?.isScrolled() ?? false, []);
  useLive(feed, isLive && search.to === undefined && search.id === undefined, isHeld);

  const isFiltered = Object.keys(search).length > 0;
  const open = (requestId: string) =>
    void navigate({ to: "/requests/$id", params: { id: requestId }, search: (now) => now });
  const change = (next: RequestFilters) => void navigate({ to: "/requests", search: searchOf(next), replace: true });

  return (
    <FeedContext value={feed}>
      <Page
        title="Requests"
        description="Every request, with its way through the line, its cost and what became of it."
        width="wide"
        actions={<Switch label="Live" checked={isLive} onCheckedChange={setIsLive} />}
      >
        <div className="grid min-w-0 gap-3">
          <FilterBar search={search} onChange={change} />
          {state.phase === "failed" ? (
            <ErrorState error={state.error} onRetry={() => feed.start()} />
          ) : state.phase === "loading" ? (
            <SkeletonRows rows={10} label="Loading requests" />
          ) : state.rows.length === 0 && !state.hasMore ? (
            <NoRequests isFiltered={isFiltered} onClear={() => change({})} />
          ) : (
            <div className="relative min-w-0">
              <p role="status" className="sr-only">
                {state.waiting > 0 ? `${state.waiting} new requests` : ""}
              </p>
              {state.waiting > 0 && (
                <Button
                  variant="primary"
                  size="sm"
                  icon={<ArrowUp aria-hidden="true" />}
                  onClick={() => {
                    feed.reveal();
                    list.current?.toTop();
                  }}
                  className="absolute top-12 left-1/2 z-30 -translate-x-1/2 animate-rise rounded-full"
                >
                  {formatNumber(state.waiting)} new
                </Button>
              )}
              <RequestList
                key={isNarrow ? "narrow" : "wide"}
                isNarrow={isNarrow}
                handle={list}
                state={state}
                openId={id}
                onOpen={open}
                onMore={() => void feed.loadMore()}
              />
            </div>
          )}
        </div>
      </Page>
      <Outlet />
    </FeedContext>
  );
}

/** Nothing here yet, or nothing that fits. */
function NoRequests({ isFiltered, onClear }: { readonly isFiltered: boolean; readonly onClear: () => void }) {
  if (isFiltered) {
    return (
      <EmptyState
        icon={<ListTree />}
        title="No request fits these filters"
        action={<Button onClick={onClear}>Clear the filters</Button>}
      >
        Everything there is was searched.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<ListTree />}
      title="No requests yet"
      action={
        <>
          <Link to="/" className={buttonClass()}>
            Send the first one
          </Link>
          <Link to="/playground" className={buttonClass("primary")}>
            Open the playground
          </Link>
        </>
      }
    >
      Every request shows here the moment it is over: which model answered and why, how long each stage took, and what
      it cost.
    </EmptyState>
  );
}
