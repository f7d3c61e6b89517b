import type { BudgetPeriod } from "../domain/caller.ts";

/** When the running period began; undefined for a budget in total. Weeks begin on Monday. */
export function startOfPeriod(period: BudgetPeriod, now: number, _timeZone: string): number | undefined {
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  switch (period) {
    case "day":
      return Date.UTC(year, month, day);
    case "week":
      return Date.UTC(year, month, day - ((date.getUTCDay() + 6) % 7));
    case "month":
      return Date.UTC(year, month, 1);
    case "total":
      return undefined;
  }
}
