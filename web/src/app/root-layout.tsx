import { Outlet, useRouterState } from "@tanstack/react-router";
import { WifiOff } from "lucide-react";
import { useEffect, useRef, useSyncExternalStore } from "react";

/** What every page has around it. */
export function RootLayout() {
  useFocusOnNavigation();
  return (
    <>
      <a
        href="#main"
        className="fixed top-2 left-2 z-60 -translate-y-20 rounded-md bg-accent px-3 py-2 font-medium text-on-accent focus:translate-y-0"
      >
        Skip to the content
      </a>
      <OfflineBanner />
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

function subscribe(listener: () => void): () => void {
  addEventListener("online", listener);
  addEventListener("offline", listener);
  return () => {
    removeEventListener("online", listener);
    removeEventListener("offline", listener);
  };
}

/** Says so while there is no connection. */
function OfflineBanner() {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  return (
    <div role="status">
      {!isOnline && (
        <p className="flex items-center justify-center gap-2 bg-warning-soft px-4 py-1.5 text-sm font-medium text-warning">
          <WifiOff aria-hidden="true" className="size-4" />
          You are offline. What you see may be out of date.
        </p>
      )}
    </div>
  );
}
