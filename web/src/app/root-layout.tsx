import { useQueryClient } from "@tanstack/react-query";
import { Outlet, useRouterState } from "@tanstack/react-router";
import { WifiOff } from "lucide-react";
import { useEffect, useRef, useSyncExternalStore } from "react";
import { checkConnection, onConnectionChange, useConnection } from "../api/connection.ts";
import { texts } from "../texts/texts.ts";

/** What every page has around it. */
export function RootLayout() {
  useFocusOnNavigation();
  return (
    <>
      <a
        href="#main"
        className="fixed top-2 left-2 z-60 -translate-y-20 rounded-md bg-accent px-3 py-2 font-medium text-on-accent focus:translate-y-0"
      >
        {texts.shell.skipToContent}
      </a>
      <ConnectionBanner />
      <Outlet />
    </>
  );
}

/** After a navigation the focus is on the new page's heading, so that readers begin there. */
function useFocusOnNavigation(): void {
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  const last = useRef(path);
  const seen = useRef<HTMLElement>(null);
  useEffect(() => {
    if (last.current === path) return undefined;
    const isFirst = last.current === undefined;
    last.current = path;
    const focus = () => {
      const heading = document.querySelector<HTMLElement>("h1");
      // The browser itself begins the first page at its top. Where the heading is the one before, only a sheet came or went.
      if (!isFirst && heading !== seen.current) heading?.focus({ preventScroll: true });
      seen.current = heading;
      return heading !== null;
    };
    if (focus()) return undefined;
    // A page that is still being fetched has no heading yet.
    const observer = new MutationObserver(() => {
      if (focus()) observer.disconnect();
    });
    observer.observe(document.body, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [path]);
}

/** Says so while the device or the service can't be reached. */
function ConnectionBanner() {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  const connection = useConnection();
  const client = useQueryClient();
  // What was shown meanwhile may be out of date.
  useEffect(
    () =>
      onConnectionChange((now) => {
        if (now === "up") void client.invalidateQueries();
      }),
    [client],
  );
  const isLost = !isOnline || connection === "lost";
  return (
    <div role="status" className="sticky top-0 z-50">
      {isLost && (
        <p className="flex flex-wrap items-center justify-center gap-x-3 gap-y-1 bg-warning-soft px-4 py-1.5 text-sm font-medium text-warning">
          <WifiOff aria-hidden="true" className="size-4" />
          {isOnline ? texts.shell.connection.lost : texts.shell.connection.offline}
          <button type="button" className="underline underline-offset-3" onClick={() => void checkConnection()}>
            {texts.shell.connection.retry}
          </button>
        </p>
      )}
    </div>
  );
}

function subscribe(listener: () => void): () => void {
  addEventListener("online", listener);
  addEventListener("offline", listener);
  return () => {
    removeEventListener("online", listener);
    removeEventListener("offline", listener);
  };
}
