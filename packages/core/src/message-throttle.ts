import { type Clock, systemClock } from "./clock.ts";

const REPEAT_AFTER_MS = 60_000;

/**
 * Decides whether a message is logged: the same message, numbers aside, at most once a minute. Otherwise a store that
 * is down would flood the log, and perhaps fill the very disk that the store needs.
 */
export function createMessageThrottle(clock: Clock = systemClock): (message: string) => boolean {
  const loggedAt = new Map<string, number>();
  return (message) => {
    const now = clock.monotonicMs();
    for (const [pattern, at] of loggedAt) if (now - at >= REPEAT_AFTER_MS) loggedAt.delete(pattern);
    const pattern = message.replaceAll(/\d+/g, "#");
    if (loggedAt.has(pattern)) return false;
    loggedAt.set(pattern, now);
    return true;
  };
}
