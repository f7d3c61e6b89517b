import { useSyncExternalStore } from "react";

const WIDE = "(min-width: 64rem)";

/** Whether a table fits. Only one form is drawn, instead of both with one hidden. */
export function useIsWide(): boolean {
  return useSyncExternalStore(
    (listener) => {
      const query = matchMedia(WIDE);
      query.addEventListener("change", listener);
      return () => query.removeEventListener("change", listener);
    },
    () => matchMedia(WIDE).matches,
  );
}
