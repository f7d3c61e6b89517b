import type { ProviderFailure } from "@trunkline/core/attempt.ts";
import type { Health } from "@trunkline/core/route.ts";
import { Breaker, type BreakerStand, type BreakerTurn } from "./breaker.ts";
import { DecayedRate } from "./decayed.ts";
import { type CallFigures, firstTokenMsOf, streamOf } from "./endpoint-figures.ts";
import { EndpointPace } from "./endpoint-pace.ts";
import type { KeptFigures } from "./endpoint-snapshot.ts";
import { QueueSlope } from "./queue-slope.ts";
import { RecentQuantile } from "./recent-quantile.ts";
import { SecondChance } from "./second-chance.ts";
import { SilentCalls } from "./silent-calls.ts";
import { SlowWatch } from "./slow-watch.ts";

/** What fades with time may be so old when it is read: nobody chooses by less. */
const FRESH_MS = 500;

/** Who fails more often than this does worse than it should. */
const WORSE_ERROR_RATE = 0.1;

/** What a provider said of the calls that it still takes. */
interface Room {
  readonly calls: number;
  readonly untilMs: number;
}

/** Everything that one instance knows of one endpoint. The time is handed in, on a clock that never runs backwards. */
export class Endpoint {
  readonly breaker: Breaker;
  readonly silent = new SilentCalls();
  readonly #random: () => number;
  #calls = 0;
  #inFlight = 0;
  #calledMs = Number.NEGATIVE_INFINITY;
  #room: Room | undefined;
  readonly #pace = new EndpointPace();
  readonly #firstParts = new RecentQuantile();
  readonly #wholes = new RecentQuantile();
  readonly #errors = new DecayedRate();
  readonly #queue = new QueueSlope();
  readonly #slow = new SlowWatch();
  readonly #chance = new SecondChance();
  /** The call that runs was let through as if nothing had been. */
  #onTrial = false;
  #seen: Health | undefined;
  /** The same for whoever's share it is not. */
  #seenByOthers: Health | undefined;
  #seenUntilMs = 0;

  constructor(random: () => number, onTurn: (turn: BreakerTurn) => void) {
    this.#random = random;
    this.breaker = new Breaker(random, (turn) => {
      if (turn.kind === "recovering") this.#isAsBefore();
      onTurn(turn);
    });
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** When a call of it last ended. */
  get calledMs(): number {
    return this.#calledMs;
  }

  /** Made anew only when something happened or time has changed it: it is asked for with every request, for every model. */
  healthAt(nowMs: number): Health {
    const seen = this.#seen !== undefined && nowMs < this.#seenUntilMs ? this.#seen : this.#look(nowMs);
    if (seen.state !== "ramping" || this.#seenByOthers === undefined) return seen;
    return this.#random() < this.breaker.shareAt(nowMs) ? seen : this.#seenByOthers;
  }

  /** A call begins; says beside how many others. */
  began(nowMs: number): number {
    this.#onTrial = this.#inFlight === 0 && this.#hasChance(nowMs);
    this.forgetSeen();
    if (this.#room !== undefined && this.#room.calls > 0)
      this.#room = { ...this.#room, calls: this.#room.calls - 1 };
    this.#inFlight++;
    return this.#inFlight - 1;
  }

  /** A call has begun to answer: how long that took is known long before its end. */
  spoke(firstPartMs: number, beside: number | undefined, nowMs: number): void {
    this.forgetSeen();
    this.breaker.spoke(nowMs - firstPartMs);
    const isUsual = this.#pace.isUsual(firstPartMs);
    this.#pace.add("firstPart", firstPartMs, nowMs);
    if (beside !== undefined) this.#queue.add(beside, firstPartMs);
    if (!this.#onTrial || isUsual === undefined) return;
    if (isUsual) this.#isAsBefore();
    else this.#missChance();
  }

  ended(): void {
    this.forgetSeen();
    this.#inFlight = Math.max(0, this.#inFlight - 1);
  }

  succeeded(call: CallFigures, nowMs: number): void {
    this.#called(nowMs);
    this.#errors.add(nowMs, false);
    if (this.#onTrial && call.firstPartMs === undefined) this.#isAsBefore();
    if (call.isProbe !== true) {
      this.#pace.add("latency", call.ms, nowMs);
      this.#wholes.add(Math.round(call.ms));
      const stream = streamOf(call);
      if (stream !== undefined) this.#pace.add("throughput", (stream.tokens * 1_000) / stream.ms, nowMs);
    }
    if (call.firstPartMs !== undefined && call.wasHeard !== true)
      this.spoke(call.firstPartMs, call.beside, nowMs);
    if (this.#isTooSlow(call, nowMs)) this.breaker.slowed(nowMs);
    else this.breaker.succeeded(nowMs, nowMs - call.ms);
    if (call.firstPartMs !== undefined) this.#firstParts.add(Math.round(call.firstPartMs));
  }

  /**
   * Broken off after so long, as another was faster. Where that is above the average it is known to be slower now: otherwise
   * one that is always outrun would keep the good name that it had before.
   */
  outrun(atLeastMs: number, nowMs: number): void {
    this.forgetSeen();
    this.breaker.release();
    const { firstPart = Number.POSITIVE_INFINITY, latency = Number.POSITIVE_INFINITY } = this.#pace.lately;
    if (atLeastMs > firstPart) {
      this.#pace.add("firstPart", atLeastMs, nowMs);
      this.#firstParts.add(Math.round(atLeastMs));
    }
    if (atLeastMs > latency) {
      this.#pace.add("latency", atLeastMs, nowMs);
      this.#wholes.add(Math.round(atLeastMs));
    }
  }

  /** Only a failure that blames the endpoint counts against it; says whether it did. */
  failed(failure: ProviderFailure, nowMs: number, afterMs = Number.POSITIVE_INFINITY): boolean {
    this.#called(nowMs);
    if (failure.kind === "rate-limited" && failure.retryAfterSeconds !== undefined) {
      // The endpoint is well and says when it has room again: that is no error, and to be taken at its word.
      this.breaker.pause(nowMs, failure.retryAfterSeconds);
      return false;
    }
    if (!failure.blamesEndpoint) {
      this.breaker.release();
      return false;
    }
    this.#errors.add(nowMs, true);
    if (this.#onTrial) this.#missChance();
    if (failure.outage === undefined) this.breaker.failed(nowMs, nowMs - afterMs);
    else this.breaker.refused(nowMs, failure.outage);
    return true;
  }

  hasRoom(calls: number, seconds: number, nowMs: number): void {
    this.forgetSeen();
    this.#room = { calls, untilMs: nowMs + seconds * 1_000 };
  }

  figuresAt(nowMs: number): KeptFigures {
    return {
      calls: this.#calls,
      latency: this.#pace.stateAt("latency", nowMs),
      firstPart: this.#pace.stateAt("firstPart", nowMs),
      throughput: this.#pace.stateAt("throughput", nowMs),
      errors: this.#errors.stateAt(nowMs),
      usual: this.#slow.state(),
      firstParts: this.#firstParts.values(),
      wholes: this.#wholes.values(),
    };
  }

  /** Takes over what others measured, in place of its own. */
  takeFigures(figures: KeptFigures, calledMs: number, nowMs: number): void {
    this.forgetSeen();
    this.#calls = figures.calls;
    this.#calledMs = calledMs;
    // What was known then has faded since.
    this.#pace.restore("latency", figures.latency, Math.min(calledMs, nowMs));
    this.#pace.restore("firstPart", figures.firstPart, Math.min(calledMs, nowMs));
    this.#pace.restore("throughput", figures.throughput, Math.min(calledMs, nowMs));
    this.#errors.restore(figures.errors, Math.min(calledMs, nowMs));
    this.#slow.restore(figures.usual);
    this.#firstParts.restore(figures.firstParts);
    this.#wholes.restore(figures.wholes);
  }

  adopt(stand: BreakerStand): boolean {
    this.forgetSeen();
    return this.breaker.adopt(stand);
  }

  /** To be called whenever something may have changed. */
  forgetSeen(): void {
    this.#seen = undefined;
  }

  #called(nowMs: number): void {
    this.forgetSeen();
    this.#calls++;
    this.#calledMs = nowMs;
  }

  #isTooSlow(call: CallFigures, nowMs: number): boolean {
    const firstTokenMs = firstTokenMsOf(call);
    if (firstTokenMs === undefined) return false;
    const isTrial = this.breaker.stateAt(nowMs) === "half-open";
    const isSlow = isTrial && this.#slow.isSlow(firstTokenMs);
    return this.#slow.add(firstTokenMs, this.#firstParts.value) || isSlow;
  }

  /** What was measured while it did badly says nothing of it any more. */
  #isAsBefore(): void {
    this.#onTrial = false;
    this.#chance.taken();
    this.#errors.restore({ failed: 0, all: 0 }, this.#calledMs);
    this.#pace.isAsBefore(this.#calledMs);
  }

  #missChance(): void {
    this.#onTrial = false;
    this.#chance.missed();
  }

  #isWorse(nowMs: number): boolean {
    return this.#errors.valueAt(nowMs) > WORSE_ERROR_RATE || this.#pace.isWorse;
  }

  /** Whether the next call may go there as if it were as before: one at a time, and where nobody calls it anyway. */
  #hasChance(nowMs: number): boolean {
    if (this.#inFlight > 0) return false;
    const state = this.breaker.stateAt(nowMs);
    const isDue = state === "closed" && this.#chance.isDue(nowMs - this.#calledMs);
    return (isDue || state === "half-open") && this.#isWorse(nowMs);
  }

  #look(nowMs: number): Health {
    const { breaker } = this;
    if (this.silent.areTooMany(nowMs, (ms) => this.#slow.isSlow(ms))) breaker.slowed(nowMs);
    const hasChance = this.#hasChance(nowMs);
    const pace = hasChance
      ? this.#pace.asBefore
      : this.#pace.withOverdue(this.silent.overdueMs(nowMs, this.#firstParts.value));
    const state = breaker.stateAt(nowMs);
    const { outage, openUntilMs } = breaker.stand;
    const room = this.#room !== undefined && nowMs < this.#room.untilMs ? this.#room.calls : undefined;
    const seen: Health = {
      available: breaker.wouldAdmit(nowMs),
      calls: this.#calls,
      latencyMs: pace.latency,
      wholeP95Ms: this.#wholes.value,
      firstPartMs: pace.firstPart,
      firstPartP95Ms: this.#firstParts.value,
      tokensPerSecond: pace.throughput,
      errorRate: hasChance ? 0 : this.#errors.valueAt(nowMs),
      inFlight: this.#inFlight,
      waitMs: this.#queue.waitMs(this.#inFlight),
      room,
      state,
      outage: outage === undefined ? undefined : { ...outage, nextTryMs: openUntilMs },
    };
    this.#seen = seen;
    this.#seenByOthers = state === "ramping" ? { ...seen, available: false } : undefined;
    this.#seenUntilMs = Math.min(
      nowMs + FRESH_MS,
      breaker.nextTurnMs(nowMs),
      this.#room?.untilMs ?? Infinity,
    );
    if (this.#seenUntilMs <= nowMs) this.#seenUntilMs = nowMs + FRESH_MS;
    return seen;
  }
}
