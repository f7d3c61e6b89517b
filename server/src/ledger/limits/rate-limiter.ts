import type { Caller, RateLimit } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { Fault } from "@trunkline/core/fault.ts";
import {
  EPSILON,
  type RateTerms,
  type RateWindows,
  type TokenGrant,
  takeTokens,
  WINDOW_MS,
  windowIdOf,
} from "./token-bucket.ts";

const LEASES_MAX = 100_000;

export interface RateLimits {
  readonly requestsPerMinute: number;
  /** The most requests at once before the steady rate applies. */
  readonly burst: number;
}

/** Where a request keeps the state of the limit that is nearest to refusing. */
interface RateLimited {
  rateLimit: RateLimit | undefined;
}

/** Admits requests by small token leases from the shared window, so that hardly any request waits for the store. */
export class RateLimiter {
  readonly #defaults: RateLimits;
  readonly #clock: Clock;
  readonly #keys: LeaseCache;
  readonly #accounts: LeaseCache;
  /** Members at the dashboard have the account's ceiling for themselves: a key that uses all of it must not lock them out. */
  readonly #members: LeaseCache;

  constructor(defaults: RateLimits, windows: RateWindows, clock: Clock) {
    this.#defaults = defaults;
    this.#clock = clock;
    const leases = (limited: string, idOf: (id: string) => string) =>
      new LeaseCache((id, limit) => {
        const terms = { limit, burst: this.#burstOf(limit) };
        return new TokenLease(limited, idOf(id), terms, windows, clock);
      });
    this.#keys = leases("This key", (keyId) => keyId);
    this.#accounts = leases("All keys of this account together", (id) => windowIdOf(`account ${id}`));
    this.#members = leases("All members of this account together", (id) => windowIdOf(`members ${id}`));
  }

  /**
   * Takes one token of the key and one of its account, or throws a fault with the time of the next try and takes none. The
   * request gets the state in both cases. Returns a promise only when the store must be called; an unavailable store
   * rejects with its own fault.
   */
  admit(caller: Caller, request: RateLimited): Promise<void> | undefined {
    const key = this.#keys.find(caller.keyId, caller.requestsPerMinute ?? this.#defaults.requestsPerMinute);
    const ceiling = caller.accountRequestsPerMinute;
    const account =
      ceiling === undefined
        ? undefined
        : (caller.person === undefined ? this.#accounts : this.#members).find(caller.accountId, ceiling);
    const nowMs = this.#clock.monotonicMs();
    if (key.isExhausted(nowMs) && !key.hasToken(nowMs)) throwRateLimited(key, nowMs, request);
    if (account === undefined) {
      if (!key.trySpend(nowMs)) return this.#admitWhenGranted(key, account, request);
      request.rateLimit = key.state(nowMs);
      return undefined;
    }
    if (account.isExhausted(nowMs) && !account.hasToken(nowMs)) throwRateLimited(account, nowMs, request);
    if (!key.hasToken(nowMs) || !account.trySpend(nowMs)) return this.#admitWhenGranted(key, account, request);
    key.trySpend(nowMs);
    request.rateLimit = nearestOf(key, account, nowMs).state(nowMs);
    return undefined;
  }

  /** The state for unauthenticated clients: the unused default policy. */
  defaultState(): RateLimit {
    return {
      limit: this.#defaults.requestsPerMinute,
      windowSeconds: WINDOW_MS / 1000,
      left: this.#burstOf(this.#defaults.requestsPerMinute),
      resetSeconds: 0,
    };
  }

  async #admitWhenGranted(key: TokenLease, account: TokenLease | undefined, request: RateLimited): Promise<void> {
    if (!key.trySpend(this.#clock.monotonicMs()) && !(await key.spendWhenGranted()))
      throwRateLimited(key, this.#clock.monotonicMs(), request);
    if (account !== undefined) await this.#spendOfAccount(account, key, request);
    const nowMs = this.#clock.monotonicMs();
    request.rateLimit = (account === undefined ? key : nearestOf(key, account, nowMs)).state(nowMs);
  }

  /** Where the account has no token, the key gets its own back. */
  async #spendOfAccount(account: TokenLease, key: TokenLease, request: RateLimited): Promise<void> {
    let isSpent = account.trySpend(this.#clock.monotonicMs());
    try {
      isSpent ||= await account.spendWhenGranted();
    } finally {
      if (!isSpent) key.giveBack();
    }
    if (!isSpent) throwRateLimited(account, this.#clock.monotonicMs(), request);
  }

  /** A small limit may be used at once; a large one keeps the default's ratio of burst to rate. */
  #burstOf(limit: number): number {
    const { requestsPerMinute, burst } = this.#defaults;
    return Math.min(limit, Math.max(burst, Math.ceil((limit * burst) / requestsPerMinute)));
  }
}

/** An LRU of two generations, so that a lookup moves nothing. Leases that were unused for one generation are dropped. */
class LeaseCache {
  readonly #create: (id: string, limit: number) => TokenLease;
  #recent = new Map<string, TokenLease>();
  #older = new Map<string, TokenLease>();

  constructor(create: (id: string, limit: number) => TokenLease) {
    this.#create = create;
  }

  find(id: string, limit: number): TokenLease {
    const recent = this.#recent.get(id);
    if (recent?.terms.limit === limit) return recent;
    const known = recent ?? this.#older.get(id);
    // A lease under old terms is dropped.
    const lease = known?.terms.limit === limit ? known : this.#create(id, limit);
    if (this.#recent.size >= LEASES_MAX / 2) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(id, lease);
    return lease;
  }
}

/** The lease with fewer requests left. */
function nearestOf(key: TokenLease, account: TokenLease, nowMs: number): TokenLease {
  return account.left(nowMs) < key.left(nowMs) ? account : key;
}

function throwRateLimited(lease: TokenLease, nowMs: number, request: RateLimited): never {
  request.rateLimit = { ...lease.state(nowMs), left: 0 };
  const retryAfterSeconds = Math.max(1, Math.ceil((lease.countRefusal(nowMs) - EPSILON) / 1000));
  throw new Fault(
    "rate_limited",
    `${lease.limited} may send ${lease.terms.limit} requests a minute. Try again in ${retryAfterSeconds} s.`,
    { retryAfterSeconds },
  );
}

/** A lease is a hundredth of a minute's tokens. Tokens that instances hold unused are the limiter's error, so it is small. */
const LEASES_PER_LIMIT = 100;
/** Unused tokens expire after this: by then the window has dropped their grant. */
const EXPIRES_AFTER_MS = WINDOW_MS;
/** A lease in use is renewed before it expires. */
const RENEW_AFTER_MS = EXPIRES_AFTER_MS / 2;
/** When no tokens are left, a wait must bring at least this share of a lease: the tokens of a tenth of a second. */
const USEFUL_SHARE_MIN = 1 / 6;
/** How long prefetching pauses after a failure of the store. */
const STORE_RETRY_MS = 1_000;

/**
 * The tokens of one key or account that this instance may spend without calling the store. It estimates what the shared bucket
 * holds, prefetches tokens, and remembers until when none are available.
 */
class TokenLease {
  /** Who has this limit, as the start of a sentence. */
  readonly limited: string;
  readonly terms: RateTerms;
  readonly #windowId: string;
  readonly #windows: RateWindows;
  readonly #clock: Clock;
  readonly #perMs: number;
  readonly #size: number;
  #tokens = 0;
  #takenAtMs = 0;
  /** Our estimate of the tokens in this lease and in the shared bucket together. */
  #available: number;
  #availableAtMs: number;
  /** Whether the estimate reached the whole burst since the last grant. */
  #wasFull = true;
  /** Our estimate of the window's free room. Only the next grant shows that it grew. */
  #room: number;
  #burstRoomAtMs = 0;
  #exhaustedUntilMs = Number.NEGATIVE_INFINITY;
  #prefetchFromMs = Number.NEGATIVE_INFINITY;
  #refusals = 0;
  #waiting = 0;
  #pendingGrant: Promise<void> | undefined;

  constructor(limited: string, windowId: string, terms: RateTerms, windows: RateWindows, clock: Clock) {
    this.limited = limited;
    this.terms = terms;
    this.#windowId = windowId;
    this.#windows = windows;
    this.#clock = clock;
    this.#perMs = terms.limit / WINDOW_MS;
    this.#size = Math.max(1, Math.floor(terms.limit / LEASES_PER_LIMIT));
    this.#available = terms.burst;
    this.#availableAtMs = clock.monotonicMs();
    this.#room = terms.limit;
  }

  hasToken(nowMs: number): boolean {
    return this.#tokens > 0 && nowMs - this.#takenAtMs < EXPIRES_AFTER_MS;
  }

  /** Spends one token, if the lease has one. */
  trySpend(nowMs: number): boolean {
    if (!this.hasToken(nowMs)) return false;
    this.#tokens -= 1;
    this.#refill(nowMs);
    this.#available -= 1;
    this.#room -= 1;
    const isLow = this.#tokens * 2 < this.#size || nowMs - this.#takenAtMs >= RENEW_AFTER_MS;
    if (isLow) this.#prefetch(nowMs);
    return true;
  }

  /** Takes back a token that was spent for nothing. */
  giveBack(): void {
    this.#tokens += 1;
    this.#available += 1;
    this.#room += 1;
  }

  /** Whether no tokens are available, as far as this instance knows without a call. */
  isExhausted(nowMs: number): boolean {
    return nowMs < this.#exhaustedUntilMs - EPSILON;
  }

  /** Counts a refused request, and returns how long it should wait. */
  countRefusal(nowMs: number): number {
    this.#refusals += 1;
    return this.#exhaustedUntilMs - nowMs;
  }

  /** How many requests are accepted right now, as far as this instance knows. */
  left(nowMs: number): number {
    this.#refill(nowMs);
    return Math.max(0, Math.floor(Math.min(this.#available, this.#room) + EPSILON));
  }

  /** The state of the limit, as far as this instance knows. */
  state(nowMs: number): RateLimit {
    const left = this.left(nowMs);
    const untilFullMs = (this.terms.burst - this.#available - EPSILON) / this.#perMs;
    const untilWholeMs = Math.max(0, untilFullMs, this.#burstRoomAtMs - nowMs);
    return {
      limit: this.terms.limit,
      windowSeconds: WINDOW_MS / 1000,
      left,
      resetSeconds: Math.ceil(untilWholeMs / 1000),
    };
  }

  /**
   * Waits for a pending or new grant and spends one token; false where none are available for a while.
   * Rejects with the store's own fault.
   */
  async spendWhenGranted(): Promise<boolean> {
    for (;;) {
      this.#waiting += 1;
      try {
        await (this.#pendingGrant ?? this.#requestTokens());
      } finally {
        this.#waiting -= 1;
      }
      const nowMs = this.#clock.monotonicMs();
      if (this.trySpend(nowMs)) return true;
      // Other requests may have taken all granted tokens. Then it requests more.
      if (this.isExhausted(nowMs)) return false;
    }
  }

  #prefetch(nowMs: number): void {
    // A lease of one token is requested only on need: tokens held in advance are lost for other instances.
    if (this.#size === 1 || this.#pendingGrant !== undefined) return;
    if (nowMs < this.#prefetchFromMs || this.isExhausted(nowMs)) return;
    // A failure is ignored: no request waits for it, and the next one that needs the store reports its own.
    this.#requestTokens().catch(() => undefined);
  }

  #requestTokens(): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#takenAtMs >= EXPIRES_AFTER_MS) this.#tokens = 0;
    this.#refill(nowMs);
    const tokenRequest = {
      want: Math.max(this.#size, this.#waiting) - this.#tokens,
      // Refusals show the demand. A larger request saves calls when it is high.
      useful: Math.min(Math.max(1, this.#refusals, Math.round(this.#size * USEFUL_SHARE_MIN)), this.#size),
      ceiling: this.#wasFull ? this.#available - this.#tokens : Number.POSITIVE_INFINITY,
    };
    const grant = this.#windows.update(this.#windowId, (known, storeMs) =>
      takeTokens(known, storeMs, this.terms, tokenRequest),
    );
    this.#pendingGrant = this.#receive(grant, tokenRequest.want);
    return this.#pendingGrant;
  }

  async #receive(pendingGrant: Promise<TokenGrant>, want: number): Promise<void> {
    try {
      const grant = await pendingGrant;
      const nowMs = this.#clock.monotonicMs();
      if (grant.granted > 0) this.#takenAtMs = nowMs;
      this.#tokens += grant.granted;
      this.#available = this.#tokens + grant.tokens;
      this.#availableAtMs = nowMs;
      this.#wasFull = false;
      this.#room = this.#tokens + grant.room;
      this.#burstRoomAtMs = nowMs + grant.burstRoomMs;
      this.#exhaustedUntilMs = nowMs + grant.waitMs;
      this.#refusals = 0;
      // When the bucket is nearly empty, prefetching waits until it has refilled half a lease.
      if (grant.granted < want) this.#prefetchFromMs = nowMs + this.#size / 2 / this.#perMs;
    } catch (error) {
      this.#prefetchFromMs = this.#clock.monotonicMs() + STORE_RETRY_MS;
      throw error;
    } finally {
      this.#pendingGrant = undefined;
    }
  }

  #refill(nowMs: number): void {
    this.#available += (nowMs - this.#availableAtMs) * this.#perMs;
    this.#availableAtMs = nowMs;
    if (this.#available < this.terms.burst) return;
    this.#available = this.terms.burst;
    this.#wasFull = true;
  }
}
