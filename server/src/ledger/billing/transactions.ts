import { firstIdAt, timeOfId } from "@trunkline/core/id.ts";
import { INCOMING_KINDS, OUTGOING_KINDS } from "@trunkline/core/ledger-kinds.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { CreditMovement, DailyCharge, RequestCharge, StatementsSnapshot, TimeSpan } from "./statements-reader.ts";

/** One line of an account's history, with the balance after it. */
export type Transaction = { readonly balance: NanoCredits } & (
  | { readonly type: "movement"; readonly movement: CreditMovement }
  | { readonly type: "day"; readonly day: DailyCharge }
  | { readonly type: "charge"; readonly charge: RequestCharge }
);

export const TRANSACTION_KINDS = ["all", ...INCOMING_KINDS, ...OUTGOING_KINDS, "charge"] as const;
export type TransactionKind = (typeof TRANSACTION_KINDS)[number];

/** Days in the account's zone, both inclusive. */
export interface DayRange {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/**
 * All transactions, oldest first, with the charges of each day as one. A day's charges come after its incoming credits.
 * Each balance is the one before plus the line's amount, and the last is the account's balance.
 */
export function transactionsByDay(movements: readonly CreditMovement[], days: readonly DailyCharge[]): Transaction[] {
  const lines = [
    ...movements.map((movement) => ({
      day: movement.day,
      amount: movement.amount,
      line: { type: "movement" as const, movement },
    })),
    ...days.map((day) => ({ day: day.day, amount: -day.cost, line: { type: "day" as const, day } })),
  ];
  // The sort is stable, so incoming credits stay before the charges of their day.
  lines.sort((a, b) => (a.day < b.day ? -1 : Number(a.day > b.day)));
  let balance = 0n;
  return lines.map(({ amount, line }) => {
    balance += amount;
    return { ...line, balance };
  });
}

/** A page of the history by day, newest first. `cursor` is the `transactionCursor` of the line before. */
export async function listDailyTransactions(
  snapshot: StatementsSnapshot,
  kind: TransactionKind,
  range: DayRange,
  cursor: string | undefined,
  limit: number,
): Promise<Transaction[]> {
  const transactions = transactionsByDay(await snapshot.movements(), await snapshot.dailyCharges()).toReversed();
  const after = cursor === undefined ? -1 : transactions.findIndex((line) => transactionCursor(line) === cursor);
  // The cursor's day may have no line any more if the account's zone changed between two pages. Then the day decides.
  const rest =
    cursor !== undefined && after === -1
      ? transactions.filter((line) => dayOf(line) < cursor)
      : transactions.slice(after + 1);
  return rest.filter((line) => isOfKind(line, kind) && isInDayRange(line, range)).slice(0, limit);
}

/**
 * A page of the history with each charge by itself, newest first by the time of a request's arrival or of the credits.
 * Within one millisecond, credits are older than charges.
 */
export async function listSingleTransactions(
  snapshot: StatementsSnapshot,
  kind: TransactionKind,
  timeSpan: TimeSpan,
  cursor: string | undefined,
  limit: number,
): Promise<Transaction[]> {
  const movements = await snapshot.movements();
  const received = runningSums(movements);
  const bounds = boundsOf(movements, cursor);
  const requestCharges =
    kind === "all" || kind === "charge" ? await snapshot.charges({ ...timeSpan, below: bounds.below }, limit) : [];
  const credits = movements
    .slice(0, bounds.incoming)
    .map((movement, place) => ({ movement, place }))
    .filter(({ movement }) => (kind === "all" || kind === movement.kind) && isInTimeSpan(movement.createdAt, timeSpan))
    .toReversed();
  const lines = mergeByTime(requestCharges, credits).slice(0, limit).toReversed();

  let charged = 0n;
  let before: Date | undefined;
  const transactions: Transaction[] = [];
  for (const [index, line] of lines.entries()) {
    const isLowest = index === 0;
    if (line.type === "charge") {
      const { requestId, cost } = line.charge;
      if (isLowest) charged = await snapshot.totalChargedBelow(requestId);
      charged += cost;
      const upTo = countUpTo(movements, timeOfId(requestId));
      transactions.push({ ...line, balance: (received[upTo] ?? 0n) - charged });
      continue;
    }
    const { createdAt } = line.movement;
    if (isLowest) charged = await snapshot.totalChargedBelow(firstIdAt(createdAt.getTime()));
    // When charges are not listed, those between two lines are summed.
    else if (requestCharges.length === 0) charged += await snapshot.totalCharged({ from: before, to: createdAt });
    before = createdAt;
    transactions.push({
      type: "movement",
      movement: line.movement,
      balance: (received[line.place + 1] ?? 0n) - charged,
    });
  }
  return transactions.toReversed();
}

/** The cursor of the lines after this one. */
export function transactionCursor(line: Transaction): string {
  switch (line.type) {
    case "movement":
      return line.movement.number;
    case "day":
      return line.day.day;
    case "charge":
      return line.charge.requestId;
  }
}

function dayOf(line: Transaction): string {
  return line.type === "day" ? line.day.day : line.type === "movement" ? line.movement.day : line.charge.day;
}

function isOfKind(line: Transaction, kind: TransactionKind): boolean {
  return kind === "all" || (line.type === "movement" ? line.movement.kind : "charge") === kind;
}

function isInDayRange(line: Transaction, { from, to }: DayRange): boolean {
  const day = dayOf(line);
  return (from === undefined || day >= from) && (to === undefined || day <= to);
}

function isInTimeSpan(moment: Date, { from, to }: TimeSpan): boolean {
  return (from === undefined || moment >= from) && (to === undefined || moment < to);
}

/** The sum of the credits before each of them, and of all. */
function runningSums(movements: readonly CreditMovement[]): NanoCredits[] {
  const sums = [0n];
  for (const { amount } of movements) sums.push((sums.at(-1) ?? 0n) + amount);
  return sums;
}

/** The number of credits that came in up to and including a millisecond. */
function countUpTo(movements: readonly CreditMovement[], ms: number): number {
  const later = movements.findIndex(({ createdAt }) => createdAt.getTime() > ms);
  return later === -1 ? movements.length : later;
}

/** The incoming credits and requests that are older than a cursor. */
function boundsOf(
  movements: readonly CreditMovement[],
  cursor: string | undefined,
): { readonly incoming: number; readonly below: string | undefined } {
  if (cursor === undefined) return { incoming: movements.length, below: undefined };
  const place = movements.findIndex(({ number }) => number === cursor);
  const found = movements[place];
  if (found !== undefined) return { incoming: place, below: firstIdAt(found.createdAt.getTime()) };
  return { incoming: countUpTo(movements, timeOfId(cursor)), below: cursor };
}

interface Credit {
  readonly movement: CreditMovement;
  readonly place: number;
}

type Line = { readonly type: "charge"; readonly charge: RequestCharge } | ({ readonly type: "movement" } & Credit);

/** Merges both lists, newest first. */
function mergeByTime(requestCharges: readonly RequestCharge[], credits: readonly Credit[]): Line[] {
  const lines: Line[] = [];
  let [nextCharge, nextCredit] = [0, 0];
  for (;;) {
    const [requestCharge, credit] = [requestCharges[nextCharge], credits[nextCredit]];
    if (requestCharge === undefined && credit === undefined) return lines;
    const isCharge =
      requestCharge !== undefined &&
      (credit === undefined || timeOfId(requestCharge.requestId) >= credit.movement.createdAt.getTime());
    if (isCharge) {
      lines.push({ type: "charge", charge: requestCharge });
      nextCharge += 1;
    } else if (credit !== undefined) {
      lines.push({ type: "movement", ...credit });
      nextCredit += 1;
    }
  }
}
