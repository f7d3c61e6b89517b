import type { EventType } from "@trunkline/core/alerts.ts";
import type { Budget } from "@trunkline/core/caller.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { BalanceAlertState, BalanceStatus } from "./judge.ts";
import type { WebhookEvent } from "./webhooks/event.ts";

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
