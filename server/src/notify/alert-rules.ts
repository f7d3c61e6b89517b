import type { EventType } from "@trunkline/core/alerts.ts";
import type { Budget } from "@trunkline/core/caller.ts";
import { divideUp, type NanoCredits, scaleDecimal } from "@trunkline/core/money.ts";
import type { WebhookEvent } from "./webhooks/deliver.ts";

const THRESHOLD_DECIMALS = 6;

/** The thresholds of a budget that are reached. A budget of 0 has none. */
export function thresholdsReached(limit: NanoCredits, spent: NanoCredits, thresholds: readonly number[]): number[] {
  if (limit <= 0n) return [];
  return thresholds.filter((threshold) => {
    const millionths = scaleDecimal(threshold, THRESHOLD_DECIMALS) ?? 0n;
    return millionths > 0n && spent >= divideUp(limit * millionths, 10n ** BigInt(THRESHOLD_DECIMALS));
  });
}

/** The last alerts that an account got for its balance. */
interface BalanceAlertState {
  readonly isLow: boolean;
  readonly isExhausted: boolean;
}

/** An account's balance, with the state of its alerts. */
export interface BalanceStatus extends BalanceAlertState {
  readonly total: NanoCredits;
  /** The threshold of a low balance; undefined: none. */
  readonly mark: NanoCredits | undefined;
  /** The event types that the account's webhooks subscribe to. */
  readonly listens: readonly string[];
}

/**
 * The events to send now, and the alert state after them. An alert without a subscriber stays due until there is one. A
 * subscriber of only `balance.restored` counts as alerted of the exhausted balance.
 */
export function evaluateBalance(status: BalanceStatus): BalanceAlertState & { readonly events: readonly EventType[] } {
  const { total, mark, listens } = status;
  const isSubscribed = (...types: EventType[]) => types.some((type) => listens.includes(type));
  const low = mark !== undefined && total < mark;
  const exhausted = total <= 0n;
  const isLow = low && (status.isLow || isSubscribed("balance.low"));
  const isExhausted = exhausted && (status.isExhausted || isSubscribed("balance.exhausted", "balance.restored"));
  const events: EventType[] = [];
  if (isLow && !status.isLow) events.push("balance.low");
  if (isExhausted && !status.isExhausted) events.push("balance.exhausted");
  if (!exhausted && status.isExhausted) events.push("balance.restored");
  return { isLow, isExhausted, events };
}

/** A budget whose account gets its alerts. */
export interface WatchedBudget {
  /** undefined: it is the account's own budget. */
  readonly keyId: string | undefined;
  readonly keyName: string | undefined;
  readonly accountId: string;
  readonly budget: Budget;
  readonly timeZone: string;
  readonly thresholds: readonly number[];
}

/** One period of a budget, in milliseconds since 1970. A total budget has neither start nor end. */
export interface BudgetWindow extends WatchedBudget {
  readonly startsAt: number | undefined;
  readonly endsAt: number | undefined;
}

/** What was spent of a budget in one period. */
export interface BudgetStatus {
  readonly span: BudgetWindow;
  readonly spent: NanoCredits;
  /** The thresholds that were alerted already. */
  readonly alerted: readonly number[];
}

export interface WatchedBalance extends BalanceStatus {
  readonly accountId: string;
  /** Whether those who look after the account's bills get its alerts by e-mail. */
  readonly mails: boolean;
}

export interface BudgetAlert {
  readonly threshold: number;
  readonly event: WebhookEvent;
}

export interface BalanceAlerts extends BalanceAlertState {
  readonly events: readonly WebhookEvent[];
}

/** The budgets to check. */
export interface AlertSubjects {
  readonly keyIds: readonly string[];
  /** All keys of these accounts, and the accounts themselves. */
  readonly accountIds: readonly string[];
  /** The budgets of these accounts, without those of their keys. */
  readonly ownBudgetsOf?: readonly string[];
}

export interface AlertStore {
  /** Budgets of accounts and of active keys, of accounts that get this type of event by webhook or by e-mail. */
  watchedBudgets(type: EventType, alertSubjects: AlertSubjects | "all"): Promise<WatchedBudget[]>;
  statusOf(spans: readonly BudgetWindow[]): Promise<BudgetStatus[]>;
  /**
   * Puts alerts that were not queued yet into the outbox, and of these the last one by e-mail: of several thresholds that are
   * passed at once, the highest says it all. Returns their thresholds.
   */
  queueBudgetAlerts(span: BudgetWindow, alerts: readonly BudgetAlert[]): Promise<readonly number[]>;
  /** Balances of accounts that subscribe to alerts or got one. Accounts that never had credits are left out. */
  watchedBalances(accountIds: readonly string[] | "all"): Promise<WatchedBalance[]>;
  /** Evaluates the current balance under a lock, and puts the alerts into the outbox. */
  queueBalanceAlerts(
    accountId: string,
    evaluate: (balance: WatchedBalance) => BalanceAlerts,
  ): Promise<readonly WebhookEvent[]>;
}
