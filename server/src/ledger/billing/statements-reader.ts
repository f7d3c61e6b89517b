import type { NanoCredits } from "@trunkline/core/money.ts";

export const INCOMING_KINDS = ["grant", "redeem"] as const;

/** Credits that came in from outside. */
export interface Incoming {
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
export interface ChargedDay {
  readonly day: string;
  /** How many were answered. */
  readonly requests: number;
  readonly cost: NanoCredits;
}

/** What one request has cost. */
export interface Charge {
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
export interface Span {
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

export interface ChargeFilter extends Span {
  /** Only requests whose id is below this one. */
  readonly below: string | undefined;
}

/** What a part of the requests has cost. */
export interface Share {
  readonly id: string;
  readonly name: string | undefined;
  readonly requests: number;
  readonly cost: NanoCredits;
}

/** An account's books as they are at one moment. Charges count for the moment at which their request arrived. */
export interface BooksPage {
  /** All of it, oldest first. */
  incoming(): Promise<readonly Incoming[]>;
  /** All of them, oldest first. */
  days(): Promise<readonly ChargedDay[]>;
  /** Newest first. */
  charges(filter: ChargeFilter, limit: number): Promise<readonly Charge[]>;
  /** What all requests with ids below this one have cost. */
  chargedBelow(requestId: string): Promise<NanoCredits>;
  charged(span: Span): Promise<NanoCredits>;
  /** Dearest first. */
  chargedBy(part: "model" | "key", span: Span): Promise<readonly Share[]>;
  balance(): Promise<NanoCredits>;
}

export interface BooksStore {
  /** Opens an account's books for `read`, which sees one moment however often it looks. */
  open<Result>(
    account: { readonly accountId: string; readonly timeZone: string },
    read: (page: BooksPage) => Promise<Result>,
  ): Promise<Result>;
}
