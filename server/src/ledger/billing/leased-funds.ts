import { setTimeout as wait } from "node:timers/promises";
import type { Clock } from "@trunkline/core/clock.ts";
import type { FundsPool, FundsPoolState } from "@trunkline/core/funds-pool.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { LedgerStore } from "./ledger-store.ts";

/** The lease is extended in the background once no more than a quarter of its last extension is free. */
const LOW_WATER_SHARE = 4n;
/** An extension that covers fewer holds than this is a sign of scarcity. Then nothing is leased ahead of need. */
const PREFETCH_MIN_HOLDS = 8n;
/** The pauses between checks for funds that other instances give back. */
const RECALL_PAUSES_MS = [2, 5, 10, 20, 40, 80, 160];
/** The pause after a recall that found too little. An account with little money must not keep all instances busy. */
const RECALL_COOLDOWN_MS = 250;
/** For this long after another instance's recall, funds that become free go back at once. */
const SCARCE_MS = 5_000;
/** A lease that was unused for this long goes back: longer than a person in a conversation takes between messages. */
const IDLE_MS = 60_000;
/** How long the pool's last known state is fresh enough for estimates. */
const POOL_FRESH_MS = 1_000;

/**
 * The part of one funds pool that this instance has leased and may spend. Holds are decided in memory. The ledger is
 * called when the lease runs low, and other instances only when the ledger has too little unleased.
 */
export class LeasedFunds {
  #fundsPool: FundsPool;
  readonly #ledger: LedgerStore;
  readonly #clock: Clock;
  #leased: NanoCredits = 0n;
  #held: NanoCredits = 0n;
  #captured: NanoCredits = 0n;
  /** The result of a call to the ledger is unknown: the lease must be read again before its next use. */
  #isStale = false;
  #queue: Promise<unknown> = Promise.resolve();
  /** Requests that may still hold, plus running calls to the ledger. */
  #users = 0;
  #usedAtMs: number;
  #lastLeaseSize: NanoCredits = 0n;
  #lowWater: NanoCredits = 0n;
  /** The unleased part of the pool when it was last read, adjusted by our own moves since. */
  #unleased: NanoCredits = 0n;
  #readAtMs = Number.NEGATIVE_INFINITY;
  /** The most that could still be leased; undefined where it may grow or was not read yet. */
  #maxOutside: NanoCredits | undefined;
  #isPrefetching = false;
  #isRecalling = false;
  #mustRelease = false;
  #isReturning = false;
  #recallCooldownUntilMs = Number.NEGATIVE_INFINITY;
  #scarceUntilMs = Number.NEGATIVE_INFINITY;

  constructor(fundsPool: FundsPool, ledger: LedgerStore, clock: Clock) {
    this.#fundsPool = fundsPool;
    this.#ledger = ledger;
    this.#clock = clock;
    this.#usedAtMs = clock.monotonicMs();
  }

  get free(): NanoCredits {
    return this.#leased - this.#held;
  }

  get leased(): NanoCredits {
    return this.#leased;
  }

  get held(): NanoCredits {
    return this.#held;
  }

  /** Whether it can be dropped: it holds nothing and is not in use. */
  get canEvict(): boolean {
    return this.#isIdle && this.#leased === 0n && this.#held === 0n && !this.#isStale;
  }

  /** A request starts to use it. */
  open(): void {
    this.#users++;
    this.#usedAtMs = this.#clock.monotonicMs();
  }

  /** A request no longer uses it. */
  close(): void {
    this.#users--;
    this.#returnIfScarce();
  }

  /**
   * What could be held now. Exact below `least`; between that and `enough` it may be a second old. So an account that
   * can afford some models but not all reads the ledger once a second and not for each request. Returns a promise only
   * where the ledger must be called.
   */
  spendable(least: NanoCredits, enough: NanoCredits): NanoCredits | Promise<NanoCredits> {
    if (this.#isStale) return this.resync().then(() => this.spendable(least, enough));
    const free = this.free;
    if (free >= enough) return free;
    const isFresh = this.#clock.monotonicMs() - this.#readAtMs < POOL_FRESH_MS;
    if (isFresh && this.#reachable >= least) return this.#reachable;
    return this.#enqueue(async () => {
      const pool = await this.#readPool();
      if (this.#reachable >= least || !this.#mayRecall(pool, least)) return this.#reachable;
      await this.#recallFromPeers(least);
      await this.#readPool();
      return this.#reachable;
    });
  }

  /** Sets money aside, or returns false and changes nothing. Returns a promise only where the ledger must be called. */
  hold(amount: NanoCredits): boolean | Promise<boolean> {
    if (this.#isStale || this.free < amount) return this.#holdAfterRefill(amount);
    this.#setAside(amount);
    return true;
  }

  async #holdAfterRefill(amount: NanoCredits): Promise<boolean> {
    // Other requests may use a new lease while this one waits for it, so one attempt is not enough.
    while (this.#isStale || this.free < amount) {
      if (this.#maxOutside !== undefined && this.#maxOutside + this.free < amount) return false;
      const mayReach = await this.#enqueue(() => this.#refill(amount));
      if (!mayReach) return false;
    }
    this.#setAside(amount);
    return true;
  }

  #setAside(amount: NanoCredits): void {
    this.#held += amount;
    this.#usedAtMs = this.#clock.monotonicMs();
    this.#prefetch(amount);
  }

  release(held: NanoCredits): void {
    this.#held -= held;
  }

  /** Ends a hold once its charge is written. The lease shrinks by the charge. */
  capture(held: NanoCredits, charged: NanoCredits): void {
    this.#held -= held;
    this.#leased -= charged;
    this.#captured += charged;
  }

  /** Reads the lease from the ledger, after a write whose outcome is unknown. */
  async resync(): Promise<void> {
    this.#isStale = true;
    await this.#enqueue(() => this.#readLedger());
  }

  /** Changes the pool's terms. Free funds leased under the old terms go back first. */
  async changePool(fundsPool: FundsPool): Promise<void> {
    await this.#enqueue(async () => {
      await this.#returnSpare();
      this.#fundsPool = fundsPool;
      this.#maxOutside = undefined;
      this.#readAtMs = Number.NEGATIVE_INFINITY;
    });
  }

  /**
   * Gives back free funds that another instance needs. Two instances that recall at once would wait for each other, so
   * the one with priority gets what the other has.
   */
  async releaseSpare(hasPriority: boolean): Promise<void> {
    this.#scarceUntilMs = this.#clock.monotonicMs() + SCARCE_MS;
    if (this.#isRecalling && hasPriority) this.#mustRelease = true;
    else await this.#enqueue(() => this.#returnSpare());
  }

  /** Waits until no call to the ledger is running. */
  async idle(): Promise<void> {
    await this.#queue;
  }

  /** Gives the lease back when it was unused for a while. */
  async returnIfIdle(): Promise<void> {
    if (this.#isIdle) await this.#enqueue(() => this.#returnSpare());
  }

  get #isIdle(): boolean {
    return this.#users === 0 && this.#clock.monotonicMs() - this.#usedAtMs >= IDLE_MS;
  }

  /** Returns whether the caller should try to hold again. */
  async #refill(amount: NanoCredits): Promise<boolean> {
    if (this.#isStale) await this.#readLedger();
    const before = this.free;
    if (before >= amount) return true;
    let moved = await this.#extendLease(amount - before);
    if (moved === 0n && this.free < amount) {
      const pool = await this.#readPool();
      if (this.#reachable >= amount) return true;
      if (this.#mayRecall(pool, amount)) moved = await this.#recallFromPeers(amount);
    }
    // Funds that became free meanwhile may suffice together with what is unleased.
    return moved > 0n || this.free > before;
  }

  #prefetch(amount: NanoCredits): void {
    if (this.#isPrefetching || this.free > this.#lowWater) return;
    if (this.#isScarce || this.#lastLeaseSize < amount * PREFETCH_MIN_HOLDS) return;
    this.#isPrefetching = true;
    // A failure is ignored: a hold that needs the funds extends the lease itself and reports its own failure.
    const extension = this.#enqueue(() => this.#extendLease(amount)).catch(() => undefined);
    void extension.finally(() => (this.#isPrefetching = false));
  }

  async #extendLease(missing: NanoCredits): Promise<NanoCredits> {
    try {
      const moved = await this.#ledger.extendLease(this.#fundsPool, missing);
      // Not in one expression with the await: captures may have shrunk the lease meanwhile.
      this.#leased += moved;
      this.#adjustOutside(-moved);
      if (moved > 0n) {
        this.#lastLeaseSize = moved;
        this.#lowWater = moved / LOW_WATER_SHARE;
      }
      return moved;
    } catch (error) {
      // The ledger may have moved the funds although the result was lost.
      this.#isStale = true;
      throw error;
    }
  }

  async #readPool(): Promise<FundsPoolState> {
    const pool = await this.#ledger.readPool(this.#fundsPool);
    this.#unleased = pool.unleased;
    this.#readAtMs = this.#clock.monotonicMs();
    // A budget only shrinks until its terms change; a balance may be topped up at any time.
    if (this.#fundsPool.kind !== "balance") this.#maxOutside = pool.total - pool.mine;
    return pool;
  }

  /** Records that this much moved out of the lease. */
  #adjustOutside(moved: NanoCredits): void {
    this.#unleased += moved;
    if (this.#maxOutside !== undefined) this.#maxOutside += moved;
  }

  /** What could be held without a recall. `#unleased` is negative where a limit was lowered below what is spent. */
  get #reachable(): NanoCredits {
    const reach = this.#unleased + this.free;
    return reach > 0n ? reach : 0n;
  }

  /** Whether other instances have leased enough that a recall may help. */
  #mayRecall({ total, unleased, mine }: FundsPoolState, amount: NanoCredits): boolean {
    const maySuffice = total > unleased + mine && total - mine + this.free >= amount;
    return maySuffice && this.#clock.monotonicMs() >= this.#recallCooldownUntilMs;
  }

  /** Asks the other instances for their spare funds, and waits a moment for them. */
  async #recallFromPeers(amount: NanoCredits): Promise<NanoCredits> {
    this.#isRecalling = true;
    try {
      await this.#ledger.recall(this.#fundsPool);
      for (const pause of RECALL_PAUSES_MS) {
        if (this.#mustRelease) {
          this.#mustRelease = false;
          await this.#returnSpare();
        }
        const moved = this.free >= amount ? 0n : await this.#extendLease(amount - this.free);
        if (this.free >= amount) return moved;
        await wait(pause);
      }
      this.#recallCooldownUntilMs = this.#clock.monotonicMs() + RECALL_COOLDOWN_MS;
      return 0n;
    } finally {
      this.#isRecalling = false;
      if (this.#mustRelease) this.#returnIfScarce();
      this.#mustRelease = false;
    }
  }

  get #isScarce(): boolean {
    return this.#clock.monotonicMs() < this.#scarceUntilMs;
  }

  #returnIfScarce(): void {
    if (!this.#isScarce || this.#isReturning || this.free <= 0n) return;
    this.#isReturning = true;
    this.#enqueue(() => {
      this.#isReturning = false;
      return this.#returnSpare();
    }).catch(() => undefined);
  }

  /** Gives back what is free. After a failure the ledger is read before the lease is used again. */
  async #returnSpare(): Promise<void> {
    // With no request running the ledger is exact, while `#leased` may be too small since the last `#readLedger`.
    if (this.#isStale || this.#users === 1) await this.#readLedger();
    const spare = this.free;
    if (spare <= 0n) return;
    this.#leased -= spare;
    this.#adjustOutside(spare);
    try {
      await this.#ledger.returnLease(this.#fundsPool, spare);
    } catch (error) {
      this.#isStale = true;
      throw error;
    }
  }

  async #readLedger(): Promise<void> {
    const capturedBefore = this.#captured;
    const { mine } = await this.#readPool();
    // Captures during the read may be missing in its result. A lease that is too small is safe, one too large is not.
    this.#leased = mine - (this.#captured - capturedBefore);
    this.#isStale = false;
  }

  /** Runs one call to the ledger at a time, so that concurrent holds share one extension of the lease. */
  #enqueue<Result>(call: () => Promise<Result>): Promise<Result> {
    this.#users++;
    const result = this.#queue.then(call).finally(() => this.#users--);
    this.#queue = result.catch(() => undefined);
    return result;
  }
}
