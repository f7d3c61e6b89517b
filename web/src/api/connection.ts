import { useSyncExternalStore } from "react";

/** Whether the service answers: by whatever the page asks, and by a look at its health while it asks nothing. */
export type Connection = "up" | "lost";

const QUIET_MS = 10_000;
const LOST_MS = 3_000;

let state: Connection = "up";
let heardAt = Date.now();
const listeners = new Set<() => void>();

/** `fetch`, which also learns whether the service can be reached. */
export const watchedFetch: typeof fetch = async (input, init) => {
  try {
    const response = await fetch(input, init);
    hear("up");
    return response;
  } catch (error) {
    // A call that the page itself ended says nothing of the service.
    if (init?.signal?.aborted !== true) hear("lost");
    throw error;
  }
};

/** Asks the service now. */
export async function checkConnection(): Promise<Connection> {
  try {
    await fetch("/healthz", { cache: "no-store" });
    hear("up");
  } catch {
    hear("lost");
  }
  return state;
}

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, () => state);
}

/** Calls back when the connection is lost, and when it is there again. */
export function onConnectionChange(listener: (connection: Connection) => void): () => void {
  return subscribe(() => listener(state));
}

function hear(heard: Connection): void {
  heardAt = Date.now();
  if (heard === state) return;
  state = heard;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) timer = setInterval(look, 1_000);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
}

let timer: ReturnType<typeof setInterval> | undefined;

function look(): void {
  // Nobody looks at a page in the background.
  if (document.visibilityState === "hidden") return;
  if (Date.now() - heardAt >= (state === "lost" ? LOST_MS : QUIET_MS)) {
    heardAt = Date.now();
    void checkConnection();
  }
}
