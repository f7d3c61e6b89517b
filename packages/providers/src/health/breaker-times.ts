const FIRST_OPEN_MS = 5_000;
/** With the time of the ramp: whoever is well again is wholly back within half a minute. */
const LONGEST_OPEN_MS = 20_000;
const FIRST_RETRY_MS = 300_000;
const LONGEST_RETRY_MS = 3_600_000;
/** For how long an endpoint may ask to be left alone. */
export const LONGEST_PAUSE_MS = 600_000;

/** So much of a time is left to chance at most, so that many instances do not come back in one moment. */
export const JITTER = 0.2;
/** How long an endpoint that answered again takes to get all of its traffic back, or after how many more answers. */
export const RAMP_MS = 10_000;
export const RAMP_SUCCESSES = 20;
/** With which share it begins. */
export const RAMP_FLOOR = 0.1;

/** How long an endpoint is left alone that failed again after so many openings in a row. */
export function openMsAfter(openings: number): number {
  return Math.min(FIRST_OPEN_MS * 2 ** openings, LONGEST_OPEN_MS);
}

/** How long until one is tried again whose provider refuses us. Nobody mends that in seconds, and each try may count there. */
export function retryMsAfter(tries: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** tries, LONGEST_RETRY_MS);
}

/** Nothing is left alone for longer than this without being tried. */
export function longestOpenMs(isRefused: boolean): number {
  return isRefused ? LONGEST_RETRY_MS * (1 + JITTER) : LONGEST_OPEN_MS;
}
