import type { NanoCredits } from "@trunkline/core/money.ts";
import { localDayAt } from "@trunkline/core/time-zone.ts";
import { monthSpan } from "./statements.ts";
import type { StatementsSnapshot } from "./statements-reader.ts";

const WEEK_MS = 7 * 86_400_000;

/** What an account spends, and how long what it has will last. */
export interface Spending {
  readonly balance: NanoCredits;
  readonly thisMonth: { readonly month: string; readonly spent: NanoCredits };
  readonly lastMonth: {
    readonly month: string;
    readonly spent: NanoCredits;
    /** As much of it as was spent when it was as old as this month is now. */
    readonly spentByNow: NanoCredits;
  };
  readonly lastWeek: NanoCredits;
  /** At the last week's pace; undefined where nothing was spent in it. */
  readonly runwayDays: number | undefined;
}

/** Looks at the months around a moment in a zone. */
export async function readSpending(
  page: StatementsSnapshot,
  now: number,
  timeZone: string,
): Promise<Spending> {
  const today = new Date(localDayAt(now, timeZone));
  const month = today.toISOString().slice(0, 7);
  const before = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 1, 1))
    .toISOString()
    .slice(0, 7);
  const [current, last] = [monthSpan(month, timeZone), monthSpan(before, timeZone)];
  const sameAge = last.from.getTime() + (now - current.from.getTime());
  const byNow = new Date(Math.min(sameAge, last.to.getTime()));
  const spentByNow = await page.totalCharged({ from: last.from, to: byNow });
  const balance = await page.balance();
  const lastWeek = await page.totalCharged({ from: new Date(now - WEEK_MS), to: undefined });
  return {
    balance,
    thisMonth: { month, spent: await page.totalCharged({ from: current.from, to: undefined }) },
    lastMonth: {
      month: before,
      spent: spentByNow + (await page.totalCharged({ from: byNow, to: last.to })),
      spentByNow,
    },
    lastWeek,
    // To a tenth of a day, rounded down: it is only ever a guess.
    runwayDays: lastWeek === 0n ? undefined : Number((balance * 70n) / lastWeek) / 10,
  };
}
