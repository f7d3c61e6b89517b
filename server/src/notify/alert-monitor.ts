import type { EventType } from "@trunkline/core/alerts.ts";
import type { BudgetPeriod } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { toCredits } from "@trunkline/core/money.ts";
import type { AlertStore, BudgetSpan, BudgetStand, WatchedBalance, WatchedBudget } from "./alert-store.ts";
import { judgeBalance, thresholdsReached } from "./judge.ts";
import { composeEvent } from "./webhooks/event.ts";

/** A charge that is written. */
export interface NoticedCharge {
  readonly accountId: string;
  readonly keyId: string;
  readonly cost: bigint;
  /** When the request arrived: it counts for the period of that moment. */
  readonly createdAt: Date;
}

type Border = (period: BudgetPeriod, now: number, timeZone: string) => number | undefined;

/** What the lookout works with. */
export interface LookoutParts {
  readonly store: AlertStore;
  readonly startOfPeriod: Border;
  readonly endOfPeriod: Border;
  readonly clock: Clock;
  /** Called when something was put into the outbox. */
  readonly told: () => void;
  readonly onError: (error: unknown) => void;
}

const LOOK_MS = 1_000;
/** Where looking takes long it is done more rarely: at most a tenth of the time is spent on it. */
const REST_FACTOR = 9;
const REST_MS_MAX = 30_000;
const RECOVERY_MS = 5_000;
/** Everything is looked at this often, as what a dead instance had noticed is known to nobody. */
const ROUND_MS = 5 * 60_000;
/** How long after its end a period is still looked at then: what was spent at its very end may not be told yet. */
const AFTERMATH_MS = 60 * 60_000;
const STANDS_AT_ONCE = 500;

/** What is to be looked at next. */
interface Noticed {
  /** When the first of a key's charges arrived. */
  readonly keys: Map<string, number>;
  readonly balances: Set<string>;
  /** With their balance and every budget. */
  readonly accounts: Set<string>;
  /** Everything there is. */
  all: boolean;
}

/** Sees to it that an account is told when a budget or its balance passes a mark. */
export class Lookout {
  readonly #parts: LookoutParts;
  #noticed = nothing();
  #restMs = LOOK_MS;
  #timer: NodeJS.Timeout | undefined;
  /** On the clock that never jumps. */
  #looksAt = 0;
  #rounds: NodeJS.Timeout | undefined;
  #turn: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(parts: LookoutParts) {
    this.#parts = parts;
  }

  /** Looks at everything, now and every few minutes. */
  begin(): void {
    const round = () => {
      this.#noticed.all = true;
      this.#lookIn(0);
    };
    round();
    this.#rounds = setInterval(round, ROUND_MS);
    this.#rounds.unref();
  }

  /** Charges were written: their keys and accounts are looked at in about a second. */
  noticeCharges(charges: Iterable<NoticedCharge>): void {
    for (const { accountId, keyId, cost, createdAt } of charges) {
      if (cost <= 0n) continue;
      noticeKey(this.#noticed, keyId, createdAt.getTime());
      this.#noticed.balances.add(accountId);
      this.#lookIn(this.#restMs);
    }
  }

  /** The balance has changed otherwise. */
  noticeBalance(accountId: string): void {
    this.#noticed.balances.add(accountId);
    this.#lookIn(LOOK_MS);
  }

  /** What is to be told, or who listens, has changed: the balance and every budget are looked at. */
  noticeAccount(accountId: string): void {
    this.#noticed.accounts.add(accountId);
    this.#lookIn(LOOK_MS);
  }

  /** Looks once more at what was noticed, and no more after that. */
  async stop(): Promise<void> {
    clearInterval(this.#rounds);
    this.#noticed.all = false;
    this.#isStopped = true;
    await this.#look();
  }

  #lookIn(ms: number): void {
    const at = this.#parts.clock.monotonicMs() + ms;
    if (this.#isStopped || (this.#timer !== undefined && this.#looksAt <= at)) return;
    clearTimeout(this.#timer);
    this.#looksAt = at;
    this.#timer = setTimeout(() => void this.#look(), ms);
    this.#timer.unref();
  }

  /** One look at a time: whatever is noticed meanwhile is for the next. */
  #look(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#turn = this.#turn.then(() => this.#lookAtNoticed());
    return this.#turn;
  }

  async #lookAtNoticed(): Promise<void> {
    const noticed = this.#noticed;
    const { keys, balances, accounts, all } = noticed;
    if (keys.size + balances.size + accounts.size === 0 && !all) return;
    this.#noticed = nothing();
    const { clock, told, onError } = this.#parts;
    const begun = clock.monotonicMs();
    try {
      const ofBudgets = await this.#lookAtBudgets(noticed, clock.now());
      const ofBalances = await this.#lookAtBalances(all ? "all" : [...balances, ...accounts], clock.now());
      if (ofBudgets || ofBalances) told();
      if (!all) this.#restMs = restAfter(clock.monotonicMs() - begun);
    } catch (error) {
      onError(error);
      for (const [keyId, at] of keys) noticeKey(this.#noticed, keyId, at);
      for (const accountId of balances) this.#noticed.balances.add(accountId);
      for (const accountId of accounts) this.#noticed.accounts.add(accountId);
      this.#noticed.all ||= all;
      this.#lookIn(RECOVERY_MS);
    }
  }

  async #lookAtBudgets({ keys, accounts, all }: Noticed, now: number): Promise<boolean> {
    const { store } = this.#parts;
    const subjects = all ? "all" : { keyIds: [...keys.keys()], accountIds: [...accounts] };
    const budgets = await store.watchedBudgets("budget.threshold", subjects);
    const sinceOf = (keyId: string) => Math.min(all ? now - AFTERMATH_MS : now, keys.get(keyId) ?? now);
    const again = ({ keyId }: WatchedBudget) => noticeKey(this.#noticed, keyId, sinceOf(keyId));
    const spans: BudgetSpan[] = [];
    for (const budget of budgets) {
      const collect = () => spans.push(...this.#spansOf(budget, sinceOf(budget.keyId), now));
      await this.#attempt(collect, () => again(budget));
    }
    let isTold = false;
    for (let first = 0; first < spans.length; first += STANDS_AT_ONCE) {
      for (const stand of await store.standsOf(spans.slice(first, first + STANDS_AT_ONCE))) {
        const told = await this.#attempt(
          () => this.#tellOfBudget(stand, now),
          () => again(stand.span),
        );
        isTold ||= told === true;
      }
    }
    return isTold;
  }

  async #tellOfBudget(stand: BudgetStand, now: number): Promise<boolean> {
    const { budget, thresholds } = stand.span;
    const untold = thresholdsReached(budget.limit, stand.spent, thresholds).filter(
      (threshold) => !stand.told.includes(threshold),
    );
    if (untold.length === 0) return false;
    const alerts = untold.map((threshold) => ({ threshold, event: budgetEvent(stand, threshold, now) }));
    return this.#parts.store.tellOfBudget(stand.span, alerts);
  }

  /** The period that runs now, and the one before where something is to be looked at that belongs to it. */
  #spansOf(budget: WatchedBudget, since: number, now: number): BudgetSpan[] {
    const { startOfPeriod, endOfPeriod } = this.#parts;
    const spans = [since, now].map((moment) => ({
      ...budget,
      startsAt: startOfPeriod(budget.budget.period, moment, budget.timeZone),
      endsAt: endOfPeriod(budget.budget.period, moment, budget.timeZone),
    }));
    return spans[0]?.startsAt === spans[1]?.startsAt ? spans.slice(1) : spans;
  }

  async #lookAtBalances(accountIds: readonly string[] | "all", now: number): Promise<boolean> {
    let isTold = false;
    for (const balance of await this.#parts.store.watchedBalances(accountIds)) {
      const told = await this.#attempt(
        () => this.#tellOfBalance(balance, now),
        () => this.#noticed.balances.add(balance.accountId),
      );
      isTold ||= told === true;
    }
    return isTold;
  }

  async #tellOfBalance(balance: WatchedBalance, now: number): Promise<boolean> {
    if (!isNews(balance)) return false;
    return this.#parts.store.tellOfBalance(balance.accountId, (current) => {
      const { events, ...verdict } = judgeBalance(current);
      return { ...verdict, events: events.map((type) => balanceEvent(type, current, now)) };
    });
  }

  /** What can't be looked at is tried again later, and keeps nobody else waiting. */
  async #attempt<Result>(
    work: () => Result | Promise<Result>,
    again: () => void,
  ): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#parts.onError(error);
      again();
      this.#lookIn(RECOVERY_MS);
      return undefined;
    }
  }
}

function nothing(): Noticed {
  return { keys: new Map(), balances: new Set(), accounts: new Set(), all: false };
}

function noticeKey({ keys }: Noticed, keyId: string, at: number): void {
  keys.set(keyId, Math.min(at, keys.get(keyId) ?? at));
}

function restAfter(lookMs: number): number {
  return Math.min(REST_MS_MAX, Math.max(LOOK_MS, lookMs * REST_FACTOR));
}

function isNews(balance: WatchedBalance): boolean {
  const { isLow, isExhausted } = judgeBalance(balance);
  return isLow !== balance.isLow || isExhausted !== balance.isExhausted;
}

function budgetEvent({ span, spent }: BudgetStand, threshold: number, now: number) {
  const written = (moment: number | undefined) =>
    moment === undefined ? null : new Date(moment).toISOString();
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
  return composeEvent("budget.threshold", data, now);
}

function balanceEvent(type: EventType, { total, mark }: WatchedBalance, now: number) {
  const balance = toCredits(total);
  const data =
    type === "balance.low"
      ? { balance, low_balance: toCredits(mark ?? 0n) }
      : { balance, status: type === "balance.exhausted" ? "suspended" : "active" };
  return composeEvent(type, data, now);
}
