import { localDayAt, modulo, startOfLocalDay, utcOffsetAt } from "./time-zone.ts";

export const INTERVALS = ["hour", "day", "week", "month"] as const;
export type Interval = (typeof INTERVALS)[number];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The shortest that each can be, but for hours and days that the clocks cut short. */
const SHORTEST_MS: Readonly<Record<Interval, number>> = {
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 28 * DAY_MS,
};

/** About how many hours, days, weeks or months a range touches, without listing them. */
export function countBuckets(fromMs: number, toMs: number, interval: Interval): number {
  return Math.ceil((toMs - fromMs) / SHORTEST_MS[interval]);
}

/** The interval that makes a picture of a range: neither a handful of bars nor hundreds. */
export function pickInterval(fromMs: number, toMs: number): Interval {
  const days = (toMs - fromMs) / DAY_MS;
  if (days <= 3) return "hour";
  if (days <= 100) return "day";
  return days <= 3 * 366 ? "week" : "month";
}

/**
 * The moments at which the hours, days, weeks or months of a zone begin that a range touches, and last the moment at which
 * the last of them ends. A day may have 23 or 25 hours: whoever asks for hours is given each that went by.
 */
export function bucketEdges(fromMs: number, toMs: number, interval: Interval, timeZone: string): number[] {
  const edges: number[] = [];
  for (const edge of bucketStartsFrom(fromMs, interval, timeZone)) {
    if (edge <= fromMs) edges.length = 0;
    // A day that a zone has left out begins when the next one does.
    if (edge !== edges.at(-1)) edges.push(edge);
    if (edge >= toMs) return edges;
  }
  return edges;
}

function* bucketStartsFrom(fromMs: number, interval: Interval, timeZone: string): Generator<number> {
  if (interval === "hour") return yield* hourStartsFrom(fromMs, timeZone);
  for (
    let day = firstDayOfBucket(localDayAt(fromMs, timeZone), interval);
    ;
    day = nextBucketStart(day, interval)
  ) {
    yield startOfLocalDay(day, timeZone);
  }
}

/** Where a zone moves its clocks by less than an hour, the hour around it is cut in two: each begins at a full hour or at the change. */
function* hourStartsFrom(fromMs: number, timeZone: string): Generator<number> {
  const intoHour = (moment: number) => modulo(moment + utcOffsetAt(moment, timeZone), HOUR_MS);
  for (let moment = fromMs - intoHour(fromMs); ; moment += HOUR_MS - intoHour(moment)) yield moment;
}

/** Days are written as their midnights in UTC. Weeks begin on Monday; the first day of 1970 was a Thursday. */
function firstDayOfBucket(day: number, interval: Interval): number {
  if (interval === "week") return day - modulo(day / DAY_MS + 3, 7) * DAY_MS;
  return interval === "month" ? new Date(day).setUTCDate(1) : day;
}

function nextBucketStart(day: number, interval: Interval): number {
  if (interval === "month") {
    const date = new Date(day);
    return date.setUTCMonth(date.getUTCMonth() + 1);
  }
  return day + (interval === "week" ? 7 : 1) * DAY_MS;
}
