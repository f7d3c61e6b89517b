import type { UsageSearch } from "./usage-search.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** A range as the API takes it. */
export interface AskedRange {
  readonly from?: string;
  readonly to?: string;
  /** Whether what happens now belongs to it, so that it is worth asking again. */
  readonly includesNow: boolean;
}

/** The range that an address means at a moment, in a time zone. Days are asked for as dates, so that the server finds their ends. */
export function rangeOf({ range = "7d", from, to }: UsageSearch, now: number, zone: string): AskedRange {
  const today = dateIn(zone, now);
  const until = (first: string) => ({ from: first, to: today, includesNow: true });
  switch (range) {
    case "today":
      return until(today);
    case "24h":
      return { from: new Date(now - (now % HOUR_MS) - 23 * HOUR_MS).toISOString(), includesNow: true };
    case "7d":
      return until(addDays(today, -6));
    case "30d":
      return until(addDays(today, -29));
    case "90d":
      return until(addDays(today, -89));
    case "12m":
      // The twelve months that end with this one.
      return until(
        `${Number(today.slice(0, 4)) - (today.slice(5, 7) === "12" ? 0 : 1)}-${String((Number(today.slice(5, 7)) % 12) + 1).padStart(2, "0")}-01`,
      );
    case "month":
      return until(`${today.slice(0, 8)}01`);
    case "last-month": {
      const last = addDays(`${today.slice(0, 8)}01`, -1);
      return { from: `${last.slice(0, 8)}01`, to: last, includesNow: false };
    }
    case "custom": {
      const [first = addDays(today, -6), last = today] = [from, to];
      return { from: first, to: last, includesNow: first <= today && last >= today };
    }
  }
}

/** The period before a range, of the same length, to compare with; undefined where it has no beginning. */
export function rangeBefore(search: UsageSearch, now: number, zone: string): AskedRange | undefined {
  const { from, to } = rangeOf(search, now, zone);
  if (from === undefined) return undefined;
  if (from.includes("T")) {
    const start = Date.parse(from);
    return {
      from: new Date(start - (now - start)).toISOString(),
      to: from,
      includesNow: false,
    };
  }
  const { range = "7d" } = search;
  if (range === "month" || range === "last-month") {
    // A month is compared with the one before, as far as it has come.
    const lastDay = addDays(from, -1);
    const days = daysBetween(from, to ?? from);
    const first = `${lastDay.slice(0, 8)}01`;
    const end = range === "last-month" ? lastDay : addDays(first, days);
    return { from: first, to: end > lastDay ? lastDay : end, includesNow: false };
  }
  const days = daysBetween(from, to ?? from) + 1;
  return { from: addDays(from, -days), to: addDays(from, -1), includesNow: false };
}

/** What the month will cost at the pace of its last days; undefined while it is too young to tell. */
export function forecastOf(
  days: readonly { readonly start: string; readonly cost: number }[],
  now: number,
  zone: string,
): number | undefined {
  const today = dateIn(zone, now);
  const month = today.slice(0, 8);
  const past = days.map(({ start, cost }) => ({ day: dateIn(zone, Date.parse(start)), cost }));
  const spent = past.filter(({ day }) => day.startsWith(month)).reduce((sum, { cost }) => sum + cost, 0);
  // Today is not over: the pace is that of the whole days before it.
  const whole = past.filter(({ day }) => day < today).slice(-PACE_DAYS);
  if (whole.length < PACE_DAYS_MIN) return undefined;
  const pace = whole.reduce((sum, { cost }) => sum + cost, 0) / whole.length;
  const ofToday = past.find(({ day }) => day === today)?.cost ?? 0;
  const [year = 0, number = 1] = today.split("-").map(Number);
  const left = new Date(Date.UTC(year, number, 0)).getUTCDate() - Number(today.slice(8));
  return spent + Math.max(0, pace - ofToday) + pace * left;
}

/** The pace is that of the last week, and of three days at least. */
const PACE_DAYS = 7;
const PACE_DAYS_MIN = 3;

/** The first day that a forecast goes by. */
export function forecastStart(now: number, zone: string): string {
  const today = dateIn(zone, now);
  const week = addDays(today, -PACE_DAYS);
  const month = `${today.slice(0, 8)}01`;
  return week < month ? week : month;
}

/** The date that a calendar in a zone shows at a moment. */
export function dateIn(zone: string, at: number): string {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  }).formatToParts(at);
  const read = (type: string) => parts.find((part) => part.type === type)?.value ?? "";
  return `${read("year")}-${read("month")}-${read("day")}`;
}

/** Whether the browser knows a zone by this name. */
export function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    // It says so only by throwing.
    return false;
  }
}

function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

function daysBetween(first: string, last: string): number {
  return Math.round((Date.parse(`${last}T00:00:00Z`) - Date.parse(`${first}T00:00:00Z`)) / DAY_MS);
}
