import type { Preset, UsageSearch } from "./usage-search.ts";

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

/** What the ranges are called. */
export const PRESET_NAMES: Readonly<Record<Preset, string>> = {
  today: "Today",
  "24h": "Last 24 hours",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
  month: "This month",
  "last-month": "Last month",
  custom: "Custom range",
};

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
