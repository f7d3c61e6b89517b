import type { BudgetPeriod } from "./caller.ts";
import type { NanoCredits } from "./money.ts";

/** What instances lease shares of: an account's balance, or the budget of a key or of an account in one period. */
export type FundsPool = BalancePool | BudgetPool | AccountBudgetPool;

export interface BalancePool {
  readonly kind: "balance";
  readonly accountId: string;
}

interface PeriodPool {
  readonly period: BudgetPeriod;
  /** Milliseconds since 1970; undefined for a budget in total, which has no start. */
  readonly startsAt: number | undefined;
  readonly limit: NanoCredits;
}

/** A key's budget. */
export interface BudgetPool extends PeriodPool {
  readonly kind: "budget";
  readonly keyId: string;
  /** undefined: of a single payment, whose account is never moved. */
  readonly accountId?: string;
}

/** What all keys and members of an account may spend together. */
export interface AccountBudgetPool extends PeriodPool {
  readonly kind: "account-budget";
  readonly accountId: string;
}

/** The state of a pool at one moment, according to the ledger. */
export interface FundsPoolState {
  /** What is left to spend, leased or not. */
  readonly total: NanoCredits;
  /** What no instance has leased. Negative where a budget was lowered below what is leased already. */
  readonly unleased: NanoCredits;
  /** What this instance has leased and not yet spent. */
  readonly mine: NanoCredits;
}

/** The pool of an account's balance. */
export function balancePool(accountId: string): BalancePool {
  return { kind: "balance", accountId };
}

/** The lease behind a charge has expired, and its amount can't be leased again. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}
