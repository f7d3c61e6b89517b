import { useSyncExternalStore } from "react";
import { useSession } from "./session.ts";

/** A key that was made in this tab, with its secret. */
export interface FreshKey {
  readonly id: string;
  readonly hint: string;
  readonly secret: string;
  /** The organisation it belongs to. */
  readonly accountId: string;
}

let fresh: FreshKey | undefined;
const listeners = new Set<() => void>();

/** Keeps the newest key that was made here, so that samples can be filled in. In memory alone: leaving the page forgets it. */
export function keepFreshKey(key: FreshKey): void {
  fresh = key;
  for (const listener of listeners) listener();
}

/** Forgets a key's secret, as it no longer holds. */
export function dropFreshKey(id: string): void {
  if (fresh?.id !== id) return;
  fresh = undefined;
  for (const listener of listeners) listener();
}

/** The newest key that was made in this tab for the organisation one looks at. */
export function useFreshKey(): FreshKey | undefined {
  const { account } = useSession();
  const kept = useSyncExternalStore(subscribe, () => fresh);
  return kept?.accountId === account.id ? kept : undefined;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
