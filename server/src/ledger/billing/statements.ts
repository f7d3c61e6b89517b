import type { NanoCredits } from "@trunkline/core/money.ts";
import { localDayAt, startOfDay } from "@trunkline/core/time-zone.ts";
import { type CostShare, type CreditMovement, receiptsAmong, type StatementsSnapshot } from "./statements-reader.ts";
import { transactionsByDay } from "./transactions.ts";

/** An account's balance and movements in a month. `opening + received - refunded - charged` is `closing`. */
export interface MonthSummary {
  readonly month: string;
  readonly opening: NanoCredits;
  readonly received: NanoCredits;
  /** What was taken back by refunds and disputes. */
  readonly refunded: NanoCredits;
  readonly charged: NanoCredits;
  readonly closing: NanoCredits;
}

/** A month in full. */
interface Statement extends MonthSummary {
  readonly span: { readonly from: Date; readonly to: Date };
  readonly incoming: readonly CreditMovement[];
  readonly outgoing: readonly CreditMovement[];
  readonly byModel: readonly CostShare[];
  readonly byKey: readonly CostShare[];
}

/** The months with any transaction, newest first. */
export async function listMonths(snapshot: StatementsSnapshot): Promise<MonthSummary[]> {
  const months = new Map<string, MonthSummary>();
  let closing = 0n;
  for (const line of transactionsByDay(await snapshot.movements(), await snapshot.dailyCharges())) {
    if (line.type === "charge") continue;
    const month = (line.type === "day" ? line.day.day : line.movement.day).slice(0, 7);
    const summary = months.get(month) ?? { month, opening: closing, received: 0n, refunded: 0n, charged: 0n, closing };
    closing = line.balance;
    const moved = line.type === "movement" ? line.movement.amount : 0n;
    months.set(month, {
      ...summary,
      received: summary.received + (moved > 0n ? moved : 0n),
      refunded: summary.refunded - (moved < 0n ? moved : 0n),
      charged: summary.charged + (line.type === "day" ? line.day.cost : 0n),
      closing,
    });
  }
  return [...months.values()].toReversed();
}

/** One month in full; undefined where it has no transaction. */
export async function readStatement(
  snapshot: StatementsSnapshot,
  month: string,
  timeZone: string,
): Promise<Statement | undefined> {
  const span = monthSpan(month, timeZone);
  const movements = await snapshot.movements();
  const within = movements.filter(({ day }) => day.startsWith(month));
  const [byModel, byKey] = [await snapshot.totalChargedBy("model", span), await snapshot.totalChargedBy("key", span)];
  if (within.length === 0 && byModel.length === 0) return undefined;
  const before = movements.filter(({ day }) => day.slice(0, 7) < month);
  const charged = byModel.reduce((sum, { cost }) => sum + cost, 0n);
  const incoming = receiptsAmong(within);
  const outgoing = within.filter(({ amount }) => amount < 0n);
  const [received, refunded] = [sumMovements(incoming), -sumMovements(outgoing)];
  const opening = sumMovements(before) - (await snapshot.totalCharged({ from: undefined, to: span.from }));
  return {
    month,
    span,
    opening,
    received,
    refunded,
    charged,
    closing: opening + received - refunded - charged,
    incoming,
    outgoing,
    byModel,
    byKey,
  };
}

/** From the first moment of a month in a zone to the first moment after it. */
function monthSpan(month: string, timeZone: string): { readonly from: Date; readonly to: Date } {
  const [year = 0, number = 0] = month.split("-").map(Number);
  const next = new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 10);
  return { from: startOfDay(`${month}-01`, timeZone, 0), to: startOfDay(next, timeZone, 0) };
}

function sumMovements(movements: readonly CreditMovement[]): NanoCredits {
  return movements.reduce((sum, { amount }) => sum + amount, 0n);
}

const WEEK_MS = 7 * 86_400_000;

/** What an account spends, and how long its balance will last. */
interface Spending {
  readonly balance: NanoCredits;
  readonly thisMonth: { readonly month: string; readonly spent: NanoCredits };
  readonly lastMonth: {
    readonly month: string;
    readonly spent: NanoCredits;
    /** What was spent when that month was as old as this one is now. */
    readonly spentByNow: NanoCredits;
  };
  readonly lastWeek: NanoCredits;
  /** At the last week's pace; undefined where nothing was spent in it. */
  readonly runwayDays: number | undefined;
}

/** The spending of this month, the last month and the last week, in a zone. */
export async function readSpending(snapshot: StatementsSnapshot, now: number, timeZone: string): Promise<Spending> {
  const today = new Date(localDayAt(now, timeZone));
  const month = today.toISOString().slice(0, 7);
  const before = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 1, 1)).toISOString().slice(0, 7);
  const [current, last] = [monthSpan(month, timeZone), monthSpan(before, timeZone)];
  const sameAge = last.from.getTime() + (now - current.from.getTime());
  const byNow = new Date(Math.min(sameAge, last.to.getTime()));
  const spentByNow = await snapshot.totalCharged({ from: last.from, to: byNow });
  const balance = await snapshot.balance();
  const lastWeek = await snapshot.totalCharged({ from: new Date(now - WEEK_MS), to: undefined });
  return {
    balance,
    thisMonth: { month, spent: await snapshot.totalCharged({ from: current.from, to: undefined }) },
    lastMonth: {
      month: before,
      spent: spentByNow + (await snapshot.totalCharged({ from: byNow, to: last.to })),
      spentByNow,
    },
    lastWeek,
    // In days, rounded down to a tenth.
    runwayDays: lastWeek === 0n ? undefined : Number((balance * 70n) / lastWeek) / 10,
  };
}
