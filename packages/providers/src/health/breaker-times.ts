const FIRST_OPEN_MS = 5_000;
/** With the time of the ramp: whoever is well again is wholly back within half a minute. */
const OPEN_MS_MAX = 20_000;
const FIRST_OUTAGE_RETRY_MS = 300_000;
const OUTAGE_RETRY_MS_MAX = 3_600_000;
/** For how long an endpoint may ask to be left alone. */
export const PAUSE_MS_MAX = 600_000;

/** So much of a time is left to chance at most, so that many instances do not come back in one moment. */
export const JITTER = 0.2;
/** How long an endpoint that answered again takes to get all of its traffic back, or after how many more answers. */
export const RAMP_MS = 10_000;
export const RAMP_SUCCESSES = 20;
/** With which share it begins. */
export const RAMP_FLOOR = 0.1;

/** How long an endpoint is left alone that failed again after so many openings in a row. */
export function openMsFor(openings: number): number {
  return Math.min(FIRST_OPEN_MS * 2 ** openings, OPEN_MS_MAX);
}

/** How long until one is tried again whose provider refuses us. Nobody mends that in seconds, and each try may count there. */
export function outageRetryMsFor(tries: number): number {
  return Math.min(FIRST_OUTAGE_RETRY_MS * 2 ** tries, OUTAGE_RETRY_MS_MAX);
}

/** Nothing is left alone for longer than this without being tried. */
export function openMsLimit(isRefused: boolean): number {
  return isRefused ? OUTAGE_RETRY_MS_MAX * (1 + JITTER) : OPEN_MS_MAX;
}
