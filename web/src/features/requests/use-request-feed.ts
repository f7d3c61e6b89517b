import { createContext, useContext, useEffect, useMemo, useSyncExternalStore } from "react";
import { api } from "../../api/client.ts";
import { type FeedState, RequestFeed } from "./request-feed.ts";
import type { RequestFilters } from "./request-search.ts";

const LIVE_MS = 2_000;

/** The list for what is looked for. Another search is another list. */
export function useRequestFeed(search: RequestFilters): {
  readonly feed: RequestFeed;
  readonly state: FeedState;
} {
  const wanted = JSON.stringify(search);
  const feed = useMemo(
    () =>
      new RequestFeed(
        (query, signal) => api.call("GET /v1/requests", { query, signal }),
        JSON.parse(wanted) as RequestFilters,
      ),
    [wanted],
  );
  useEffect(() => {
    void feed.start();
    return () => feed.stop();
  }, [feed]);
  return { feed, state: useSyncExternalStore(feed.subscribe, feed.state) };
}

/** Polls for new requests every other second while the tab is visible. */
export function useLive(feed: RequestFeed, isLive: boolean, isHeld: () => boolean): void {
  useEffect(() => {
    if (!isLive) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void feed.poll(isHeld());
    }, LIVE_MS);
    return () => clearInterval(timer);
  }, [feed, isLive, isHeld]);
}

/** The list behind the sheet, which knows its neighbours from it. */
export const FeedContext = createContext<RequestFeed | undefined>(undefined);

/** What the list shows, for the sheet in front of it. */
export function useFeedRows(): FeedState["rows"] {
  const feed = useContext(FeedContext);
  if (feed === undefined) throw new Error("A sheet stands in front of a list.");
  return useSyncExternalStore(feed.subscribe, feed.state).rows;
}
