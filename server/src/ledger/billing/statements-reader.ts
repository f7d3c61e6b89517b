import type { IncomingKind, OutgoingKind } from "@trunkline/core/ledger-kinds.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { ChargedUsage } from "@trunkline/core/usage.ts";

/** Credits that came in from outside or were taken back. */
export interface CreditMovement {
  /** The number of the receipt, or of what was taken back: consecutive for each account and year. */
  readonly number: string;
  readonly kind: IncomingKind | OutgoingKind;
  /** Below zero where it was taken back. */
  readonly amount: NanoCredits;
  /** What a grant is for, the hint of the code that was redeemed, or the order that was paid. */
  readonly memo: string;
  readonly createdAt: Date;
  /** The day in the account's zone. */
  readonly day: string;
}

/** The cost of all requests of one day. Days without cost are left out. */
export interface DailyCharge {
  readonly day: string;
  /** The number of answered requests. */
  readonly requests: number;
  readonly cost: NanoCredits;
}

/** The cost of one request. */
export interface RequestCharge extends Pick<ChargedUsage, "inputTokens" | "outputTokens"> {
  readonly requestId: string;
  readonly createdAt: Date;
  readonly day: string;
  readonly model: string | undefined;
  readonly keyId: string;
  readonly keyName: string | undefined;
  readonly cost: NanoCredits;
}

/** From, inclusive, to, exclusive. Undefined: open. */
export interface TimeSpan {
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

export interface ChargeFilter extends TimeSpan {
  /** Only requests whose id is below this one. */
  readonly below: string | undefined;
}

/** The cost of all requests of one model or key. */
export interface CostShare {
  readonly id: string;
  readonly name: string | undefined;
  readonly requests: number;
  readonly cost: NanoCredits;
}

/** An account's ledger at one moment. A charge counts for the time at which its request arrived. */
export interface StatementsSnapshot {
  /** Oldest first. */
  movements(): Promise<readonly CreditMovement[]>;
  /** Oldest first. */
  dailyCharges(): Promise<readonly DailyCharge[]>;
  /** Newest first. */
  charges(filter: ChargeFilter, limit: number): Promise<readonly RequestCharge[]>;
  /** The cost of all requests whose id is below this one. */
  totalChargedBelow(requestId: string): Promise<NanoCredits>;
  totalCharged(timeSpan: TimeSpan): Promise<NanoCredits>;
  /** Most expensive first. */
  totalChargedBy(part: "model" | "key", timeSpan: TimeSpan): Promise<readonly CostShare[]>;
  balance(): Promise<NanoCredits>;
}

/** The movements that have receipts. */
export function receiptsAmong(movements: readonly CreditMovement[]): readonly CreditMovement[] {
  return movements.filter(({ amount }) => amount > 0n);
}

export interface StatementsReader {
  /** Runs `read` on a consistent snapshot of an account's ledger. */
  open<Result>(
    account: { readonly accountId: string; readonly timeZone: string },
    read: (snapshot: StatementsSnapshot) => Promise<Result>,
  ): Promise<Result>;
}
