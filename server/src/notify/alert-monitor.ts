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

/** A charge that is written. */
export interface ObservedCharge {
  readonly accountId: string;
  readonly keyId: string;
  readonly cost: bigint;
  /** When the request arrived: it counts for the period of that moment. */
  readonly createdAt: Date;
}

type PeriodBoundary = (period: BudgetPeriod, now: number, timeZone: string) => number | undefined;

/** What the lookout works with. */
export interface AlertMonitorDependencies {
  readonly store: AlertStore;
  readonly startOfPeriod: PeriodBoundary;
  readonly endOfPeriod: PeriodBoundary;
  readonly clock: Clock;
  /** Called when something was put into the outbox. */
  readonly onQueued: () => void;
  readonly onError: (error: unknown) => void;
}

const CHECK_DELAY_MS = 1_000;
/** Where looking takes long it is done more rarely: at most a tenth of the time is spent on it. */
const PAUSE_FACTOR = 9;
const PAUSE_MS_MAX = 30_000;
const RETRY_MS = 5_000;
/** Everything is looked at this often, as what a dead instance had noticed is known to nobody. */
const FULL_CHECK_MS = 5 * 60_000;
/** How long after its end a period is still looked at then: what was spent at its very end may not be told yet. */
const CLOSED_PERIOD_GRACE_MS = 60 * 60_000;
const STATUS_BATCH_SIZE = 500;

/** What is to be looked at next. */
interface PendingChecks {
  /** When the first of a key's charges arrived. */
  readonly keys: Map<string, number>;
  readonly balances: Set<string>;
  /** With their balance and every budget. */
  readonly accounts: Set<string>;
  /** Everything there is. */
  all: boolean;
}

/** Sees to it that an account is told when a budget or its balance passes a mark. */
export class AlertMonitor {
  readonly #parts: AlertMonitorDependencies;
  #pending = nothingPending();
  #pauseMs = CHECK_DELAY_MS;
  #timer: NodeJS.Timeout | undefined;
  /** On the clock that never jumps. */
  #checksAt = 0;
  #fullCheckTimer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(parts: AlertMonitorDependencies) {
    this.#parts = parts;
  }

  /** Looks at everything, now and every few minutes. */
  start(): void {
    const round = () => {
      this.#pending.all = true;
      this.#checkIn(0);
    };
    round();
    this.#fullCheckTimer = setInterval(round, FULL_CHECK_MS);
    this.#fullCheckTimer.unref();
  }

  /** Charges were written: their keys and accounts are looked at in about a second. */
  onCharges(charges: Iterable<ObservedCharge>): void {
    for (const { accountId, keyId, cost, createdAt } of charges) {
      if (cost <= 0n) continue;
      addPendingKey(this.#pending, keyId, createdAt.getTime());
      this.#pending.balances.add(accountId);
      this.#checkIn(this.#pauseMs);
    }
  }

  /** The balance has changed otherwise. */
  onBalanceChange(accountId: string): void {
    this.#pending.balances.add(accountId);
    this.#checkIn(CHECK_DELAY_MS);
  }

  /** What is to be told, or who listens, has changed: the balance and every budget are looked at. */
  onAccountChange(accountId: string): void {
    this.#pending.accounts.add(accountId);
    this.#checkIn(CHECK_DELAY_MS);
  }

  /** Looks once more at what was noticed, and no more after that. */
  async stop(): Promise<void> {
    clearInterval(this.#fullCheckTimer);
    this.#pending.all = false;
    this.#isStopped = true;
    await this.#check();
  }

  #checkIn(ms: number): void {
    const at = this.#parts.clock.monotonicMs() + ms;
    if (this.#isStopped || (this.#timer !== undefined && this.#checksAt <= at)) return;
    clearTimeout(this.#timer);
    this.#checksAt = at;
    this.#timer = setTimeout(() => void this.#check(), ms);
    this.#timer.unref();
  }

  /** One look at a time: whatever is noticed meanwhile is for the next. */
  #check(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#running = this.#running.then(() => this.#checkPending());
    return this.#running;
  }

  async #checkPending(): Promise<void> {
    const pendingChecks = this.#pending;
    const { keys, balances, accounts, all } = pendingChecks;
    if (keys.size + balances.size + accounts.size === 0 && !all) return;
    this.#pending = nothingPending();
    const { clock, onQueued: told, onError } = this.#parts;
    const begun = clock.monotonicMs();
    try {
      const ofBudgets = await this.#checkBudgets(pendingChecks, clock.now());
      const ofBalances = await this.#checkBalances(all ? "all" : [...balances, ...accounts], clock.now());
      if (ofBudgets || ofBalances) told();
      if (!all) this.#pauseMs = pauseAfter(clock.monotonicMs() - begun);
    } catch (error) {
      onError(error);
      for (const [keyId, at] of keys) addPendingKey(this.#pending, keyId, at);
      for (const accountId of balances) this.#pending.balances.add(accountId);
      for (const accountId of accounts) this.#pending.accounts.add(accountId);
      this.#pending.all ||= all;
      this.#checkIn(RETRY_MS);
    }
  }

  async #checkBudgets({ keys, accounts, all }: PendingChecks, now: number): Promise<boolean> {
    const { store } = this.#parts;
    const subjects = all ? "all" : { keyIds: [...keys.keys()], accountIds: [...accounts] };
    const budgets = await store.watchedBudgets("budget.threshold", subjects);
    const sinceOf = (keyId: string) => Math.min(all ? now - CLOSED_PERIOD_GRACE_MS : now, keys.get(keyId) ?? now);
    const again = ({ keyId }: WatchedBudget) => addPendingKey(this.#pending, keyId, sinceOf(keyId));
    const spans: BudgetWindow[] = [];
    for (const budget of budgets) {
      const collect = () => spans.push(...this.#windowsOf(budget, sinceOf(budget.keyId), now));
      await this.#attempt(collect, () => again(budget));
    }
    let isTold = false;
    for (let first = 0; first < spans.length; first += STATUS_BATCH_SIZE) {
      for (const stand of await store.statusOf(spans.slice(first, first + STATUS_BATCH_SIZE))) {
        const told = await this.#attempt(
          () => this.#alertBudget(stand, now),
          () => again(stand.span),
        );
        isTold ||= told === true;
      }
    }
    return isTold;
  }

  async #alertBudget(stand: BudgetStatus, now: number): Promise<boolean> {
    const { budget, thresholds } = stand.span;
    const untold = thresholdsReached(budget.limit, stand.spent, thresholds).filter(
      (threshold) => !stand.alerted.includes(threshold),
    );
    if (untold.length === 0) return false;
    const alerts = untold.map((threshold) => ({ threshold, event: budgetEvent(stand, threshold, now) }));
    return this.#parts.store.queueBudgetAlerts(stand.span, alerts);
  }

  /** The period that runs now, and the one before where something is to be looked at that belongs to it. */
  #windowsOf(budget: WatchedBudget, since: number, now: number): BudgetWindow[] {
    const { startOfPeriod, endOfPeriod } = this.#parts;
    const spans = [since, now].map((moment) => ({
      ...budget,
      startsAt: startOfPeriod(budget.budget.period, moment, budget.timeZone),
      endsAt: endOfPeriod(budget.budget.period, moment, budget.timeZone),
    }));
    return spans[0]?.startsAt === spans[1]?.startsAt ? spans.slice(1) : spans;
  }

  async #checkBalances(accountIds: readonly string[] | "all", now: number): Promise<boolean> {
    let isTold = false;
    for (const balance of await this.#parts.store.watchedBalances(accountIds)) {
      const told = await this.#attempt(
        () => this.#alertBalance(balance, now),
        () => this.#pending.balances.add(balance.accountId),
      );
      isTold ||= told === true;
    }
    return isTold;
  }

  async #alertBalance(balance: WatchedBalance, now: number): Promise<boolean> {
    if (!hasChanged(balance)) return false;
    return this.#parts.store.queueBalanceAlerts(balance.accountId, (current) => {
      const { events, ...verdict } = evaluateBalance(current);
      return { ...verdict, events: events.map((type) => balanceEvent(type, current, now)) };
    });
  }

  /** What can't be looked at is tried again later, and keeps nobody else waiting. */
  async #attempt<Result>(work: () => Result | Promise<Result>, again: () => void): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#parts.onError(error);
      again();
      this.#checkIn(RETRY_MS);
      return undefined;
    }
  }
}

function nothingPending(): PendingChecks {
  return { keys: new Map(), balances: new Set(), accounts: new Set(), all: false };
}

function addPendingKey({ keys }: PendingChecks, keyId: string, at: number): void {
  keys.set(keyId, Math.min(at, keys.get(keyId) ?? at));
}

function pauseAfter(lookMs: number): number {
  return Math.min(PAUSE_MS_MAX, Math.max(CHECK_DELAY_MS, lookMs * PAUSE_FACTOR));
}

function hasChanged(balance: WatchedBalance): boolean {
  const { isLow, isExhausted } = evaluateBalance(balance);
  return isLow !== balance.isLow || isExhausted !== balance.isExhausted;
}

function budgetEvent({ span, spent }: BudgetStatus, threshold: number, now: number) {
  const written = (moment: number | undefined) => (moment === undefined ? null : new Date(moment).toISOString());
  const data = {
    key_id: span.keyId,
    key_name: span.keyName,
    period: span.budget.period,
    period_start: written(span.startsAt),
    period_end: written(span.endsAt),
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
