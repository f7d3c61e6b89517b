import type { NanoCredits } from "@trunkline/core/money.ts";

export const INCOMING_KINDS = ["grant", "redeem"] as const;

/** Credits that came in from outside. */
export interface IncomingCredits {
  /** The receipt's number: consecutive for each account and year. */
  readonly number: string;
  readonly kind: (typeof INCOMING_KINDS)[number];
  readonly amount: NanoCredits;
  /** What a grant is for, or the hint of the code that was redeemed. */
  readonly memo: string;
  readonly createdAt: Date;
  /** The day in the account's zone. */
  readonly day: string;
}

/** What the requests of one day have cost; days without any cost are left out. */
export interface DailyCharge {
  readonly day: string;
  /** How many were answered. */
  readonly requests: number;
  readonly cost: NanoCredits;
}

/** What one request has cost. */
export interface RequestCharge {
  readonly requestId: string;
  readonly createdAt: Date;
  readonly day: string;
  readonly model: string | undefined;
  readonly keyId: string;
  readonly keyName: string | undefined;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: NanoCredits;
}

/** From a moment, inclusive, to another, exclusive; open where there is none. */
export interface TimeSpan {
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

export interface ChargeFilter extends TimeSpan {
  /** Only requests whose id is below this one. */
  readonly below: string | undefined;
}

/** What a part of the requests has cost. */
export interface CostShare {
  readonly id: string;
  readonly name: string | undefined;
  readonly requests: number;
  readonly cost: NanoCredits;
}

/** An account's books as they are at one moment. Charges count for the moment at which their request arrived. */
export interface StatementsSnapshot {
  /** All of it, oldest first. */
  incoming(): Promise<readonly IncomingCredits[]>;
  /** All of them, oldest first. */
  dailyCharges(): Promise<readonly DailyCharge[]>;
  /** Newest first. */
  charges(filter: ChargeFilter, limit: number): Promise<readonly RequestCharge[]>;
  /** What all requests with ids below this one have cost. */
  totalChargedBelow(requestId: string): Promise<NanoCredits>;
  totalCharged(timeSpan: TimeSpan): Promise<NanoCredits>;
  /** Dearest first. */
  totalChargedBy(part: "model" | "key", timeSpan: TimeSpan): Promise<readonly CostShare[]>;
  balance(): Promise<NanoCredits>;
}

export interface StatementsReader {
  /** Opens an account's books for `read`, which sees one moment however often it looks. */
  open<Result>(
    account: { readonly accountId: string; readonly timeZone: string },
    read: (page: StatementsSnapshot) => Promise<Result>,
  ): Promise<Result>;
}
