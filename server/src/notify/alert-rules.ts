import type { EventType } from "@trunkline/core/alerts.ts";
import type { Budget } from "@trunkline/core/caller.ts";
import { divideUp, type NanoCredits, scaleDecimal } from "@trunkline/core/money.ts";
import type { WebhookEvent } from "./webhooks/deliver.ts";

const THRESHOLD_DECIMALS = 6;

/** Which parts of a budget are used up. A budget of nothing has no parts. */
export function thresholdsReached(limit: NanoCredits, spent: NanoCredits, thresholds: readonly number[]): number[] {
  if (limit <= 0n) return [];
  return thresholds.filter((threshold) => {
    const millionths = scaleDecimal(threshold, THRESHOLD_DECIMALS) ?? 0n;
    return millionths > 0n && spent >= divideUp(limit * millionths, 10n ** BigInt(THRESHOLD_DECIMALS));
  });
}

/** What an account was told last of its balance. */
interface BalanceAlertState {
  readonly isLow: boolean;
  readonly isExhausted: boolean;
}

/** How it stands with an account's balance, and with what it was told of it. */
export interface BalanceStatus extends BalanceAlertState {
  readonly total: NanoCredits;
  /** undefined: no balance is low. */
  readonly mark: NanoCredits | undefined;
  /** What somebody listens for. */
  readonly listens: readonly string[];
}

/**
 * What is to be told now, and what is told then. What nobody listens for stays untold until somebody does. Whoever hears
 * only that credits are there again counts as told that there were none.
 */
export function evaluateBalance(stand: BalanceStatus): BalanceAlertState & { readonly events: readonly EventType[] } {
  const { total, mark, listens } = stand;
  const hears = (...types: EventType[]) => types.some((type) => listens.includes(type));
  const low = mark !== undefined && total < mark;
  const exhausted = total <= 0n;
  const isLow = low && (stand.isLow || hears("balance.low"));
  const isExhausted = exhausted && (stand.isExhausted || hears("balance.exhausted", "balance.restored"));
  const events: EventType[] = [];
  if (isLow && !stand.isLow) events.push("balance.low");
  if (isExhausted && !stand.isExhausted) events.push("balance.exhausted");
  if (!exhausted && stand.isExhausted) events.push("balance.restored");
  return { isLow, isExhausted, events };
}

/** The budget of a key whose account listens for it. */
export interface WatchedBudget {
  readonly keyId: string;
  readonly keyName: string;
  readonly accountId: string;
  readonly budget: Budget;
  readonly timeZone: string;
  readonly thresholds: readonly number[];
}

/** One period of a budget, in milliseconds since 1970; one in total has neither beginning nor end. */
export interface BudgetWindow extends WatchedBudget {
  readonly startsAt: number | undefined;
  readonly endsAt: number | undefined;
}

/** How it stands with a budget in one period. */
export interface BudgetStatus {
  readonly span: BudgetWindow;
  readonly spent: NanoCredits;
  /** The thresholds that were told of already. */
  readonly alerted: readonly number[];
}

export interface WatchedBalance extends BalanceStatus {
  readonly accountId: string;
}

export interface BudgetAlert {
  readonly threshold: number;
  readonly event: WebhookEvent;
}

export interface BalanceAlerts extends BalanceAlertState {
  readonly events: readonly WebhookEvent[];
}

/** What is to be looked at. */
export interface AlertSubjects {
  readonly keyIds: readonly string[];
  /** All keys of these accounts. */
  readonly accountIds: readonly string[];
}

export interface AlertStore {
  /** Budgets of living keys, where somebody listens for this type of event. */
  watchedBudgets(type: EventType, alertSubjects: AlertSubjects | "all"): Promise<WatchedBudget[]>;
  statusOf(spans: readonly BudgetWindow[]): Promise<BudgetStatus[]>;
  /** Puts those that were not told yet into the outbox, and says whether there were any. */
  queueBudgetAlerts(span: BudgetWindow, alerts: readonly BudgetAlert[]): Promise<boolean>;
  /** Balances of accounts where somebody listens, or was told something. Those that never had credits are left out. */
  watchedBalances(accountIds: readonly string[] | "all"): Promise<WatchedBalance[]>;
  /** Judges the balance as it is now while nobody else does, and puts what is to be told into the outbox. */
  queueBalanceAlerts(accountId: string, judge: (balance: WatchedBalance) => BalanceAlerts): Promise<boolean>;
}
