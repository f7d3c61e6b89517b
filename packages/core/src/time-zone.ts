const MS_PER_DAY = 86_400_000;

/**
 * Whether a text is the name of an IANA zone. Short names such as IST are left out: the runtime and the store take
 * some of them for different zones.
 */
export function isTimeZone(name: string): boolean {
  if (!/^(UTC|GMT|[a-z_]+(\/[a-z0-9_+-]+)+)$/i.test(name) || name.length > 64) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    // The runtime says so only by throwing.
    return false;
  }
}

/** The first moment of a day, `addDays` later, in a time zone. */
export function startOfDay(date: string, timeZone: string, addDays: number): Date {
  return new Date(startOfLocalDay(Date.parse(`${date}T00:00:00Z`) + addDays * MS_PER_DAY, timeZone));
}

/** The calendar's day at a moment in a zone, written as that day's midnight in UTC. */
export function localDayAt(moment: number, timeZone: string): number {
  const local = moment + utcOffsetAt(moment, timeZone);
  return local - modulo(local, MS_PER_DAY);
}

/**
 * The first moment at which a zone's calendar shows this day or a later one; the day is written as its midnight in
 * UTC. Zones move their clocks: a midnight may come twice or not at all, and whole days have been left out.
 */
export function startOfLocalDay(day: number, timeZone: string): number {
  const before = utcOffsetAt(day - MS_PER_DAY, timeZone);
  const after = utcOffsetAt(day + MS_PER_DAY, timeZone);
  const early = day - before;
  if (before === after || utcOffsetAt(early, timeZone) === before) return early;
  const late = day - after;
  if (utcOffsetAt(late, timeZone) === after) return late;
  return findOffsetChange(late, early, after, timeZone);
}

/** When the clocks went over to an offset: after `from`, and at `to` at the latest. */
function findOffsetChange(from: number, to: number, offset: number, timeZone: string): number {
  let [low, high] = [from, to];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (utcOffsetAt(middle, timeZone) === offset) high = middle;
    else low = middle;
  }
  return high;
}

/** How far a zone's clocks are ahead of UTC at a moment. */
function utcOffsetAt(moment: number, timeZone: string): number {
  const whole = moment - modulo(moment, 1000);
  const parts = formatterFor(timeZone).formatToParts(whole);
  const read = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  const local = Date.UTC(read("year"), read("month") - 1, read("day"), read("hour"), read("minute"), read("second"));
  return local - whole;
}

const FORMATTERS_MAX = 1_000;
const formatters = new Map<string, Intl.DateTimeFormat>();

/** Making a format costs a hundred times what using it does, so each zone's is kept. */
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
    // A zone's name can be written in many cases of letters: a bound on memory whatever is sent.
    if (formatters.size >= FORMATTERS_MAX) formatters.clear();
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
  for (let day = firstDayOfBucket(localDayAt(fromMs, timeZone), interval); ; day = nextBucketStart(day, interval)) {
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
