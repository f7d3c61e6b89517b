import { firstIdAt, timeOfId } from "@trunkline/core/id.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import {
  type DailyCharge,
  INCOMING_KINDS,
  type IncomingCredits,
  type RequestCharge,
  type StatementsSnapshot,
  type TimeSpan,
} from "./statements-reader.ts";

/** One line of an account's history, with what the account had after it. */
export type Transaction = { readonly balance: NanoCredits } & (
  | { readonly type: "incoming"; readonly incoming: IncomingCredits }
  | { readonly type: "day"; readonly day: DailyCharge }
  | { readonly type: "charge"; readonly charge: RequestCharge }
);

export const TRANSACTION_KINDS = ["all", ...INCOMING_KINDS, "charge"] as const;
export type TransactionKind = (typeof TRANSACTION_KINDS)[number];

/** Days in the account's zone, both inclusive. */
export interface DayRange {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/**
 * Everything, oldest first, with the charges of each day as one. A day's charges are booked when it is over: after what came in on
 * it. So each balance is the one before it and what was booked, and the last is what the account has.
 */
export function transactionsByDay(
  incomingCredits: readonly IncomingCredits[],
  days: readonly DailyCharge[],
): Transaction[] {
  const lines = [
    ...incomingCredits.map((one) => ({
      day: one.day,
      amount: one.amount,
      line: { type: "incoming" as const, incoming: one },
    })),
    ...days.map((day) => ({ day: day.day, amount: -day.cost, line: { type: "day" as const, day } })),
  ];
  // The sort keeps the order of equals, and incoming credits were put in front.
  lines.sort((one, other) => (one.day < other.day ? -1 : Number(one.day > other.day)));
  let balance = 0n;
  return lines.map(({ amount, line }) => {
    balance += amount;
    return { ...line, balance };
  });
}

/** A page of the history by day, newest first. A cursor is what `cursorOf` tells of the line before. */
export async function listDailyTransactions(
  page: StatementsSnapshot,
  kind: TransactionKind,
  range: DayRange,
  cursor: string | undefined,
  limit: number,
): Promise<Transaction[]> {
  const booked = transactionsByDay(await page.incoming(), await page.dailyCharges()).toReversed();
  const after = cursor === undefined ? -1 : booked.findIndex((line) => transactionCursor(line) === cursor);
  // A day may have no line any more, as the account's zone was changed between two pages: its place is known all the same.
  const rest =
    cursor !== undefined && after === -1 ? booked.filter((line) => dayOf(line) < cursor) : booked.slice(after + 1);
  return rest.filter((line) => isOfKind(line, kind) && isInDayRange(line, range)).slice(0, limit);
}

/**
 * A page of the history with each charge by itself, newest first: in the order in which requests arrived and credits came in,
 * these before those of the same millisecond.
 */
export async function listSingleTransactions(
  page: StatementsSnapshot,
  kind: TransactionKind,
  timeSpan: TimeSpan,
  cursor: string | undefined,
  limit: number,
): Promise<Transaction[]> {
  const incomingCredits = await page.incoming();
  const received = runningSums(incomingCredits);
  const bounds = boundsOf(incomingCredits, cursor);
  const requestCharges =
    kind === "all" || kind === "charge" ? await page.charges({ ...timeSpan, below: bounds.below }, limit) : [];
  const credits = incomingCredits
    .slice(0, bounds.incoming)
    .map((one, place) => ({ incoming: one, place }))
    .filter(({ incoming: one }) => (kind === "all" || kind === one.kind) && isInTimeSpan(one.createdAt, timeSpan))
    .toReversed();
  const lines = mergeByTime(requestCharges, credits).slice(0, limit).toReversed();

  let charged = 0n;
  let before: Date | undefined;
  const booked: Transaction[] = [];
  for (const [index, line] of lines.entries()) {
    const isLowest = index === 0;
    if (line.type === "charge") {
      const { charge: requestCharge } = line;
      if (isLowest) charged = await page.totalChargedBelow(requestCharge.requestId);
      charged += requestCharge.cost;
      const upTo = countUpTo(incomingCredits, timeOfId(requestCharge.requestId));
      booked.push({ ...line, balance: (received[upTo] ?? 0n) - charged });
      continue;
    }
    const { createdAt } = line.incoming;
    if (isLowest) charged = await page.totalChargedBelow(firstIdAt(createdAt.getTime()));
    // Where charges are not listed, what lies between two lines is summed.
    else if (requestCharges.length === 0) charged += await page.totalCharged({ from: before, to: createdAt });
    before = createdAt;
    booked.push({
      type: "incoming",
      incoming: line.incoming,
      balance: (received[line.place + 1] ?? 0n) - charged,
    });
  }
  return booked.toReversed();
}

/** What names a line for whoever wants those after it. */
export function transactionCursor(line: Transaction): string {
  switch (line.type) {
    case "incoming":
      return line.incoming.number;
    case "day":
      return line.day.day;
    case "charge":
      return line.charge.requestId;
  }
}

function dayOf(line: Transaction): string {
  return line.type === "day" ? line.day.day : line.type === "incoming" ? line.incoming.day : line.charge.day;
}

function isOfKind(line: Transaction, kind: TransactionKind): boolean {
  return kind === "all" || (line.type === "incoming" ? line.incoming.kind : "charge") === kind;
}

function isInDayRange(line: Transaction, { from, to }: DayRange): boolean {
  const day = dayOf(line);
  return (from === undefined || day >= from) && (to === undefined || day <= to);
}

function isInTimeSpan(moment: Date, { from, to }: TimeSpan): boolean {
  return (from === undefined || moment >= from) && (to === undefined || moment < to);
}

/** What had come in before each of them, and in the end. */
function runningSums(incomingCredits: readonly IncomingCredits[]): NanoCredits[] {
  const sums = [0n];
  for (const { amount } of incomingCredits) sums.push((sums.at(-1) ?? 0n) + amount);
  return sums;
}

/** How many came in until a millisecond was over. */
function countUpTo(incomingCredits: readonly IncomingCredits[], ms: number): number {
  const later = incomingCredits.findIndex(({ createdAt }) => createdAt.getTime() > ms);
  return later === -1 ? incomingCredits.length : later;
}

/** How many of the incoming ones, and which requests, lie before a cursor. */
function boundsOf(
  incomingCredits: readonly IncomingCredits[],
  cursor: string | undefined,
): { readonly incoming: number; readonly below: string | undefined } {
  if (cursor === undefined) return { incoming: incomingCredits.length, below: undefined };
  const place = incomingCredits.findIndex(({ number }) => number === cursor);
  const found = incomingCredits[place];
  if (found !== undefined) return { incoming: place, below: firstIdAt(found.createdAt.getTime()) };
  return { incoming: countUpTo(incomingCredits, timeOfId(cursor)), below: cursor };
}

interface Credit {
  readonly incoming: IncomingCredits;
  readonly place: number;
}

type Line = { readonly type: "charge"; readonly charge: RequestCharge } | ({ readonly type: "incoming" } & Credit);

/** Both are newest first, and so is what comes of them. */
function mergeByTime(requestCharges: readonly RequestCharge[], credits: readonly Credit[]): Line[] {
  const lines: Line[] = [];
  let [nextCharge, nextCredit] = [0, 0];
  for (;;) {
    const [requestCharge, credit] = [requestCharges[nextCharge], credits[nextCredit]];
    if (requestCharge === undefined && credit === undefined) return lines;
    const isCharge =
      requestCharge !== undefined &&
      (credit === undefined || timeOfId(requestCharge.requestId) >= credit.incoming.createdAt.getTime());
    if (isCharge) {
      lines.push({ type: "charge", charge: requestCharge });
      nextCharge += 1;
    } else if (credit !== undefined) {
      lines.push({ type: "incoming", ...credit });
      nextCredit += 1;
    }
  }
}
