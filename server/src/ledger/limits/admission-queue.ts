import type { CancelSignal } from "@trunkline/core/cancellation.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { Fault } from "@trunkline/core/fault.ts";

/** How many requests are begun in one turn of the event loop. The rest of a turn is for those that already run. */
const BEGUN_MAX = 32;
const BEGUN_MIN = 2;
/** After a turn with more work than this, half as many requests are begun in the next one. */
const LONG_TURN_MS = 20;
/**
 * The time that a refusal is counted with. For every five refusals of a turn the next one begins one request more: otherwise
 * refusals would leave answers ever less time.
 */
const REFUSAL_MS = 0.2;
const REFUSALS_PER_MORE = 5;
/** How many requests may wait while the service is overloaded. */
const WAITING_MAX = 64;
/** More may wait for this long: a burst is served late rather than refused. */
const BURST_MS_MAX = 300;
/** How many of a burst are refused with every further request. */
const EXCESS_AT_ONCE = 4;
/** A burst that comes sooner after another one belongs to it. */
const CALM_MS_MIN = 1_000;
/**
 * While charges take longer than this to be stored, or more than so many wait for their turn, no request begins: its charge
 * would wait behind them.
 */
const STORE_WAIT_MS_MAX = 2_000;
const CHARGES_WAITING_MAX = 64;
const STORE_CHECK_MS = 5;
/** The longest that a request waits for the store. */
const WAIT_MS_MAX = 5_000;
/** The share of all places that is kept for accounts that use less than their fair share. */
const RESERVED_SHARE = 0.1;

/** How many requests may run at once. */
export interface AdmissionLimits {
  readonly concurrentRequests: number;
  readonly accountConcurrentRequests: number;
}

/** The charges on their way to the store. */
export interface ChargeQueue {
  /** How long the ones that are being stored have taken so far. */
  readonly waitMs: number;
  /** How many wait for those. */
  readonly waiting: number;
}

interface WaitingRequest {
  readonly sinceMs: number;
  readonly signal: CancelSignal;
  readonly begin: () => void;
  readonly refuse: (reason: unknown) => void;
}

/** The requests of one account on this instance. A running request holds it, and leaves it at its end. */
export class AccountLoad {
  readonly accountId: string;
  /** How many of its waiting requests begin in a row. */
  weight = 1;
  running = 0;
  readonly waiting: WaitingRequest[] = [];

  constructor(accountId: string) {
    this.accountId = accountId;
  }
}

/**
 * Decides which requests for answers begin, and when. A turn of the event loop begins some requests; further
 * ones wait, and accounts take turns, so that an account with many requests delays its own alone. Where too many
 * wait for too long, requests of the account with the most waiting ones are refused at once, so that those that are
 * admitted stay fast. The same holds while the store is too slow for the charges of those that run.
 */
export class AdmissionQueue {
  readonly #limits: AdmissionLimits;
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #charges: ChargeQueue;
  readonly #accounts = new Map<string, AccountLoad>();
  /** The accounts with waiting requests, in the order of their turns. */
  readonly #turns: AccountLoad[] = [];
  /** How many operations run that make no answer. They never wait, and have as many places of their own. */
  operations = 0;
  #running = 0;
  #waiting = 0;
  #refused = 0;
  #refusedBefore = 0;
  #turnStartMs: number | undefined;
  /** How many were begun in this turn, and how many may be. */
  #begun = 0;
  #mayBegin = BEGUN_MAX;
  /** How many more may be begun in this turn, as the last one refused many. */
  #more = 0;
  /** Since when more wait than may, and when that was last so. */
  #crowdedSinceMs = 0;
  #crowdedAtMs = Number.NEGATIVE_INFINITY;

  constructor(limits: AdmissionLimits, clock: Pick<Clock, "monotonicMs">, charges: ChargeQueue) {
    this.#limits = limits;
    this.#charges = charges;
    this.#clock = clock;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** How many requests were refused since the start. */
  get refused(): number {
    return this.#refused;
  }

  /**
   * Begins a request of an account, at once or when its turn comes; throws a fault where it is refused. The request must
   * `leave` at its end. An account of weight 3 begins three requests where others begin one.
   */
  enter(accountId: string, weight: number, signal: CancelSignal): AccountLoad | Promise<AccountLoad> {
    const account = this.#accountOf(accountId);
    account.weight = weight;
    this.#requirePlace(account);
    const nowMs = this.#clock.monotonicMs();
    if (this.#turnStartMs === undefined) {
      this.#turnStartMs = nowMs;
      this.#begun = 0;
      setImmediate(this.#endTurn);
    }
    if (this.#waiting === 0 && this.#hasTurnRoom && !this.#isStoreBehind()) return this.#begin(account);
    if (this.#isOverloaded(nowMs)) {
      this.#refuseExcess();
      // It may have been forgotten with the only request that it had waiting.
      this.#accounts.set(accountId, account);
      this.#makeRoomFor(account);
    }
    return new Promise((resolve, reject) => {
      if (account.waiting.length === 0) this.#turns.push(account);
      account.waiting.push({ sinceMs: nowMs, signal, begin: () => resolve(this.#begin(account)), refuse: reject });
      this.#waiting += 1;
    });
  }

  /** Whether more requests wait than may. */
  get isCrowded(): boolean {
    return this.#waiting >= WAITING_MAX;
  }

  /** Whether the service is overloaded and would refuse a further request of this account. */
  refuses(accountId: string): boolean {
    if (!this.#isOverloaded(this.#clock.monotonicMs())) return false;
    const account = this.#accounts.get(accountId);
    return account !== undefined && this.#accountToRefuse(account) === account;
  }

  /** Counts a request that was refused without being entered. */
  countRefusal(): void {
    this.#refused += 1;
  }

  /** Refuses an operation, which is counted already, where too many run. */
  requireOperationPlace(): void {
    if (this.operations > this.#limits.concurrentRequests) throw overloadedFault();
  }

  /** Ends a request that was begun. */
  leave(account: AccountLoad): void {
    account.running -= 1;
    this.#running -= 1;
    this.#forgetIdle(account);
  }

  #accountOf(accountId: string): AccountLoad {
    const known = this.#accounts.get(accountId);
    if (known !== undefined) return known;
    const account = new AccountLoad(accountId);
    this.#accounts.set(accountId, account);
    return account;
  }

  get #hasTurnRoom(): boolean {
    return this.#begun < this.#mayBegin + this.#more;
  }

  #begin(account: AccountLoad): AccountLoad {
    this.#begun += 1;
    account.running += 1;
    this.#running += 1;
    return account;
  }

  #forgetIdle(account: AccountLoad): void {
    if (account.running === 0 && account.waiting.length === 0) this.#accounts.delete(account.accountId);
  }

  /** Waiting requests count, as they are about to run. */
  #requirePlace(account: AccountLoad): void {
    const { concurrentRequests, accountConcurrentRequests } = this.#limits;
    const own = account.running + account.waiting.length;
    if (own >= accountConcurrentRequests) {
      this.#forgetIdle(account);
      throw new Fault(
        "rate_limited",
        `This account may have ${accountConcurrentRequests} requests at once. Try again when one has ended.`,
        { retryAfterSeconds: 1 },
      );
    }
    const free = concurrentRequests - this.#running - this.#waiting;
    if (free > Math.floor(concurrentRequests * RESERVED_SHARE)) return;
    const isBelowFairShare = own < concurrentRequests / this.#accounts.size / 2;
    if (free > 0 && isBelowFairShare) return;
    this.#refused += 1;
    this.#forgetIdle(account);
    throw overloadedFault();
  }

  #isOverloaded(nowMs: number): boolean {
    if (this.#waiting < WAITING_MAX) return false;
    if (nowMs - this.#crowdedAtMs > CALM_MS_MIN) this.#crowdedSinceMs = nowMs;
    this.#crowdedAtMs = nowMs;
    return nowMs - this.#crowdedSinceMs > BURST_MS_MAX;
  }

  #isStoreBehind(): boolean {
    return this.#charges.waiting > CHARGES_WAITING_MAX || this.#charges.waitMs > STORE_WAIT_MS_MAX;
  }

  /** A burst that goes on is an overload: every request that comes has a few refused that have waited longest. */
  #refuseExcess(): void {
    for (let count = 0; count < EXCESS_AT_ONCE && this.#waiting > WAITING_MAX; count++) {
      const most = this.#turns.reduce((one, other) => (loadOf(other) > loadOf(one) ? other : one));
      this.#refuseWaiting(most, most.waiting.shift());
    }
  }

  /** Refuses the newest request of the account with the most waiting ones. Throws where that is this one. */
  #makeRoomFor(account: AccountLoad): void {
    if (this.#waiting < WAITING_MAX) return;
    const most = this.#accountToRefuse(account);
    if (most === account) {
      this.#refused += 1;
      this.#forgetIdle(account);
      throw overloadedFault();
    }
    this.#refuseWaiting(most, most.waiting.pop());
  }

  #refuseWaiting(account: AccountLoad, request: WaitingRequest | undefined): void {
    if (request === undefined) return;
    this.#refused += 1;
    this.#waiting -= 1;
    if (account.waiting.length === 0) this.#turns.splice(this.#turns.indexOf(account), 1);
    request.refuse(overloadedFault());
    this.#forgetIdle(account);
  }

  /** The account with the most waiting requests for its weight; this one, where several have as many. */
  #accountToRefuse(account: AccountLoad): AccountLoad {
    let most = account;
    for (const other of this.#turns) if (loadOf(other) > loadOf(most)) most = other;
    return most;
  }

  readonly #endTurn = (): void => {
    const nowMs = this.#clock.monotonicMs();
    const refused = this.#refused - this.#refusedBefore;
    this.#refusedBefore = this.#refused;
    const workMs = nowMs - (this.#turnStartMs ?? nowMs) - refused * REFUSAL_MS;
    this.#mayBegin =
      workMs > LONG_TURN_MS
        ? Math.max(BEGUN_MIN, Math.floor(this.#mayBegin / 2))
        : Math.min(BEGUN_MAX, this.#mayBegin + 1);
    this.#more = Math.floor(refused / REFUSALS_PER_MORE);
    if (this.#waiting === 0) {
      this.#turnStartMs = undefined;
      return;
    }
    this.#turnStartMs = nowMs;
    if (this.#isStoreBehind()) {
      this.#refuseOverdue(nowMs);
      setTimeout(this.#endTurn, STORE_CHECK_MS);
      return;
    }
    setImmediate(this.#endTurn);
    this.#begun = 0;
    this.#beginWaiting();
  };

  #refuseOverdue(nowMs: number): void {
    for (const account of [...this.#turns]) {
      while ((account.waiting[0]?.sinceMs ?? nowMs) < nowMs - WAIT_MS_MAX) {
        account.waiting.shift()?.refuse(overloadedFault());
        this.#waiting -= 1;
        this.#refused += 1;
      }
      if (account.waiting.length > 0) continue;
      this.#turns.splice(this.#turns.indexOf(account), 1);
      this.#forgetIdle(account);
    }
  }

  /** Begins waiting requests, accounts in turns. */
  #beginWaiting(): void {
    while (this.#hasTurnRoom) {
      const account = this.#turns.shift();
      if (account === undefined) return;
      for (let count = 0; count < account.weight && account.waiting.length > 0; count++) this.#beginFirst(account);
      if (account.waiting.length > 0) this.#turns.push(account);
      else this.#forgetIdle(account);
    }
  }

  #beginFirst(account: AccountLoad): void {
    const request = account.waiting.shift();
    if (request === undefined) return;
    this.#waiting -= 1;
    if (request.signal.aborted) request.refuse(request.signal.reason);
    else request.begin();
  }
}

/** How many requests of an account wait, for its weight. */
function loadOf({ waiting, weight }: AccountLoad): number {
  return waiting.length / weight;
}

/** Said to a client whose request is refused because the service has too much to do. */
export function overloadedFault(): Fault {
  return new Fault("overloaded", "The service has too much to do. Try again in a moment.", { retryAfterSeconds: 1 });
}
