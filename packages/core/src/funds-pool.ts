import type { BudgetPeriod } from "./caller.ts";
import type { NanoCredits } from "./money.ts";

/** What instances lease slices of: an account's balance, or what a key may spend in one period. */
export type FundsPool = BalancePool | BudgetPool;

export interface BalancePool {
  readonly kind: "balance";
  readonly accountId: string;
}

export interface BudgetPool {
  readonly kind: "budget";
  readonly keyId: string;
  readonly period: BudgetPeriod;
  /** Milliseconds since 1970; undefined for a budget in total, which never began. */
  readonly startsAt: number | undefined;
  readonly limit: NanoCredits;
}

/** How a lot stands at one moment, by the books. */
export interface FundsPoolState {
  /** All that is left to spend, leased or not. */
  readonly total: NanoCredits;
  /** What no instance has leased. Below zero where a budget was lowered under what is leased already. */
  readonly unleased: NanoCredits;
  /** What this instance has leased and not spent. */
  readonly mine: NanoCredits;
}

/** The lot that is an account's balance. */
export function balancePool(accountId: string): BalancePool {
  return { kind: "balance", accountId };
}

/** What was leased for a charge is leased no longer, and can't be leased again. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}
