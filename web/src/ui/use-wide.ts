import { useSyncExternalStore } from "react";

const WIDE = matchMedia("(min-width: 640px)");

function subscribe(listener: () => void): () => void {
  WIDE.addEventListener("change", listener);
  return () => WIDE.removeEventListener("change", listener);
}

/** Whether the screen is wider than a phone. For content that must not be in the document twice. */
export function useWide(): boolean {
  return useSyncExternalStore(subscribe, () => WIDE.matches);
}
