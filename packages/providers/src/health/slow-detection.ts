/** So many slow answers in a row make an endpoint slow. */
const CONSECUTIVE_SLOW = 5;
const SLOW_FACTOR = 5;
const SLOW_MS_MIN = 3_000;
/** Also so much above what its slowest answers take: who thinks long now and then is not slow when it does. */
const ABOVE_P95_FACTOR = 1.5;
/** Without so many answers there is no usual time to compare with. */
const SETTLED_AFTER = 20;
/** What is usual moves slowly: by this share with each answer. */
const NEWEST_SHARE = 1 / 64;
const LARGEST_LOG_STEP = Math.log(2);

/** What an endpoint's usual time is known from, fit to be kept. */
export interface BaselineTime {
  readonly ms: number;
  readonly answers: number;
}

/** Sees whether an endpoint has become slow, compared with its own past and with nobody else's. */
export class SlowdownDetector {
  #answers = 0;
  #log = 0;
  #consecutiveSlow = 0;
  /** What its slowest answers took before those in a row. */
  #worstMs = 0;

  /** Notes an answer's time to its first part; true where it is the last of several that were far too slow. */
  add(ms: number, p95Ms: number | undefined): boolean {
    if (this.#consecutiveSlow === 0) this.#worstMs = p95Ms ?? 0;
    this.#consecutiveSlow = this.isSlow(ms) ? this.#consecutiveSlow + 1 : 0;
    const step = Math.log(ms + 1) - this.#log;
    if (this.#consecutiveSlow >= CONSECUTIVE_SLOW) {
      // Half of the way: what stays so is its usual time soon, and is no reason to be left alone for ever.
      this.#log += step / 2;
      this.#consecutiveSlow = 0;
      return true;
    }
    this.#answers++;
    const share = Math.max(NEWEST_SHARE, 1 / this.#answers);
    const cut = Math.max(-LARGEST_LOG_STEP, Math.min(LARGEST_LOG_STEP, step));
    this.#log += (this.#answers > SETTLED_AFTER ? cut : step) * share;
    return false;
  }

  /** Whether an answer was far slower than is usual here. */
  isSlow(ms: number): boolean {
    if (this.#answers < SETTLED_AFTER || ms < SLOW_MS_MIN) return false;
    return ms >= SLOW_FACTOR * (Math.exp(this.#log) - 1) && ms >= ABOVE_P95_FACTOR * this.#worstMs;
  }

  state(): BaselineTime {
    return { ms: Math.exp(this.#log) - 1, answers: this.#answers };
  }

  /** Takes over what was known elsewhere. */
  restore({ ms, answers }: BaselineTime): void {
    this.#log = Math.log(ms + 1);
    this.#answers = answers;
    this.#consecutiveSlow = 0;
  }
}

/** Fewer calls that take long say nothing of the next one. */
const OVERDUE_CALLS_MIN = 3;
/** Who called within this time is somebody to whom the endpoint matters now. */
const RECENT_USE_MS = 300_000;

interface PendingCall {
  readonly sinceMs: number;
  readonly by: string;
}

interface Use {
  readonly by: string;
  readonly atMs: number;
}

/** The calls of an endpoint that have not spoken yet, the longest waited for first, and for whom they are. */
export class PendingCalls {
  readonly #calls: PendingCall[] = [];
  #lastUse: Use | undefined;
  /** The last one by somebody else than that. */
  #otherUse: Use | undefined;

  add(sinceMs: number, by: string): void {
    this.#calls.push({ sinceMs, by });
    this.recordUse(by, sinceMs);
  }

  remove(sinceMs: number, by: string): void {
    const place = this.#calls.findIndex((call) => call.sinceMs === sinceMs && call.by === by);
    if (place !== -1) this.#calls.splice(place, 1);
  }

  /** Somebody called it then. */
  recordUse(by: string, atMs: number): void {
    const [last, other, use] = [this.#lastUse, this.#otherUse, { by, atMs }];
    if (last !== undefined && atMs < last.atMs) {
      // Heard of late, as from another instance.
      if (by !== last.by && (other === undefined || other.atMs < atMs)) this.#otherUse = use;
      return;
    }
    if (last !== undefined && last.by !== by) this.#otherUse = last;
    this.#lastUse = use;
  }

  /** How long calls have said nothing, where that is already longer than it ever takes; of many, a fifth may be late. */
  overdueMs(nowMs: number, longestMs = Number.POSITIVE_INFINITY): number {
    const place = Math.max(OVERDUE_CALLS_MIN, Math.floor(this.#calls.length / 5));
    const call = this.#calls[place - 1];
    const overdueMs = call === undefined ? 0 : nowMs - call.sinceMs;
    return overdueMs > longestMs ? overdueMs : 0;
  }

  /**
   * Whether several have said nothing for far too long: nobody has to wait until the last of them is given up. What one
   * account asks may be hard to answer. Alone it decides only where nobody else calls.
   */
  areTooSlow(nowMs: number, isSlow: (ms: number) => boolean): boolean {
    const isLate = (call: PendingCall | undefined) => call !== undefined && isSlow(nowMs - call.sinceMs);
    if (!isLate(this.#calls[CONSECUTIVE_SLOW - 1])) return false;
    const by = this.#calls[0]?.by ?? "";
    return !this.#isUsedByOthers(by, nowMs) || this.#calls.some((call) => call.by !== by && isLate(call));
  }

  #isUsedByOthers(by: string, nowMs: number): boolean {
    const use = this.#lastUse?.by === by ? this.#otherUse : this.#lastUse;
    return use !== undefined && nowMs - use.atMs < RECENT_USE_MS;
  }
}
