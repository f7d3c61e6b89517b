import type { EventType } from "@trunkline/core/alerts.ts";
import type { Budget } from "@trunkline/core/caller.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { BalanceStand, BalanceTold } from "./judge.ts";
import type { OutgoingEvent } from "./webhooks/event.ts";

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
export interface BudgetSpan extends WatchedBudget {
  readonly startsAt: number | undefined;
  readonly endsAt: number | undefined;
}

/** How it stands with a budget in one period. */
export interface BudgetStand {
  readonly span: BudgetSpan;
  readonly spent: NanoCredits;
  /** The thresholds that were told of already. */
  readonly told: readonly number[];
}

export interface WatchedBalance extends BalanceStand {
  readonly accountId: string;
}

export interface BudgetAlert {
  readonly threshold: number;
  readonly event: OutgoingEvent;
}

export interface BalanceVerdict extends BalanceTold {
  readonly events: readonly OutgoingEvent[];
}

/** What is to be looked at. */
export interface Subjects {
  readonly keyIds: readonly string[];
  /** All keys of these accounts. */
  readonly accountIds: readonly string[];
}

export interface AlertStore {
  /** Budgets of living keys, where somebody listens for this type of event. */
  watchedBudgets(type: EventType, subjects: Subjects | "all"): Promise<WatchedBudget[]>;
  standsOf(spans: readonly BudgetSpan[]): Promise<BudgetStand[]>;
  /** Puts those that were not told yet into the outbox, and says whether there were any. */
  tellOfBudget(span: BudgetSpan, alerts: readonly BudgetAlert[]): Promise<boolean>;
  /** Balances of accounts where somebody listens, or was told something. Those that never had credits are left out. */
  watchedBalances(accountIds: readonly string[] | "all"): Promise<WatchedBalance[]>;
  /** Judges the balance as it is now while nobody else does, and puts what is to be told into the outbox. */
  tellOfBalance(accountId: string, judge: (balance: WatchedBalance) => BalanceVerdict): Promise<boolean>;
}
