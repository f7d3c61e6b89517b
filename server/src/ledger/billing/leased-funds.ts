import { setTimeout as wait } from "node:timers/promises";
import type { Clock } from "@trunkline/core/clock.ts";
import type { FundsPool, FundsPoolState } from "@trunkline/core/funds-pool.ts";
import type { NanoCredits } from "@trunkline/core/money.ts";
import type { LedgerStore } from "./ledger-store.ts";

/** The slice is renewed in the background once less than this part of it is free. */
const LOW_WATER = 4n;
/** Renewing ahead is for plenty: where a slice covers fewer holds than this, the rest is left to whoever asks first. */
const PREFETCH_MIN_HOLDS = 8n;
/** How long to wait for what other instances give back: the pauses between looks, in milliseconds. */
const RECALL_PAUSES_MS = [2, 5, 10, 20, 40, 80, 160];
/** After a search that found too little, the next one waits this long: a poor account must not keep all instances busy. */
const RECALL_COOLDOWN_MS = 250;
/** For this long after another instance asked, everything that comes free goes back at once. */
const SCARCE_MS = 5_000;
/** A slice that nobody has used for this long goes back. */
const IDLE_MS = 10_000;
/** For this long a look at the books serves those who only want to know roughly how much there is. */
const POOL_FRESH_MS = 1_000;

/**
 * The slice of one lot that this instance may spend, in memory. Holds are decided here without asking the books;
 * those are asked when the slice runs low, and other instances only when the books have too little unleased.
 */
export class LeasedFunds {
  #fundsPool: FundsPool;
  readonly #ledger: LedgerStore;
  readonly #clock: Clock;
  #leased: NanoCredits = 0n;
  #held: NanoCredits = 0n;
  #captured: NanoCredits = 0n;
  /** An answer of the books was lost: what is leased must be read anew before it is relied on. */
  #isStale = false;
  #queue: Promise<unknown> = Promise.resolve();
  /** Those who use it now: requests that may still hold, and questions to the books. */
  #users = 0;
  #usedAtMs: number;
  #lastLeaseSize: NanoCredits = 0n;
  /** What was unleased when the books were last looked at, kept up with what was moved since. */
  #unleased: NanoCredits = 0n;
  #readAtMs = Number.NEGATIVE_INFINITY;
  /** The most that could still come from outside this purse; undefined where it may grow, or nobody has looked. */
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

  get held(): NanoCredits {
    return this.#held;
  }

  /** Whether it can be forgotten: nothing would be lost, and nobody is just about to use it. */
  get canEvict(): boolean {
    return this.#isIdle && this.#leased === 0n && this.#held === 0n && !this.#isStale;
  }

  /** A request begins to use it. */
  open(): void {
    this.#users++;
    this.#usedAtMs = this.#clock.monotonicMs();
  }

  /** A request has ended its use of it. */
  close(): void {
    this.#users--;
    this.#returnIfScarce();
  }

  /**
   * What could be held now. Exact where it is below `least`; between that and `enough` it may be a second old, so that
   * an account with enough for some models and not for all asks the books once in a while and not for each request.
   */
  async spendable(least: NanoCredits, enough: NanoCredits): Promise<NanoCredits> {
    if (this.#isStale) await this.resync();
    if (this.free >= enough) return this.free;
    const isFresh = this.#clock.monotonicMs() - this.#readAtMs < POOL_FRESH_MS;
    if (isFresh && this.#reachable >= least) return this.#reachable;
    return this.#enqueue(async () => {
      const books = await this.#readPool();
      if (this.#reachable >= least || !this.#mayRecall(books, least)) return this.#reachable;
      await this.#recallFromPeers(least);
      await this.#readPool();
      return this.#reachable;
    });
  }

  /** Sets money aside, or answers false and changes nothing. */
  async hold(amount: NanoCredits): Promise<boolean> {
    // Others may take of a slice while it is on its way, so that one look at it is not enough.
    while (this.#isStale || this.free < amount) {
      if (this.#maxOutside !== undefined && this.#maxOutside + this.free < amount) return false;
      const mayReach = await this.#enqueue(() => this.#refill(amount));
      if (!mayReach) return false;
    }
    this.#held += amount;
    this.#usedAtMs = this.#clock.monotonicMs();
    this.#prefetch(amount);
    return true;
  }

  release(held: NanoCredits): void {
    this.#held -= held;
  }

  /** Called once the charge is written: the hold ends and the slice is smaller by what was charged. */
  capture(held: NanoCredits, charged: NanoCredits): void {
    this.#held -= held;
    this.#leased -= charged;
    this.#captured += charged;
  }

  /** Asks the books what the slice is, after a write whose outcome is unknown. */
  async resync(): Promise<void> {
    this.#isStale = true;
    await this.#enqueue(() => this.#readLedger());
  }

  /** The lot's terms have changed: what was leased under the old ones goes back first. */
  async changePool(fundsPool: FundsPool): Promise<void> {
    await this.#enqueue(async () => {
      await this.#returnSpare();
      this.#fundsPool = fundsPool;
      this.#maxOutside = undefined;
      this.#readAtMs = Number.NEGATIVE_INFINITY;
    });
  }

  /**
   * Another instance needs what this one may have to spare. Two that search at once would wait for each other:
   * the one that `goesFirst` is given what the other has.
   */
  async releaseSpare(goesFirst: boolean): Promise<void> {
    this.#scarceUntilMs = this.#clock.monotonicMs() + SCARCE_MS;
    if (this.#isRecalling && goesFirst) this.#mustRelease = true;
    else await this.#enqueue(() => this.#returnSpare());
  }

  /** Waits until no question to the books is under way. */
  async idle(): Promise<void> {
    await this.#queue;
  }

  /** Gives the slice back where nobody has used it for a while. */
  async returnIfIdle(): Promise<void> {
    if (this.#isIdle) await this.#enqueue(() => this.#returnSpare());
  }

  get #isIdle(): boolean {
    return this.#users === 0 && this.#clock.monotonicMs() - this.#usedAtMs >= IDLE_MS;
  }

  /** Whether it is worth looking at the slice again. */
  async #refill(amount: NanoCredits): Promise<boolean> {
    if (this.#isStale) await this.#readLedger();
    const before = this.free;
    if (before >= amount) return true;
    let moved = await this.#extendLease(amount - before);
    if (moved === 0n && this.free < amount) {
      const books = await this.#readPool();
      if (this.#reachable >= amount) return true;
      if (this.#mayRecall(books, amount)) moved = await this.#recallFromPeers(amount);
    }
    // What was set free meanwhile may do together with what the books still have, although that alone did not.
    return moved > 0n || this.free > before;
  }

  #prefetch(amount: NanoCredits): void {
    if (this.#isPrefetching || this.#isScarce || this.#lastLeaseSize < amount * PREFETCH_MIN_HOLDS) return;
    if (this.free * LOW_WATER > this.#lastLeaseSize) return;
    this.#isPrefetching = true;
    // Whoever needs it and can't have it is told so; this is only a precaution.
    const renewal = this.#enqueue(() => this.#extendLease(amount)).catch(() => undefined);
    void renewal.finally(() => (this.#isPrefetching = false));
  }

  async #extendLease(missing: NanoCredits): Promise<NanoCredits> {
    try {
      const moved = await this.#ledger.extendLease(this.#fundsPool, missing);
      // Not in one expression with the await: the slice may have shrunk meanwhile by what was captured.
      this.#leased += moved;
      this.#adjustOutside(-moved);
      if (moved > 0n) this.#lastLeaseSize = moved;
      return moved;
    } catch (error) {
      // The slice may have been moved although the answer was lost.
      this.#isStale = true;
      throw error;
    }
  }

  async #readPool(): Promise<FundsPoolState> {
    const books = await this.#ledger.readPool(this.#fundsPool);
    this.#unleased = books.unleased;
    this.#readAtMs = this.#clock.monotonicMs();
    // A budget only shrinks until its terms change; a balance may be topped up at any moment.
    if (this.#fundsPool.kind === "budget") this.#maxOutside = books.total - books.mine;
    return books;
  }

  /** This much more is outside the purse now. */
  #adjustOutside(moved: NanoCredits): void {
    this.#unleased += moved;
    if (this.#maxOutside !== undefined) this.#maxOutside += moved;
  }

  /** What could be held without the other instances' help. Below zero where a limit was lowered under what is spent. */
  get #reachable(): NanoCredits {
    const reach = this.#unleased + this.free;
    return reach > 0n ? reach : 0n;
  }

  /** Whether the other instances have so much that asking them may help. */
  #mayRecall({ total, unleased, mine }: FundsPoolState, amount: NanoCredits): boolean {
    const mayDo = total > unleased + mine && total - mine + this.free >= amount;
    return mayDo && this.#clock.monotonicMs() >= this.#recallCooldownUntilMs;
  }

  /** Asks the other instances for what they can spare, and waits a moment for it to come. */
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

  /** What is free goes back. Where that fails, the books are read before the slice is used again. */
  async #returnSpare(): Promise<void> {
    // With nothing under way the books are exact; in memory the slice may be too small since it was last read anew.
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
    // What was captured meanwhile may not be in the books' answer: too little is safe, too much is not.
    this.#leased = mine - (this.#captured - capturedBefore);
    this.#isStale = false;
  }

  /** One question to the books at a time, so that concurrent holds don't each lease what one slice would cover. */
  #enqueue<Result>(ask: () => Promise<Result>): Promise<Result> {
    this.#users++;
    const answer = this.#queue.then(ask).finally(() => this.#users--);
    this.#queue = answer.catch(() => undefined);
    return answer;
  }
}
