import { type Clock, systemClock } from "./clock.ts";

const REPEAT_AFTER_MS = 60_000;

/**
 * Tells whether something is worth saying: what happens again and again is news once a minute, whatever the numbers in
 * it. A store that is away would fill the log otherwise, and with it perhaps the very disk whose space it waits for.
 */
export function createMessageThrottle(clock: Clock = systemClock): (words: string) => boolean {
  const saidAt = new Map<string, number>();
  return (words) => {
    const now = clock.monotonicMs();
    for (const [gist, when] of saidAt) if (now - when >= REPEAT_AFTER_MS) saidAt.delete(gist);
    const gist = words.replaceAll(/\d+/g, "#");
    if (saidAt.has(gist)) return false;
    saidAt.set(gist, now);
    return true;
  };
}
