import type { NanoCredits } from "@trunkline/core/money.ts";

/** What a provider's models earned. `gross` is what clients paid; `gross` less `net` is the service's fee. */
export interface EarningSums {
  readonly requests: number;
  readonly gross: NanoCredits;
  readonly net: NanoCredits;
}

export interface ModelEarnings extends EarningSums {
  /** With its provider's name. */
  readonly model: string;
}

export const PAYOUT_METHODS = ["bank", "token"] as const;
export type PayoutMethod = (typeof PAYOUT_METHODS)[number];

/** Where earnings are paid to: a bank account's reference, or a wallet's address. */
export interface PayoutDestination {
  readonly method: PayoutMethod;
  readonly destination: string;
  readonly changedAt: Date;
}

/** What a provider is owed now, and on which terms. */
export interface ProviderStanding {
  readonly accountId: string;
  readonly name: string;
  readonly provider: string;
  /** Earned, and not requested yet. */
  readonly payable: NanoCredits;
  /** Requested, and not paid yet. */
  readonly pending: NanoCredits;
  readonly paid: NanoCredits;
  /** The fee that was agreed with this provider; undefined: the service's usual one. */
  readonly feePpm: number | undefined;
  readonly destination: PayoutDestination | undefined;
}

/** A month of a provider. What was owed at its start, and its net earnings, less what was paid, is owed at its end. */
export interface EarningsMonth extends EarningSums {
  /** Such as 2026-01. */
  readonly month: string;
  readonly opening: NanoCredits;
  readonly paid: NanoCredits;
  readonly closing: NanoCredits;
}

/** A movement of a payout's amount, as a month's statement lists it. */
export interface PaidPayout {
  readonly payoutId: string;
  readonly amount: NanoCredits;
  readonly reference: string;
  readonly paidAt: Date;
}

export interface EarningsStatement extends EarningsMonth {
  readonly byModel: readonly ModelEarnings[];
  readonly payouts: readonly PaidPayout[];
}

/** What the store knows of providers' earnings. */
export interface ProviderEarningsStore {
  /**
   * Reads the charges under seals that were not read yet, and moves the providers' shares to what is owed to them.
   * Returns the number of new earnings. One instance at a time does it; the others return 0.
   */
  collect(usualFeePpm: number): Promise<number>;
  standing(accountId: string): Promise<ProviderStanding>;
  /** Providers that are or were owed anything or have terms of their own, by name. */
  list(limit: number, cursor: string | undefined): Promise<ProviderStanding[]>;
  byModel(accountId: string, from: Date, to: Date): Promise<readonly ModelEarnings[]>;
  /** Newest first. */
  months(accountId: string, timeZone: string): Promise<readonly EarningsMonth[]>;
  statement(accountId: string, month: string, timeZone: string): Promise<EarningsStatement | undefined>;
  setDestination(accountId: string, method: PayoutMethod, destination: string): Promise<void>;
  setFee(accountId: string, feePpm: number | undefined): Promise<void>;
}
