import type { EventType } from "@trunkline/core/alerts.ts";
import type { BudgetPeriod } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { toCredits } from "@trunkline/core/money.ts";
import {
  type AlertStore,
  type BudgetStatus,
  type BudgetWindow,
  evaluateBalance,
  thresholdsReached,
  type WatchedBalance,
  type WatchedBudget,
} from "./alert-rules.ts";
import { createWebhookEvent } from "./webhooks/deliver.ts";

/** A written charge. */
export interface ObservedCharge {
  readonly accountId: string;
  readonly keyId: string;
  readonly cost: bigint;
  /** The request's arrival. The charge counts for that period. */
  readonly createdAt: Date;
}

type PeriodBoundary = (period: BudgetPeriod, now: number, timeZone: string) => number | undefined;

export interface AlertMonitorDependencies {
  readonly store: AlertStore;
  readonly startOfPeriod: PeriodBoundary;
  readonly endOfPeriod: PeriodBoundary;
  readonly clock: Clock;
  /** Called after an event was put into the outbox. */
  readonly onQueued: () => void;
  readonly onError: (error: unknown) => void;
}

const CHECK_DELAY_MS = 1_000;
/** Slow checks run less often: they take at most a tenth of the time. */
const PAUSE_FACTOR = 9;
const PAUSE_MS_MAX = 30_000;
const RETRY_MS = 5_000;
/** How often everything is checked. An instance that died may have left charges unchecked. */
const FULL_CHECK_MS = 5 * 60_000;
/** How long after its end a full check still covers a period: alerts for its last charges may be missing. */
const CLOSED_PERIOD_GRACE_MS = 60 * 60_000;
const STATUS_BATCH_SIZE = 500;

/** What the next check covers. */
interface PendingChecks {
  /** The arrival of each key's first unchecked charge. */
  readonly keys: Map<string, number>;
  /** The same of each account's charges. */
  readonly charges: Map<string, number>;
  readonly balances: Set<string>;
  /** Accounts whose balance and every budget are checked. */
  readonly accounts: Set<string>;
  /** Everything is checked. */
  all: boolean;
}

/** Alerts accounts when a budget or the balance passes a threshold. */
export class AlertMonitor {
  readonly #dependencies: AlertMonitorDependencies;
  #pending = nothingPending();
  #pauseMs = CHECK_DELAY_MS;
  #timer: NodeJS.Timeout | undefined;
  /** When the timer fires, on the monotonic clock. */
  #checksAt = 0;
  #fullCheckTimer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(dependencies: AlertMonitorDependencies) {
    this.#dependencies = dependencies;
  }

  /** Checks everything now and every few minutes. */
  start(): void {
    const checkAll = () => {
      this.#pending.all = true;
      this.#checkIn(0);
    };
    checkAll();
    this.#fullCheckTimer = setInterval(checkAll, FULL_CHECK_MS);
    this.#fullCheckTimer.unref();
  }

  /** Schedules a check of the keys and accounts of written charges, in about a second. */
  onCharges(charges: Iterable<ObservedCharge>): void {
    for (const { accountId, keyId, cost, createdAt } of charges) {
      if (cost <= 0n) continue;
      addPending(this.#pending.keys, keyId, createdAt.getTime());
      addPending(this.#pending.charges, accountId, createdAt.getTime());
      this.#pending.balances.add(accountId);
      this.#checkIn(this.#pauseMs);
    }
  }

  /** Schedules a check after the balance changed other than by charges. */
  onBalanceChange(accountId: string): void {
    this.#pending.balances.add(accountId);
    this.#checkIn(CHECK_DELAY_MS);
  }

  /** Schedules a check of the balance and every budget after alert settings or webhooks changed. */
  onAccountChange(accountId: string): void {
    this.#pending.accounts.add(accountId);
    this.#checkIn(CHECK_DELAY_MS);
  }

  /** Runs the pending checks once more, then stops. */
  async stop(): Promise<void> {
    clearInterval(this.#fullCheckTimer);
    this.#pending.all = false;
    this.#isStopped = true;
    await this.#check();
  }

  #checkIn(ms: number): void {
    const at = this.#dependencies.clock.monotonicMs() + ms;
    if (this.#isStopped || (this.#timer !== undefined && this.#checksAt <= at)) return;
    clearTimeout(this.#timer);
    this.#checksAt = at;
    this.#timer = setTimeout(() => void this.#check(), ms);
    this.#timer.unref();
  }

  /** Runs one check at a time. What arrives meanwhile waits for the next. */
  #check(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#running = this.#running.then(() => this.#checkPending());
    return this.#running;
  }

  async #checkPending(): Promise<void> {
    const pendingChecks = this.#pending;
    const { keys, charges, balances, accounts, all } = pendingChecks;
    if (keys.size + balances.size + accounts.size === 0 && !all) return;
    this.#pending = nothingPending();
    const { clock, onQueued, onError } = this.#dependencies;
    const startedMs = clock.monotonicMs();
    try {
      const queuedBudgets = await this.#checkBudgets(pendingChecks, clock.now());
      const queuedBalances = await this.#checkBalances(all ? "all" : [...balances, ...accounts], clock.now());
      if (queuedBudgets || queuedBalances) onQueued();
      if (!all) {
        const elapsedMs = clock.monotonicMs() - startedMs;
        this.#pauseMs = Math.min(PAUSE_MS_MAX, Math.max(CHECK_DELAY_MS, elapsedMs * PAUSE_FACTOR));
      }
    } catch (error) {
      onError(error);
      for (const [keyId, at] of keys) addPending(this.#pending.keys, keyId, at);
      for (const [accountId, at] of charges) addPending(this.#pending.charges, accountId, at);
      for (const accountId of balances) this.#pending.balances.add(accountId);
      for (const accountId of accounts) this.#pending.accounts.add(accountId);
      this.#pending.all ||= all;
      this.#checkIn(RETRY_MS);
    }
  }

  async #checkBudgets({ keys, charges, accounts, all }: PendingChecks, now: number): Promise<boolean> {
    const { store } = this.#dependencies;
    const subjects = all
      ? "all"
      : { keyIds: [...keys.keys()], accountIds: [...accounts], ownBudgetsOf: [...charges.keys()] };
    const budgets = await store.watchedBudgets("budget.threshold", subjects);
    const sinceOf = ({ keyId, accountId }: WatchedBudget) => {
      const firstCharge = keyId === undefined ? charges.get(accountId) : keys.get(keyId);
      return Math.min(all ? now - CLOSED_PERIOD_GRACE_MS : now, firstCharge ?? now);
    };
    const retry = (budget: WatchedBudget) =>
      budget.keyId === undefined
        ? addPending(this.#pending.charges, budget.accountId, sinceOf(budget))
        : addPending(this.#pending.keys, budget.keyId, sinceOf(budget));
    const windows: BudgetWindow[] = [];
    for (const budget of budgets) {
      const collect = () => windows.push(...this.#windowsOf(budget, sinceOf(budget), now));
      await this.#attempt(collect, () => retry(budget));
    }
    let hasQueued = false;
    for (let first = 0; first < windows.length; first += STATUS_BATCH_SIZE) {
      for (const status of await store.statusOf(windows.slice(first, first + STATUS_BATCH_SIZE))) {
        const isQueued = await this.#attempt(
          () => this.#alertBudget(status, now),
          () => retry(status.span),
        );
        hasQueued ||= isQueued === true;
      }
    }
    return hasQueued;
  }

  async #alertBudget(status: BudgetStatus, now: number): Promise<boolean> {
    const { budget, thresholds } = status.span;
    const unalerted = thresholdsReached(budget.limit, status.spent, thresholds).filter(
      (threshold) => !status.alerted.includes(threshold),
    );
    if (unalerted.length === 0) return false;
    const alerts = unalerted.map((threshold) => ({ threshold, event: budgetEvent(status, threshold, now) }));
    return (await this.#dependencies.store.queueBudgetAlerts(status.span, alerts)).length > 0;
  }

  /** The current period, and the previous one where a charge since then belongs to it. */
  #windowsOf(budget: WatchedBudget, since: number, now: number): BudgetWindow[] {
    const { startOfPeriod, endOfPeriod } = this.#dependencies;
    const windows = [since, now].map((moment) => ({
      ...budget,
      startsAt: startOfPeriod(budget.budget.period, moment, budget.timeZone),
      endsAt: endOfPeriod(budget.budget.period, moment, budget.timeZone),
    }));
    return windows[0]?.startsAt === windows[1]?.startsAt ? windows.slice(1) : windows;
  }

  async #checkBalances(accountIds: readonly string[] | "all", now: number): Promise<boolean> {
    let hasQueued = false;
    for (const balance of await this.#dependencies.store.watchedBalances(accountIds)) {
      const isQueued = await this.#attempt(
        () => this.#alertBalance(balance, now),
        () => this.#pending.balances.add(balance.accountId),
      );
      hasQueued ||= isQueued === true;
    }
    return hasQueued;
  }

  async #alertBalance(balance: WatchedBalance, now: number): Promise<boolean> {
    if (!hasChanged(balance)) return false;
    const alerted = await this.#dependencies.store.queueBalanceAlerts(balance.accountId, (current) => {
      const { events, ...verdict } = evaluateBalance(current);
      return { ...verdict, events: events.map((type) => balanceEvent(type, current, now)) };
    });
    return alerted.length > 0;
  }

  /** A failed check is retried later and does not delay the others. */
  async #attempt<Result>(work: () => Result | Promise<Result>, retry: () => void): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#dependencies.onError(error);
      retry();
      this.#checkIn(RETRY_MS);
      return undefined;
    }
  }
}

function nothingPending(): PendingChecks {
  return { keys: new Map(), charges: new Map(), balances: new Set(), accounts: new Set(), all: false };
}

function addPending(pending: Map<string, number>, id: string, at: number): void {
  pending.set(id, Math.min(at, pending.get(id) ?? at));
}

function hasChanged(balance: WatchedBalance): boolean {
  const { isLow, isExhausted } = evaluateBalance(balance);
  return isLow !== balance.isLow || isExhausted !== balance.isExhausted;
}

function budgetEvent({ span, spent }: BudgetStatus, threshold: number, now: number) {
  const isoTime = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());
  const data = {
    scope: span.keyId === undefined ? "organisation" : "key",
    key_id: span.keyId ?? null,
    key_name: span.keyName ?? null,
    period: span.budget.period,
    period_start: isoTime(span.startsAt),
    period_end: isoTime(span.endsAt),
    limit: toCredits(span.budget.limit),
    spent: toCredits(spent),
    threshold,
  };
  return createWebhookEvent("budget.threshold", data, now);
}

function balanceEvent(type: EventType, { total, mark }: WatchedBalance, now: number) {
  const balance = toCredits(total);
  const data =
    type === "balance.low"
      ? { balance, low_balance: toCredits(mark ?? 0n) }
      : { balance, status: type === "balance.exhausted" ? "suspended" : "active" };
  return createWebhookEvent(type, data, now);
}
