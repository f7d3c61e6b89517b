import type { Caller, RateLimit } from "@trunkline/core/caller.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { EPSILON, type RateTerms, type RateWindows, type TokenGrant, takeTokens, WINDOW_MS } from "./token-bucket.ts";

const LEASES_MAX = 100_000;

export interface RateLimits {
  readonly requestsPerMinute: number;
  /** How many may come at once before the steady rate holds. */
  readonly burst: number;
}

type ReportState = (state: RateLimit) => void;

/** Admits by small leases on what all instances share, so that hardly any request waits for the store. */
export class RateLimiter {
  readonly #defaults: RateLimits;
  readonly #windows: RateWindows;
  readonly #clock: Clock;
  /** In two halves, so that a look-up moves nothing: what was not used while one filled up is forgotten with the other. */
  #recent = new Map<string, TokenLease>();
  #older = new Map<string, TokenLease>();

  constructor(defaults: RateLimits, windows: RateWindows, clock: Clock) {
    this.#defaults = defaults;
    this.#windows = windows;
    this.#clock = clock;
  }

  /**
   * Stage 3. Takes one token, or refuses and says when to come back. `report` learns the state either way.
   * There is something to wait for only where the store has to be asked; one that is away answers with its own fault.
   */
  admit(caller: Caller, reportState: ReportState): Promise<void> | undefined {
    const lease = this.#leaseOf(caller.keyId, caller.requestsPerMinute ?? this.#defaults.requestsPerMinute);
    const nowMs = this.#clock.monotonicMs();
    if (!lease.trySpend(nowMs)) {
      if (lease.isExhausted(nowMs)) throwRateLimited(lease, nowMs, reportState);
      return this.#admitWhenGranted(lease, reportState);
    }
    reportState(lease.state(nowMs));
    return undefined;
  }

  /** What an answer to nobody in particular says: the default policy, untouched. */
  defaultState(): RateLimit {
    return {
      limit: this.#defaults.requestsPerMinute,
      windowSeconds: WINDOW_MS / 1000,
      left: this.#burstOf(this.#defaults.requestsPerMinute),
      resetSeconds: 0,
    };
  }

  async #admitWhenGranted(lease: TokenLease, reportState: ReportState): Promise<void> {
    const isSpent = await lease.spendWhenGranted();
    const nowMs = this.#clock.monotonicMs();
    if (!isSpent) throwRateLimited(lease, nowMs, reportState);
    reportState(lease.state(nowMs));
  }

  /** A small limit may be used up at once; a large one keeps the default's proportion of burst to rate. */
  #burstOf(limit: number): number {
    const { requestsPerMinute, burst } = this.#defaults;
    return Math.min(limit, Math.max(burst, Math.ceil((limit * burst) / requestsPerMinute)));
  }

  #leaseOf(keyId: string, limit: number): TokenLease {
    const recent = this.#recent.get(keyId);
    if (recent?.terms.limit === limit) return recent;
    const known = recent ?? this.#older.get(keyId);
    // A lease under terms that have changed is worth nothing any more.
    const lease =
      known?.terms.limit === limit
        ? known
        : new TokenLease(keyId, { limit, burst: this.#burstOf(limit) }, this.#windows, this.#clock);
    if (this.#recent.size >= LEASES_MAX / 2) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(keyId, lease);
    return lease;
  }
}

function throwRateLimited(lease: TokenLease, nowMs: number, reportState: ReportState): never {
  reportState({ ...lease.state(nowMs), left: 0 });
  const retryAfterSeconds = Math.max(1, Math.ceil((lease.countRefusal(nowMs) - EPSILON) / 1000));
  throw new Fault(
    "rate_limited",
    `This key may send ${lease.terms.limit} requests a minute. Try again in ${retryAfterSeconds} s.`,
    { retryAfterSeconds },
  );
}

/** A lease is this part of a minute's tokens: what instances hold unused is the error of the whole, so it is kept small. */
const LEASES_PER_LIMIT = 100;
/** Tokens that nobody used are worth nothing after this: by then the window has forgotten them. */
const EXPIRES_AFTER_MS = WINDOW_MS;
/** A lease that is used at all is renewed ahead before it lapses. */
const RENEW_AFTER_MS = EXPIRES_AFTER_MS / 2;
/** Where there is none, a wait brings at least this part of a lease: a tenth of a second's tokens. */
const USEFUL_SHARE_MIN = 1 / 6;
/** How long nothing is asked ahead of need once the store was away. */
const STORE_RETRY_MS = 1_000;

/**
 * The tokens of one key that this instance may spend without asking. Knows by its own reckoning what the shared bucket
 * holds, asks for more ahead of need, and where there is none remembers until when.
 */
class TokenLease {
  readonly terms: RateTerms;
  readonly #keyId: string;
  readonly #windows: RateWindows;
  readonly #clock: Clock;
  readonly #perMs: number;
  readonly #size: number;
  #tokens = 0;
  #takenAtMs = 0;
  /** What may come at once, in hand and in the shared bucket together. */
  #available: number;
  #availableAtMs: number;
  /** Whether that was the whole burst at some time since the last answer. */
  #wasFull = true;
  /** The same for the window. That it grows is known only from the next answer. */
  #room: number;
  #burstRoomAtMs = 0;
  #exhaustedUntilMs = Number.NEGATIVE_INFINITY;
  #prefetchFromMs = Number.NEGATIVE_INFINITY;
  #refusals = 0;
  #waiting = 0;
  #pendingGrant: Promise<void> | undefined;

  constructor(keyId: string, terms: RateTerms, windows: RateWindows, clock: Clock) {
    this.terms = terms;
    this.#keyId = keyId;
    this.#windows = windows;
    this.#clock = clock;
    this.#perMs = terms.limit / WINDOW_MS;
    this.#size = Math.max(1, Math.floor(terms.limit / LEASES_PER_LIMIT));
    this.#available = terms.burst;
    this.#availableAtMs = clock.monotonicMs();
    this.#room = terms.limit;
  }

  /** Spends one token, if there is one in hand. */
  trySpend(nowMs: number): boolean {
    if (this.#tokens === 0 || nowMs - this.#takenAtMs >= EXPIRES_AFTER_MS) return false;
    this.#tokens -= 1;
    this.#refill(nowMs);
    this.#available -= 1;
    this.#room -= 1;
    const isLow = this.#tokens * 2 < this.#size || nowMs - this.#takenAtMs >= RENEW_AFTER_MS;
    if (isLow) this.#prefetch(nowMs);
    return true;
  }

  /** Whether it is known without asking that there is none yet. */
  isExhausted(nowMs: number): boolean {
    return nowMs < this.#exhaustedUntilMs - EPSILON;
  }

  /** Counts one who is turned away, and says for how long. */
  countRefusal(nowMs: number): number {
    this.#refusals += 1;
    return this.#exhaustedUntilMs - nowMs;
  }

  /** Where the key stands, as far as this instance knows. */
  state(nowMs: number): RateLimit {
    this.#refill(nowMs);
    const untilFullMs = (this.terms.burst - this.#available - EPSILON) / this.#perMs;
    const untilWholeMs = Math.max(0, untilFullMs, this.#burstRoomAtMs - nowMs);
    return {
      limit: this.terms.limit,
      windowSeconds: WINDOW_MS / 1000,
      left: Math.max(0, Math.floor(Math.min(this.#available, this.#room) + EPSILON)),
      resetSeconds: Math.ceil(untilWholeMs / 1000),
    };
  }

  /**
   * Spends one as soon as there are more, those on their way or those it asks for; false where there are none for a while.
   * Fails with the store's own fault.
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
      // Where others were faster and there are more to be had, it asks again.
      if (this.isExhausted(nowMs)) return false;
    }
  }

  #prefetch(nowMs: number): void {
    // A lease of one is taken when it is needed: what an instance holds ahead others can't have.
    if (this.#size === 1 || this.#pendingGrant !== undefined) return;
    if (nowMs < this.#prefetchFromMs || this.isExhausted(nowMs)) return;
    // Where it fails nobody is waiting: whoever needs the store next will hear of it.
    this.#requestTokens().catch(() => undefined);
  }

  #requestTokens(): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#takenAtMs >= EXPIRES_AFTER_MS) this.#tokens = 0;
    this.#refill(nowMs);
    const ask = {
      want: Math.max(this.#size, this.#waiting) - this.#tokens,
      // Those who were turned away show how many would come, which saves questions where it is many.
      useful: Math.min(Math.max(1, this.#refusals, Math.round(this.#size * USEFUL_SHARE_MIN)), this.#size),
      ceiling: this.#wasFull ? this.#available - this.#tokens : Number.POSITIVE_INFINITY,
    };
    const answer = this.#windows.update(this.#keyId, (known, storeMs) => takeTokens(known, storeMs, this.terms, ask));
    this.#pendingGrant = this.#receive(answer, ask.want);
    return this.#pendingGrant;
  }

  async #receive(coming: Promise<TokenGrant>, want: number): Promise<void> {
    try {
      const answer = await coming;
      const nowMs = this.#clock.monotonicMs();
      if (answer.granted > 0) this.#takenAtMs = nowMs;
      this.#tokens += answer.granted;
      this.#available = this.#tokens + answer.tokens;
      this.#availableAtMs = nowMs;
      this.#wasFull = false;
      this.#room = this.#tokens + answer.room;
      this.#burstRoomAtMs = nowMs + answer.burstRoomMs;
      this.#exhaustedUntilMs = nowMs + answer.waitMs;
      this.#refusals = 0;
      // Where tokens come one by one, half a lease of them is awaited before more are asked for ahead of need.
      if (answer.granted < want) this.#prefetchFromMs = nowMs + this.#size / 2 / this.#perMs;
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

/** Past its limit the service refuses at once, rather than making everybody wait for nobody's good. */
export function rejectWhenOverloaded(running: number, most: number): void {
  if (running <= most) return;
  throw new Fault("overloaded", "The service has too many requests at once. Try again in a moment.", {
    retryAfterSeconds: 1,
  });
}
