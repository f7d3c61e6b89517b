import type { BudgetPeriod } from "./caller.ts";
import { localDayAt, startOfLocalDay } from "./time-zone.ts";

/** From the first moment of a period to the first one after it, in milliseconds since 1970. */
interface Span {
  readonly start: number;
  readonly end: number;
}

type RecurringPeriod = Exclude<BudgetPeriod, "total">;

const MS_PER_DAY = 86_400_000;

/** When the period that holds `now` began in a zone; undefined for a budget in total. Weeks begin on Monday. */
export function startOfPeriod(period: BudgetPeriod, now: number, timeZone: string): number | undefined {
  return period === "total" ? undefined : cachedSpanAround(period, now, timeZone).start;
}

/** When the period that holds `now` ends, which is when the next one begins; undefined for a budget in total. */
export function endOfPeriod(period: BudgetPeriod, now: number, timeZone: string): number | undefined {
  return period === "total" ? undefined : cachedSpanAround(period, now, timeZone).end;
}

const CACHED_SPANS_MAX = 4_000;
const cachedSpans = new Map<string, Span>();

/** Asked for every request, and nearly always for the same span as before. */
function cachedSpanAround(period: RecurringPeriod, now: number, timeZone: string): Span {
  const name = `${period} ${timeZone}`;
  const known = cachedSpans.get(name);
  if (known !== undefined && known.start <= now && now < known.end) return known;
  const span = computeSpan(period, now, timeZone);
  if (cachedSpans.size >= CACHED_SPANS_MAX) cachedSpans.clear();
  cachedSpans.set(name, span);
  return span;
}

function computeSpan(period: RecurringPeriod, now: number, timeZone: string): Span {
  const first = firstDayOf(period, localDayAt(now, timeZone));
  const next = firstDayAfter(period, first);
  const end = startOfLocalDay(next, timeZone);
  // Clocks that go back across midnight show the old day once more after the new one has begun.
  if (now >= end) return { start: end, end: startOfLocalDay(firstDayAfter(period, next), timeZone) };
  return { start: startOfLocalDay(first, timeZone), end };
}

/** Days are written as their midnight in UTC, where every day has 24 hours. */
function firstDayOf(period: RecurringPeriod, day: number): number {
  const date = new Date(day);
  switch (period) {
    case "day":
      return day;
    case "week":
      return day - ((date.getUTCDay() + 6) % 7) * MS_PER_DAY;
    case "month":
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
  }
}

/** The first day of the period that follows the one beginning on this day. */
function firstDayAfter(period: RecurringPeriod, first: number): number {
  const date = new Date(first);
  switch (period) {
    case "day":
      return first + MS_PER_DAY;
    case "week":
      return first + 7 * MS_PER_DAY;
    case "month":
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  }
}
