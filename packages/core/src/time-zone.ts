import { LruMap } from "./lru-map.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Whether a text is the name of an IANA time zone. Short names such as IST are refused: the runtime and PostgreSQL read
 * some of them as different zones.
 */
export function isTimeZone(name: string): boolean {
  if (!/^(UTC|GMT|[a-z_]+(\/[a-z0-9_+-]+)+)$/i.test(name) || name.length > 64) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    // The runtime reports an unknown zone only by throwing.
    return false;
  }
}

/** The start of a day, `addDays` later, in a time zone. */
export function startOfDay(date: string, timeZone: string, addDays: number): Date {
  return new Date(startOfLocalDay(Date.parse(`${date}T00:00:00Z`) + addDays * DAY_MS, timeZone));
}

/** The calendar day at a moment in a zone, as that day's midnight in UTC. */
export function localDayAt(moment: number, timeZone: string): number {
  const local = moment + utcOffsetAt(moment, timeZone);
  return local - modulo(local, DAY_MS);
}

/**
 * The first moment at which a zone's calendar shows this day or a later one; the day is given as its midnight in UTC.
 * Zones change their offset: a midnight may occur twice or not at all, and whole days have been skipped.
 */
export function startOfLocalDay(day: number, timeZone: string): number {
  const before = utcOffsetAt(day - DAY_MS, timeZone);
  const after = utcOffsetAt(day + DAY_MS, timeZone);
  const early = day - before;
  if (before === after || utcOffsetAt(early, timeZone) === before) return early;
  const late = day - after;
  if (utcOffsetAt(late, timeZone) === after) return late;
  return findOffsetChange(late, early, after, timeZone);
}

/** When the zone changed to an offset: after `from`, and at `to` at the latest. */
function findOffsetChange(from: number, to: number, offset: number, timeZone: string): number {
  let [low, high] = [from, to];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (utcOffsetAt(middle, timeZone) === offset) high = middle;
    else low = middle;
  }
  return high;
}

/** A zone's offset from UTC at a moment. */
function utcOffsetAt(moment: number, timeZone: string): number {
  const whole = moment - modulo(moment, 1000);
  const parts = formatterFor(timeZone).formatToParts(whole);
  const read = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  const local = Date.UTC(read("year"), read("month") - 1, read("day"), read("hour"), read("minute"), read("second"));
  return local - whole;
}

/** Bounded, since a client can write the name of one zone in many mixtures of upper and lower case. */
const formatters = new LruMap<string, Intl.DateTimeFormat>(1_000);

/** Creating a formatter costs a hundred times as much as using it. */
function formatterFor(timeZone: string): Intl.DateTimeFormat {
  let format = formatters.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    formatters.set(timeZone, format);
  }
  return format;
}

/** The remainder that is never negative, also before 1970. */
function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}

export const INTERVALS = ["hour", "day", "week", "month"] as const;
export type Interval = (typeof INTERVALS)[number];

/** The shortest length of each, apart from hours and days that a clock change shortens. */
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

/** The interval for a chart of a range: not just a few bars, and not hundreds. */
export function pickInterval(fromMs: number, toMs: number): Interval {
  const days = (toMs - fromMs) / DAY_MS;
  if (days <= 3) return "hour";
  if (days <= 100) return "day";
  return days <= 3 * 366 ? "week" : "month";
}

/**
 * The start of each hour, day, week or month of a zone that a range touches, and at the end the end of the last one. A
 * day may have 23 or 25 hours: each hour that passed is listed.
 */
export function bucketEdges(fromMs: number, toMs: number, interval: Interval, timeZone: string): number[] {
  const edges: number[] = [];
  for (const edge of bucketStartsFrom(fromMs, interval, timeZone)) {
    if (edge <= fromMs) edges.length = 0;
    // A day that a zone skipped begins when the next one does.
    if (edge !== edges.at(-1)) edges.push(edge);
    if (edge >= toMs) return edges;
  }
  return edges;
}

function* bucketStartsFrom(fromMs: number, interval: Interval, timeZone: string): Generator<number> {
  if (interval === "hour") return yield* hourStartsFrom(fromMs, timeZone);
  for (let day = firstDayOfBucket(localDayAt(fromMs, timeZone), interval); ; day = nextBucketStart(day, interval)) {
    yield startOfLocalDay(day, timeZone);
  }
}

/**
 * Where a zone changes its offset by less than an hour, the hour around the change is split in two: each begins at a
 * full hour or at the change.
 */
function* hourStartsFrom(fromMs: number, timeZone: string): Generator<number> {
  const intoHour = (moment: number) => modulo(moment + utcOffsetAt(moment, timeZone), HOUR_MS);
  for (let moment = fromMs - intoHour(fromMs); ; moment += HOUR_MS - intoHour(moment)) yield moment;
}

/** Days are represented by their midnights in UTC. Weeks begin on Monday; the first day of 1970 was a Thursday. */
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
