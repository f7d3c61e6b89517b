import { Link, Outlet, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ArrowUp, ListTree } from "lucide-react";
import { useCallback, useRef, useState } from "react";
import { useZone } from "../../api/settings.ts";
import { texts } from "../../texts/texts.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Page } from "../../ui/page.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Switch } from "../../ui/switch.tsx";
import { useMediaQuery } from "../../ui/use-media-query.ts";
import { ExportButton } from "./export-button.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { RequestList, type RequestListHandle } from "./request-list.tsx";
import { filtersOf, type RequestFilters, searchOf } from "./request-search.ts";
import { FeedContext, useLive, useRequestFeed } from "./use-request-feed.ts";

const TEXTS = texts.requests;

/** Every request as it happened, live, with one of them opened in a sheet. */
export function RequestsPage() {
  const search = filtersOf(useSearch({ from: "/shell/requests" }));
  const { id } = useParams({ strict: false });
  const navigate = useNavigate({ from: "/requests" });
  const { feed, state } = useRequestFeed(search);
  const isNarrow = useMediaQuery("(max-width: 639.98px)");
  const zone = useZone();
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
        title={TEXTS.title}
        description={TEXTS.description}
        width="wide"
        actions={
          <>
            <Switch label={TEXTS.live} checked={isLive} onCheckedChange={setIsLive} />
            <ExportButton search={search} />
          </>
        }
      >
        <div className="grid min-w-0 gap-3">
          <FilterBar search={search} onChange={change} />
          {state.phase === "failed" ? (
            <ErrorState error={state.error} onRetry={() => feed.start()} />
          ) : state.phase === "loading" ? (
            <SkeletonRows rows={10} label={TEXTS.loading} />
          ) : state.rows.length === 0 && !state.hasMore ? (
            <NoRequests isFiltered={isFiltered} onClear={() => change({})} />
          ) : (
            <div className="relative min-w-0">
              <p role="status" className="sr-only">
                {state.waiting > 0 ? TEXTS.newRequests(state.waiting) : ""}
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
                  {TEXTS.newRequests(state.waiting)}
                </Button>
              )}
              <RequestList
                key={isNarrow ? "narrow" : "wide"}
                isNarrow={isNarrow}
                zone={zone}
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
        title={TEXTS.empty.noneFound}
        action={<Button onClick={onClear}>{TEXTS.empty.clear}</Button>}
      >
        {TEXTS.empty.noneFoundText}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<ListTree />}
      title={TEXTS.empty.title}
      action={
        <>
          <Link to="/" className={buttonClass()}>
            {TEXTS.empty.first}
          </Link>
          <Link to="/playground" className={buttonClass("primary")}>
            {TEXTS.empty.playground}
          </Link>
        </>
      }
    >
      {TEXTS.empty.text}
    </EmptyState>
  );
}
