import { useSyncExternalStore } from "react";

const WIDE = matchMedia("(min-width: 640px)");

function subscribe(listener: () => void): () => void {
  WIDE.addEventListener("change", listener);
  return () => WIDE.removeEventListener("change", listener);
}

/** Whether there is room for more than a phone shows: for what must not stand twice in the document. */
export function useWide(): boolean {
  return useSyncExternalStore(subscribe, () => WIDE.matches);
}
