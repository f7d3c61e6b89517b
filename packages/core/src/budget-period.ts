import type { BudgetPeriod } from "./caller.ts";
import { LruMap } from "./lru-map.ts";
import { localDayAt, startOfLocalDay } from "./time-zone.ts";

/** From the start of a period to the start of the next one, in milliseconds since 1970. */
interface Span {
  readonly start: number;
  readonly end: number;
}

type RecurringPeriod = Exclude<BudgetPeriod, "total">;

const MS_PER_DAY = 86_400_000;

/** Start of the period that contains `now`, in a time zone; undefined for a budget in total. Weeks begin on Monday. */
export function startOfPeriod(period: BudgetPeriod, now: number, timeZone: string): number | undefined {
  return period === "total" ? undefined : cachedSpanAround(period, now, timeZone).start;
}

/** End of the period that contains `now`, which is the start of the next one; undefined for a budget in total. */
export function endOfPeriod(period: BudgetPeriod, now: number, timeZone: string): number | undefined {
  return period === "total" ? undefined : cachedSpanAround(period, now, timeZone).end;
}

const cachedSpans = new LruMap<string, Span>(4_000);

/** Computed for every request, and nearly always the same span as before. */
function cachedSpanAround(period: RecurringPeriod, now: number, timeZone: string): Span {
  const name = `${period} ${timeZone}`;
  const known = cachedSpans.get(name);
  if (known !== undefined && known.start <= now && now < known.end) return known;
  const span = computeSpan(period, now, timeZone);
  cachedSpans.set(name, span);
  return span;
}

function computeSpan(period: RecurringPeriod, now: number, timeZone: string): Span {
  const first = firstDayOf(period, localDayAt(now, timeZone));
  const next = firstDayAfter(period, first);
  const end = startOfLocalDay(next, timeZone);
  // When clocks go back across midnight, the old day appears again after the new one has begun.
  if (now >= end) return { start: end, end: startOfLocalDay(firstDayAfter(period, next), timeZone) };
  return { start: startOfLocalDay(first, timeZone), end };
}

/** A day is represented by its midnight in UTC, where every day has 24 hours. */
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

/** The first day of the next period, given the first day of one. */
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
