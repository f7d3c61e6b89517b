import { useSyncExternalStore } from "react";

const NARROW = matchMedia("(max-width: 639.98px)");

function subscribe(listener: () => void): () => void {
  NARROW.addEventListener("change", listener);
  return () => NARROW.removeEventListener("change", listener);
}

/** Whether the window is as narrow as a phone, where a row takes two lines. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => NARROW.matches);
}
