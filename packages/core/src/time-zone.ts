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
export function utcOffsetAt(moment: number, timeZone: string): number {
  const whole = moment - modulo(moment, 1000);
  const parts = formatterFor(timeZone).formatToParts(whole);
  const read = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  const local = Date.UTC(
    read("year"),
    read("month") - 1,
    read("day"),
    read("hour"),
    read("minute"),
    read("second"),
  );
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
export function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
